// Counts the time that a phase computes, without what it waits. A busy machine may keep the thread
// waiting too; so when the clock says "over", the processor's own count has the last word.
import { performance } from 'node:perf_hooks';

export interface ComputingTime {
  begin(): void;
  end(): void;
  /** Once over, it stays over: code that catches the interrupt does not get away. */
  isOver(): boolean;
  whyOver(): 'computing' | 'wall' | undefined;
  /** Lets a little more be computed, to say what happened. */
  allowSome(): void;
  allowNoMore(): void;
}

const SOME_MS = 100;

export function createComputingTime(limitMs: number, isWallOver: () => boolean): ComputingTime {
  let used = 0;
  let startedAt = 0;
  /** Of the processor's count, when it was first asked since `begin`: most phases end before that. */
  let cpuAt: number | undefined;
  let why: 'computing' | 'wall' | undefined;
  let someUntil = 0;

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
      const now = performance.now();
      cpuAt ??= cpuNow();
      if (now < someUntil) return false;
      if (why !== undefined) return true;
      if (isWallOver()) why = 'wall';
      else if (used + (now - startedAt) > limitMs && spent() > limitMs) why = 'computing';
      return why !== undefined;
    },
    whyOver: () => why,
    allowSome() {
      someUntil = performance.now() + SOME_MS;
    },
    allowNoMore() {
      someUntil = 0;
    },
  };
}

/** Milliseconds that this thread has computed. */
function cpuNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
