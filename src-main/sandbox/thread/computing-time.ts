// Measures the time that a phase computes, without the time it waits. On a busy machine the thread
// itself may wait for a core, so the limit counts as exceeded only by the thread's CPU time.
import { performance } from 'node:perf_hooks';

export interface ComputingTime {
  begin(): void;
  end(): void;
  isOver(): boolean;
  /** Whether the phase has computed for longer than this since it last waited. */
  isStretchOver(ms: number): boolean;
}

export function createComputingTime(limitMs: number): ComputingTime {
  let used = 0;
  let startedAt = 0;
  /** CPU time at the first check since `begin`: most phases end before that. */
  let cpuAt: number | undefined;

  const spent = (): number =>
    used + (cpuAt === undefined ? performance.now() - startedAt : cpuNow() - cpuAt);

  return {
    begin() {
      startedAt = performance.now();
      cpuAt = undefined;
    },
    end() {
      used = spent();
    },
    isOver() {
      cpuAt ??= cpuNow();
      return used + (performance.now() - startedAt) > limitMs && spent() > limitMs;
    },
    isStretchOver(ms) {
      cpuAt ??= cpuNow();
      return performance.now() - startedAt > ms && cpuNow() - cpuAt > ms;
    },
  };
}

/** Milliseconds of CPU time that this thread has used. */
function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
