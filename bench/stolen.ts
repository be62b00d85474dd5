// A virtual machine may share its processors with others, and then what a bench measures is how much
// was left to it. Linux is told how much was taken, so a bench can tell a slow program from a machine
// that was elsewhere. Other systems do not say: there nothing counts as taken.
import { existsSync, readFileSync } from 'node:fs';

const STAT = '/proc/stat';

interface Spent {
  /** In ticks, of all processors. */
  readonly busy: number;
  readonly stolen: number;
}

/** Call it, and later what it returns: of the time that was wanted in between, how much was taken, in %. */
export function watchStolen(): () => number {
  const before = spent();
  return () => {
    const after = spent();
    const stolen = after.stolen - before.stolen;
    const wanted = stolen + after.busy - before.busy;
    return wanted === 0 ? 0 : (stolen * 100) / wanted;
  };
}

function spent(): Spent {
  if (!existsSync(STAT)) return { busy: 0, stolen: 0 };
  return readSpent(readFileSync(STAT, 'utf8'));
}

/** Its first line: all processors, in the order of proc(5). */
export function readSpent(text: string): Spent {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = text
    .slice(0, text.indexOf('\n'))
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return { busy: user + nice + system + irq + softirq, stolen };
}
