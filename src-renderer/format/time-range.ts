// The time that a list covers: how far back, in words that stay true when the link is opened later,
// or from one moment to another. All of it stands in the address.

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
  /** Instead of a period: what was made at or after this, and before that. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export const hasRange = ({ from, to }: TimeRange): boolean =>
  from !== undefined || to !== undefined;

/** Nothing can be in it. */
export const isReversed = ({ from, to }: TimeRange): boolean =>
  from !== undefined && to !== undefined && from >= to;

/** Whatever it was, without it; for those who choose another. */
export const ANY_TIME = { period: undefined, from: undefined, to: undefined } as const;

export interface TimeBounds {
  readonly since?: number;
  readonly until?: number;
}

/** As the host is asked. */
export function toTimeBounds({ period, from, to }: TimeRange, now: number): TimeBounds {
  if (period !== undefined) return { since: now - PERIOD_MS[period] };
  return {
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
  };
}

export const isWithinBounds = (at: number, { since, until }: TimeBounds): boolean =>
  (since === undefined || at >= since) && (until === undefined || at < until);

/** In the address: to the minute, in a form that people can read and machines agree on. */
export function timeRangeQuery({
  period,
  from,
  to,
}: TimeRange): Record<string, string | undefined> {
  return { since: period, from: toQueryTime(from), to: toQueryTime(to) };
}

/** What it does not know, it leaves out. */
export function parseTimeRange(query: URLSearchParams): TimeRange {
  const [from, to] = [parseQueryTime(query.get('from')), parseQueryTime(query.get('to'))];
  const range = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
  };
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

/** As a field for a local date and time takes it. */
export function toLocalField(at: number | undefined): string {
  if (at === undefined) return '';
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

export function fromLocalField(value: string): number | undefined {
  const at = value === '' ? Number.NaN : new Date(value).getTime();
  return Number.isNaN(at) || at < 0 ? undefined : at;
}
