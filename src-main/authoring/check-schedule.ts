// Checks a producer's schedule.
import { Cron } from 'croner';
import { MIN_INTERVAL_MS, readDuration } from '#shared/authoring/duration.ts';
import { scheduleSchema, type Schedule } from '#shared/authoring/handler-config.ts';

export type ScheduleCheck =
  | { readonly ok: true; readonly schedule: Schedule }
  /** `at` is the invalid key. */
  | { readonly ok: false; readonly message: string; readonly at: string };

const bad = (at: string, message: string): ScheduleCheck => ({ ok: false, at, message });

export function checkSchedule(value: unknown): ScheduleCheck {
  const shape = checkShape(value);
  if (shape) return shape;
  const parsed = scheduleSchema.safeParse(value);
  if (!parsed.success) return bad('schedule', HOW);
  const schedule = parsed.data;
  return (
    ('every' in schedule ? checkEvery(schedule.every) : checkCron(schedule)) ?? {
      ok: true,
      schedule,
    }
  );
}

const HOW = `A schedule must be { every: '5m' } or { cron: '0 9 * * 1-5', timezone: 'Europe/Berlin' }.`;
const CHOICES: { readonly [key: string]: readonly string[] } = {
  missed: ['latest', 'none', 'all'],
  overlap: ['coalesce', 'skip'],
};

function checkShape(value: unknown): ScheduleCheck | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return bad('schedule', HOW);
  const fields = value as { readonly [key: string]: unknown };
  if ('every' in fields === 'cron' in fields) return bad('schedule', HOW);
  for (const [key, field] of Object.entries(fields)) {
    const choices = CHOICES[key];
    if (choices && !choices.includes(field as string)) {
      const list = choices.map((choice) => `'${choice}'`).join(', ');
      return bad(key, `"${key}" must be one of ${list}.`);
    }
    if (!choices && !['every', 'cron', 'timezone'].includes(key)) {
      return bad(key, `"${key}" is not a field of a schedule.`);
    }
  }
  if ('every' in fields && 'timezone' in fields) {
    return bad('timezone', 'Only a cron schedule can have a time zone, not an interval.');
  }
  return undefined;
}

function checkEvery(every: string): ScheduleCheck | undefined {
  if (readDuration(every) !== undefined) return undefined;
  return bad('every', `"${every}" is not a valid interval. Write 30s, 5m, 1h or 2d; at least 10s.`);
}

function checkCron(schedule: {
  cron: string;
  timezone?: string | undefined;
}): ScheduleCheck | undefined {
  const { cron, timezone } = schedule;
  if (timezone !== undefined && !isTimezone(timezone)) {
    return bad('timezone', `"${timezone}" is not a time zone. Write one like Europe/Berlin.`);
  }
  const fields = cron.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6 && !cron.startsWith('@')) return badCron(cron);
  try {
    const [first, ...others] = new Cron(cron, timezone === undefined ? {} : { timezone }).nextRuns(
      5,
    );
    if (!first) return bad('cron', `"${cron}" never fires.`);
    const times = [first, ...others].map((time) => time.getTime());
    const isTooOften = times.some(
      (time, index) => time - (times[index - 1] ?? -Infinity) < MIN_INTERVAL_MS,
    );
    return isTooOften
      ? bad('cron', `"${cron}" fires more often than every 10 seconds.`)
      : undefined;
  } catch {
    return badCron(cron);
  }
}

const badCron = (cron: string): ScheduleCheck =>
  bad(
    'cron',
    `"${cron}" is not a cron schedule. Write five fields: minute hour day month weekday.`,
  );

function isTimezone(timezone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}
