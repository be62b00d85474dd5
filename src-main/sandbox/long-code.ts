// Remembers which code computed for long, so that it goes straight to a thread of its own next time.
import { LONG_CODE_MS, MAX_LONG_CODES } from '#main/sandbox/limits.ts';
import type { PhaseRequest } from '#main/sandbox/sandbox.ts';

export interface LongCode {
  add(request: PhaseRequest): void;
  has(request: PhaseRequest): boolean;
}

export function createLongCode(now: () => number = () => performance.now()): LongCode {
  const until = new Map<string, number>();
  return {
    add(request) {
      const key = keyOf(request);
      until.delete(key);
      until.set(key, now() + LONG_CODE_MS);
      // A Map iterates in insertion order.
      const [oldest] = until.keys();
      if (until.size > MAX_LONG_CODES && oldest !== undefined) until.delete(oldest);
    },
    has(request) {
      if (until.size === 0) return false;
      const key = keyOf(request);
      const isLong = (until.get(key) ?? 0) > now();
      if (!isLong) until.delete(key);
      return isLong;
    },
  };
}

const keyOf = ({ entry, fileName, code }: PhaseRequest): string =>
  `${JSON.stringify(entry)}\n${fileName}\n${code}`;
