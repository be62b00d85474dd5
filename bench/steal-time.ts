// Steal time: CPU time that the hypervisor gave to other virtual machines. Linux reports it, so a
// bench can distinguish a slow program from a busy hardware host. On other systems it counts as zero.
import { existsSync, readFileSync } from 'node:fs';

const STAT = '/proc/stat';

interface CpuTimes {
  /** In ticks, over all processors. */
  readonly busy: number;
  readonly steal: number;
}

/** Returns a function that gives the steal time since this call, in % of the requested CPU time. */
export function measureSteal(): () => number {
  const before = cpuTimes();
  return () => {
    const after = cpuTimes();
    const steal = after.steal - before.steal;
    const requested = steal + after.busy - before.busy;
    return requested === 0 ? 0 : (steal * 100) / requested;
  };
}

function cpuTimes(): CpuTimes {
  if (!existsSync(STAT)) return { busy: 0, steal: 0 };
  return parseCpuTimes(readFileSync(STAT, 'utf8'));
}

/** Parses the first line of /proc/stat, the sum over all processors (proc_stat(5)). */
export function parseCpuTimes(text: string): CpuTimes {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = text
    .slice(0, text.indexOf('\n'))
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { busy: user + nice + system + irq + softirq, steal };
}
