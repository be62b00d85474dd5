// The real clock and the real sources of ids. Everything else gets them injected.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '#shared/clock.ts';
import type { IdSource } from '#shared/ids.ts';
import { createUlidSource } from '#shared/ulid.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    await sleep(ms);
  },
};

export function createSystemIds(clock: Clock): IdSource {
  return { ulid: createUlidSource(() => clock.now(), randomBytes), uuid: () => randomUUID() };
}
