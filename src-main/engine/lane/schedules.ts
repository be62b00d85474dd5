// When a producer is due. A schedule is a row of slots in time; missed ones are caught up by rule.
import { Cron } from 'croner';
import type { Schedule } from '#shared/authoring/handler-config.ts';
import { parseDuration } from '#shared/authoring/duration.ts';

/** Missed longer than this: with `missed: 'none'` the slot is passed over. */
const GRACE_MS = 60_000;

/** At most so many missed slots are run one by one: a year of minutes is not work, it is a mistake. */
const MAX_MISSED = 1000;

/** The first slot of a schedule that is new: an interval begins at once, a cron waits for its time. */
export function firstSlot(schedule: Schedule, now: number): number | null {
  return 'every' in schedule ? now : nextSlot(schedule, now);
}

/** The first slot after `after`. Null: it never comes. */
export function nextSlot(schedule: Schedule, after: number): number | null {
  if ('every' in schedule) return after + parseDuration(schedule.every);
  const cron = new Cron(schedule.cron, schedule.timezone ? { timezone: schedule.timezone } : {});
  let next = cron.nextRun(new Date(after));
  // Croner moves a local time that the clocks skip to the next hour; with us it does not fire.
  while (next && !cron.match(next)) next = cron.nextRun(next);
  return next?.getTime() ?? null;
}

export interface Due {
  /** The slot to run for; null when all that was due is passed over. */
  readonly slot: number | null;
  /** Slots that no run will be made for. */
  readonly missed: readonly number[];
  /** What `next_run_at` becomes once that run is committed, or at once when there is none. */
  readonly next: number | null;
}

/** What is due at `now` for a schedule whose next slot is `next`. */
export function whatIsDue(schedule: Schedule, next: number, now: number): Due {
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
  // After more missed slots than are counted one by one, go on from now.
  return next !== null && next <= now ? nextSlot(schedule, now) : next;
}
