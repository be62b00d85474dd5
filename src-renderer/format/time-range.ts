// The time range of a list: a period relative to now, or fixed bounds. Stored in the URL.
import { withoutUndefined } from '#renderer/format/without-undefined.ts';

export const PERIODS = ['1h', '24h', '7d', '30d'] as const;
export type Period = (typeof PERIODS)[number];

const HOUR = 60 * 60_000;
const PERIOD_MS: Readonly<Record<Period, number>> = {
  '1h': HOUR,
  '24h': 24 * HOUR,
  '7d': 7 * 24 * HOUR,
  '30d': 30 * 24 * HOUR,
};

export interface TimeRange {
  readonly period?: Period | undefined;
  /** Fixed bounds instead of a period: from is inclusive, to is exclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export const hasRange = ({ from, to }: TimeRange): boolean =>
  from !== undefined || to !== undefined;

/** True if the range is empty. */
export const isReversed = ({ from, to }: TimeRange): boolean =>
  from !== undefined && to !== undefined && from >= to;

/** Clears a time range when spread over a filter. */
export const ANY_TIME = { period: undefined, from: undefined, to: undefined } as const;

export interface TimeBounds {
  readonly since?: number;
  readonly until?: number;
}

/** Bounds for the host's query. */
export function toTimeBounds({ period, from, to }: TimeRange, now: number): TimeBounds {
  if (period !== undefined) return { since: now - PERIOD_MS[period] };
  return {
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
  };
}

export const isWithinBounds = (at: number, { since, until }: TimeBounds): boolean =>
  (since === undefined || at >= since) && (until === undefined || at < until);

/** Minutes in ISO format, readable in the URL. */
export function timeRangeQuery({
  period,
  from,
  to,
}: TimeRange): Record<string, string | undefined> {
  return { since: period, from: toQueryTime(from), to: toQueryTime(to) };
}

/** Ignores unknown values. */
export function parseTimeRange(query: URLSearchParams): TimeRange {
  const range = withoutUndefined({
    from: parseQueryTime(query.get('from')),
    to: parseQueryTime(query.get('to')),
  });
  if (hasRange(range)) return range;
  const period = PERIODS.find((known) => known === query.get('since'));
  return period ? { period } : {};
}

const toQueryTime = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : `${new Date(at).toISOString().slice(0, 16)}Z`;

const QUERY_TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

function parseQueryTime(text: string | null): number | undefined {
  const at = text !== null && QUERY_TIME.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) || at < 0 ? undefined : at;
}

/** The value of a datetime-local input. */
export function toLocalField(at: number | undefined): string {
  if (at === undefined) return '';
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

export function fromLocalField(value: string): number | undefined {
  const at = value === '' ? Number.NaN : new Date(value).getTime();
  return Number.isNaN(at) || at < 0 ? undefined : at;
}
