// How long an input waits for a person: reminders first, then an end. Chosen in the workflow file, or
// in the settings of the device that runs the workflow.
import { z } from 'zod';
import { DURATION, parseDuration, readDuration } from '#shared/authoring/duration.ts';

/** Ends that a person can still settle. */
export const NEEDS_HUMAN_ENDS = ['timed_out', 'failed'] as const;

const EXPECTED = 'must be a duration such as 12h or 30d';

const duration = z
  .string()
  .regex(DURATION, { error: EXPECTED, abort: true })
  .refine((text) => readDuration(text) !== undefined, EXPECTED);

export const needsHumanSchema = z.strictObject({
  /** When the first reminder comes. */
  remind: duration,
  /** When the input ends if nobody acts. */
  within: duration,
  /** How it ends then. */
  otherwise: z.enum(NEEDS_HUMAN_ENDS),
});
export type NeedsHuman = z.output<typeof needsHumanSchema>;

/** Longer than a holiday. */
export const DEFAULT_NEEDS_HUMAN: NeedsHuman = {
  remind: '1d',
  within: '30d',
  otherwise: 'timed_out',
};

export function isReminderBeforeEnd({
  remind,
  within,
}: Pick<NeedsHuman, 'remind' | 'within'>): boolean {
  return (readDuration(remind) ?? 0) < (readDuration(within) ?? 0);
}

/** At most half of the time, so that a reminder comes before every end. */
export function remindMs({ remind, within }: NeedsHuman): number {
  return Math.min(parseDuration(remind), parseDuration(within) / 2);
}

/** After `remind`, then each after twice the time, and one `remind` before the end. */
export function reminderTimes(rule: NeedsHuman): number[] {
  const first = remindMs(rule);
  const last = parseDuration(rule.within) - first;
  const times: number[] = [];
  for (let at = first; at < last; at *= 2) times.push(at);
  return [...times, last];
}

export interface LastReminder {
  readonly number: number;
  readonly at: number;
}

/** The number of the reminder that is due; null if none is. */
export function dueReminder(
  rule: NeedsHuman,
  waitedMs: number,
  last: LastReminder | null,
): number | null {
  const due = reminderTimes(rule).filter((at) => at <= waitedMs).length;
  return due > (last?.number ?? 0) ? due : null;
}

/** A reminder that came late, because no host was running, delays the end. */
export function endsAt(rule: NeedsHuman, until: number, last: LastReminder | null): number {
  return last === null ? until : Math.max(until, last.at + remindMs(rule));
}

const UNIT_WORDS: { readonly [unit: string]: string } = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
};

/** "30 days" */
export function durationInWords(text: string): string {
  const count = Number.parseInt(text, 10);
  const unit = UNIT_WORDS[text.at(-1) ?? ''] ?? '';
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
