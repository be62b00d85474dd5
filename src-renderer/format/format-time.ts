// Formats times and durations with Intl.
import { LOCALE } from '#renderer/text/numbers.ts';

const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });
const exactClock = new Intl.DateTimeFormat(LOCALE, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
});
const exact = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const dayAndClock = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const dateAndClock = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** For example 14:03. */
export const clockTime = (at: number): string => clock.format(at);
/** For example 14:03:22.123. */
export const exactClockTime = (at: number): string => exactClock.format(at);
/** For example 5 Jan, 14:03; with the year if it isn't the current one. */
export const dateAndTime = (at: number, now: number): string => inYearOf(now, at).format(at);
/** For example 5 Jan, 14:03 – 15:03. */
export const formatTimeRange = (from: number, to: number, now: number): string =>
  inYearOf(now, from, to).formatRange(from, to);

function inYearOf(now: number, ...times: readonly number[]): Intl.DateTimeFormat {
  const year = new Date(now).getFullYear();
  return times.every((at) => new Date(at).getFullYear() === year) ? dayAndClock : dateAndClock;
}
/** For example 5 Jan 2026, 14:03:22 UTC. */
export const exactTime = (at: number): string => exact.format(at);

export function relativeTime(at: number, now: number): string {
  const passed = now - at;
  if (Math.abs(passed) < MINUTE) return 'just now';
  if (Math.abs(passed) < HOUR) return relative.format(-Math.trunc(passed / MINUTE), 'minute');
  if (Math.abs(passed) < DAY) return relative.format(-Math.trunc(passed / HOUR), 'hour');
  if (Math.abs(passed) < 30 * DAY) return relative.format(-Math.trunc(passed / DAY), 'day');
  if (Math.abs(passed) < 365 * DAY)
    return relative.format(-Math.trunc(passed / (30 * DAY)), 'month');
  return relative.format(-Math.trunc(passed / (365 * DAY)), 'year');
}

/** The two largest units, for example 820ms, 3.2s, 4m 5s, 2h 10m, 3d 4h. */
export function duration(ms: number): string {
  const length = Math.max(0, ms);
  if (length < SECOND) return unit(Math.round(length), 'millisecond');
  if (length < 10 * SECOND) return unit(Math.floor(length / 100) / 10, 'second');
  if (length < MINUTE) return unit(Math.floor(length / SECOND), 'second');
  if (length < HOUR) return pair(length, MINUTE, 'minute', SECOND, 'second');
  if (length < DAY) return pair(length, HOUR, 'hour', MINUTE, 'minute');
  return pair(length, DAY, 'day', HOUR, 'hour');
}

function pair(ms: number, large: number, largeUnit: string, small: number, smallUnit: string) {
  const rest = Math.floor((ms % large) / small);
  const first = unit(Math.floor(ms / large), largeUnit);
  return rest === 0 ? first : `${first} ${unit(rest, smallUnit)}`;
}

const units = new Map<string, Intl.NumberFormat>();
function unit(value: number, name: string): string {
  let format = units.get(name);
  if (!format) {
    format = new Intl.NumberFormat(LOCALE, { style: 'unit', unit: name, unitDisplay: 'narrow' });
    units.set(name, format);
  }
  return format.format(value);
}
