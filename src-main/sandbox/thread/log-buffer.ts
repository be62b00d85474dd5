// Console output of a phase, limited: the first lines, then one line that says output was cut.
import { MAX_LOG_BYTES, MAX_LOG_LINES } from '#main/sandbox/limits.ts';
import type { LogLine } from '#main/sandbox/sandbox.ts';

export interface LogBuffer {
  /** `quoted` is JSON of the text. False: no more lines are accepted. */
  add(level: string, quoted: string): boolean;
  hasAny(): boolean;
  /** The lines since the last call. */
  take(): LogLine[];
}

export function createLogBuffer(now: () => number): LogBuffer {
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
              text: 'Output limit reached: only the first part is shown.',
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
