// The real clock and the real sources of ids. Everything else gets them injected.
import { hash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#shared/clock.ts';
import { useSha256, type IdSource } from '#shared/ids.ts';
import { createUlidSource } from '#shared/ulid.ts';

useSha256((text) => hash('sha256', text));

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await sleep(ms);
  },
  wakeAt: (time, wake) => wakeInSteps(time, wake),
};

/** Longer than a timer can count, and short enough to notice soon that the clock was changed. */
const LONGEST_TIMER_MS = 60_000;

function wakeInSteps(time: number, wake: () => void): () => void {
  let timer: NodeJS.Timeout;
  const step = (): void => {
    const left = time - Date.now();
    if (left <= 0) wake();
    else timer = setTimeout(step, Math.min(left, LONGEST_TIMER_MS));
  };
  timer = setTimeout(step, Math.min(Math.max(time - Date.now(), 0), LONGEST_TIMER_MS));
  return () => clearTimeout(timer);
}

export function createSystemIds(clock: Clock): IdSource {
  const random = createStock();
  return { ulid: createUlidSource(() => clock.now(), random), uuid: () => randomUUID() };
}

/** To ask the system for the few bytes of each id costs more than all else of it. */
const STOCK_BYTES = 4096;

function createStock(): (count: number) => Uint8Array {
  let stock = randomBytes(0);
  return (count) => {
    if (stock.length < count) stock = randomBytes(STOCK_BYTES);
    const taken = stock.subarray(0, count);
    stock = stock.subarray(count);
    return taken;
  };
}
