// The real clock and id source. All other code gets them injected.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#shared/clock.ts';
import { useSha256, type IdSource } from '#shared/ids.ts';
import { createUlidSource } from '#shared/ulid.ts';

useSha256((text) => hash('sha256', text));

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms) => {
    await sleep(ms);
  },
  wakeAt: (time, wake) => wakeInSteps(time, wake),
};

/** Longer waits are split: setTimeout has a maximum, and the system clock may be changed meanwhile. */
const MAX_TIMER_MS = 60_000;

function wakeInSteps(time: number, wake: () => void): () => void {
  let timer: NodeJS.Timeout;
  // After the system clock was set back, the wait must not become longer. Rounded up, so that an
  // unchanged clock decides.
  const end = performance.now() + (time - Date.now()) + 1;
  const left = (): number => Math.min(time - Date.now(), end - performance.now());
  const step = (): void => {
    if (left() <= 0) wake();
    else timer = setTimeout(step, Math.min(left(), MAX_TIMER_MS));
  };
  timer = setTimeout(step, Math.min(Math.max(left(), 0), MAX_TIMER_MS));
  return () => clearTimeout(timer);
}

export function createSystemIds(clock: Clock): IdSource {
  const random = createRandomBuffer();
  return { ulid: createUlidSource(() => clock.now(), random), uuid: () => randomUUID() };
}

/** Random bytes are buffered, because one system call per id costs more than the rest of it. */
const BUFFER_BYTES = 4096;

function createRandomBuffer(): (count: number) => Uint8Array {
  let buffer = randomBytes(0);
  return (count) => {
    if (buffer.length < count) buffer = randomBytes(BUFFER_BYTES);
    const bytes = buffer.subarray(0, count);
    buffer = buffer.subarray(count);
    return bytes;
  };
}
