// Computes when a producer is due. A schedule is a series of slots; its `missed` rule decides which
// missed slots run. Pure: it reads no clock and no store.
import { Cron } from 'croner';
import type { Schedule } from '#shared/authoring/handler-config.ts';
import { parseDuration } from '#shared/authoring/duration.ts';

/** With `missed: 'none'` a slot this late still runs; a later one is skipped. */
const GRACE_MS = 60_000;

/** Limits the slots that are counted one by one after a long pause or a clock that jumped. */
const MAX_MISSED = 1000;

/** The first slot of a new schedule: now for an interval, the next match for a cron. */
export function firstSlot(schedule: Schedule, now: number): number | null {
  return 'every' in schedule ? now : nextSlot(schedule, now);
}

/** The first slot after `after`. Null if there is none. */
export function nextSlot(schedule: Schedule, after: number): number | null {
  if ('every' in schedule) return after + parseDuration(schedule.every);
  const cron = new Cron(schedule.cron, schedule.timezone ? { timezone: schedule.timezone } : {});
  let next = cron.nextRun(new Date(after));
  // Croner moves a local time that daylight saving skips to the next hour. Holdfast skips it.
  while (next && !cron.match(next)) next = cron.nextRun(next);
  return next?.getTime() ?? null;
}

/**
 * The next slot, if the stored one comes from a clock that was set back since: an interval waits no
 * longer than its length, a cron no longer than until its second slot. The first one may have run
 * just before the clock was corrected.
 */
export function trustedSlot(schedule: Schedule, stored: number, now: number): number {
  if (stored <= now) return stored;
  const first = nextSlot(schedule, now) ?? stored;
  if ('every' in schedule) return Math.min(stored, first);
  const second = nextSlot(schedule, first) ?? stored;
  return stored > second ? first : stored;
}

export interface Due {
  /** The slot to run. Null if all due slots are skipped. */
  readonly slot: number | null;
  /** Slots that do not run. */
  readonly missed: readonly number[];
  /** The next `next_run_at`, written when the run commits, or at once if there is no run. */
  readonly next: number | null;
}

/** The slots due at `now` of a schedule whose next slot is `next`. */
export function dueSlots(schedule: Schedule, next: number, now: number): Due {
  const slots = [next];
  for (;;) {
    const following = nextSlot(schedule, slots.at(-1) ?? next);
    if (following === null || following > now || slots.length >= MAX_MISSED) break;
    slots.push(following);
  }
  const latest = slots.at(-1) ?? next;
  const afterwards = afterNow(schedule, latest, now);
  const rule = 'missed' in schedule ? (schedule.missed ?? 'latest') : 'latest';
  if (rule === 'all') {
    return { slot: next, missed: [], next: slots[1] ?? afterwards };
  }
  if (rule === 'none' && now - latest > GRACE_MS) {
    return { slot: null, missed: slots, next: afterwards };
  }
  return { slot: latest, missed: slots.slice(0, -1), next: afterwards };
}

function afterNow(schedule: Schedule, latest: number, now: number): number | null {
  const next = nextSlot(schedule, latest);
  // Over `MAX_MISSED` missed slots, continue from now.
  return next !== null && next <= now ? nextSlot(schedule, now) : next;
}
