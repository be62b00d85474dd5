// Computes when a producer is due. A schedule is a series of slots; its `missed` rule decides which
// missed slots run, its `overlap` rule which of those that come due during a run. Pure: it reads no
// clock and no store.
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
  const { slots, following } = slotsUntil(schedule, next, now);
  const latest = slots.at(-1) ?? next;
  const rule = schedule.missed ?? 'latest';
  if (rule === 'all') {
    return { slot: next, missed: [], next: slots[1] ?? following };
  }
  if (rule === 'none' && now - latest > GRACE_MS) {
    return { slot: null, missed: slots, next: following };
  }
  return { slot: latest, missed: slots.slice(0, -1), next: following };
}

export interface AfterRun {
  /** Slots during the run that do not run. */
  readonly skipped: readonly number[];
  readonly next: number | null;
}

/** The next slot when a run for `due` ends. A slot that was due before the run began stays due. */
export function afterRun(schedule: Schedule, due: Due, startedAt: number, now: number): AfterRun {
  const { next } = due;
  const isDuringRun = next !== null && next > startedAt && next <= now;
  if (schedule.overlap !== 'skip' || !isDuringRun) return { skipped: [], next };
  const { slots, following } = slotsUntil(schedule, next, now);
  return { skipped: slots, next: following };
}

/** The slots from `first` to `now`, and the first one after `now`. */
function slotsUntil(
  schedule: Schedule,
  first: number,
  now: number,
): { readonly slots: readonly number[]; readonly following: number | null } {
  const slots = [first];
  for (;;) {
    const latest = slots.at(-1) ?? first;
    const next = nextSlot(schedule, latest);
    if (next === null || next > now) return { slots, following: next };
    // Over `MAX_MISSED` missed slots, continue from now.
    if (slots.length >= MAX_MISSED) return { slots, following: nextSlot(schedule, now) };
    slots.push(next);
  }
}
