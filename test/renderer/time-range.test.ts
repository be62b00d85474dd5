import { describe, expect, test } from 'vitest';
import {
  toTimeBounds,
  fromLocalField,
  isReversed,
  isWithinBounds,
  parseTimeRange,
  timeRangeQuery,
  toLocalField,
  type TimeRange,
} from '#renderer/format/time-range.ts';

const NOON = Date.UTC(2026, 10, 16, 12);
const HOUR = 60 * 60_000;

const inAddress = (span: TimeRange): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(timeRangeQuery(span))) {
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
};

describe('the time range of a list', () => {
  test.each<[TimeRange, string]>([
    [{}, ''],
    [{ period: '7d' }, 'since=7d'],
    [{ from: NOON }, 'from=2026-11-16T12%3A00Z'],
    [{ from: NOON, to: NOON + HOUR }, 'from=2026-11-16T12%3A00Z&to=2026-11-16T13%3A00Z'],
  ])('[DX-9] %o is written to the URL as "%s" and read back', (span, address) => {
    expect(inAddress(span)).toBe(address);
    expect(parseTimeRange(new URLSearchParams(address))).toEqual(span);
  });

  test('[DX-9] a range overrides a period, and invalid times are ignored', () => {
    const parse = (address: string) => parseTimeRange(new URLSearchParams(address));
    expect(parse('since=7d&from=2026-11-16')).toEqual({ from: Date.UTC(2026, 10, 16) });
    expect(parse('since=7d&from=yesterday')).toEqual({ period: '7d' });
    expect(parse('from=2026-99-99T00:00Z&to=-1')).toEqual({});
    expect(parse('from=1&to=2026-11-16T12:00')).toEqual({});
  });

  test('[DX-13] the start is inclusive and the end exclusive', () => {
    const bounds = toTimeBounds({ from: NOON, to: NOON + HOUR }, 0);
    expect(bounds).toEqual({ since: NOON, until: NOON + HOUR });
    expect(
      [NOON - 1, NOON, NOON + HOUR - 1, NOON + HOUR].map((at) => isWithinBounds(at, bounds)),
    ).toEqual([false, true, true, false]);
    expect(toTimeBounds({ period: '1h' }, NOON)).toEqual({ since: NOON - HOUR });
    expect(toTimeBounds({ to: NOON }, 0)).toEqual({ until: NOON });
    expect(isWithinBounds(0, {})).toBe(true);
  });

  test('[DX-13] a range that ends at or before its start is invalid', () => {
    expect(isReversed({ from: NOON, to: NOON - 1 })).toBe(true);
    expect(isReversed({ from: NOON, to: NOON })).toBe(true);
    expect(isReversed({ from: NOON, to: NOON + 1 })).toBe(false);
    expect(isReversed({ from: NOON })).toBe(false);
    expect(isReversed({})).toBe(false);
  });

  test('[DX-13] a date field round-trips a time, and invalid text gives none', () => {
    expect(fromLocalField(toLocalField(NOON))).toBe(NOON);
    expect(toLocalField(undefined)).toBe('');
    expect(fromLocalField('')).toBeUndefined();
    expect(fromLocalField('nonsense')).toBeUndefined();
  });
});
