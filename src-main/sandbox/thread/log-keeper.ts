// What console wrote, bounded: the first lines are kept, then one that says so.
import { MAX_LOG_BYTES, MAX_LOG_LINES } from '#main/sandbox/limits.ts';
import type { LogLine } from '#main/sandbox/sandbox.ts';

export interface LogKeeper {
  /** `quoted` is JSON of the text. False: no more is wanted. */
  add(level: string, quoted: string): boolean;
  hasAny(): boolean;
  /** Those since the last time. */
  take(): LogLine[];
}

export function createLogKeeper(now: () => number): LogKeeper {
  let fresh: LogLine[] = [];
  let lines = 0;
  let bytes = 0;
  return {
    add(level, quoted) {
      if (lines > MAX_LOG_LINES) return false;
      const text = JSON.parse(quoted) as string;
      bytes += Buffer.byteLength(text);
      lines += 1;
      const isFull = lines > MAX_LOG_LINES || bytes > MAX_LOG_BYTES;
      if (isFull) lines = Infinity;
      fresh.push(
        isFull
          ? {
              level: 'warn',
              at: now(),
              text: 'More was written here; only the first part is kept.',
            }
          : { level: level as LogLine['level'], at: now(), text },
      );
      return !isFull;
    },
    hasAny: () => lines > 0,
    take() {
      const taken = fresh;
      fresh = [];
      return taken;
    },
  };
}
