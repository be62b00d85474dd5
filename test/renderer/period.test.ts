import { describe, expect, test } from 'vitest';
import {
  boundsOf,
  fromLocalField,
  isUpsideDown,
  isWithin,
  parseSpan,
  spanQuery,
  toLocalField,
  type TimeSpan,
} from '#renderer/period.ts';

const NOON = Date.UTC(2026, 10, 16, 12);
const HOUR = 60 * 60_000;

const inAddress = (span: TimeSpan): string => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(spanQuery(span))) {
    if (value !== undefined) query.set(name, value);
  }
  return query.toString();
};

describe('the time range of a list', () => {
  test.each<[TimeSpan, string]>([
    [{}, ''],
    [{ period: '7d' }, 'since=7d'],
    [{ from: NOON }, 'from=2026-11-16T12%3A00Z'],
    [{ from: NOON, to: NOON + HOUR }, 'from=2026-11-16T12%3A00Z&to=2026-11-16T13%3A00Z'],
  ])('[DX-9] %o is written to the URL as "%s" and read back', (span, address) => {
    expect(inAddress(span)).toBe(address);
    expect(parseSpan(new URLSearchParams(address))).toEqual(span);
  });

  test('[DX-9] a range overrides a period, and invalid times are ignored', () => {
    const parse = (address: string) => parseSpan(new URLSearchParams(address));
    expect(parse('since=7d&from=2026-11-16')).toEqual({ from: Date.UTC(2026, 10, 16) });
    expect(parse('since=7d&from=yesterday')).toEqual({ period: '7d' });
    expect(parse('from=2026-99-99T00:00Z&to=-1')).toEqual({});
    expect(parse('from=1&to=2026-11-16T12:00')).toEqual({});
  });

  test('[DX-13] the start is inclusive and the end exclusive', () => {
    const bounds = boundsOf({ from: NOON, to: NOON + HOUR }, 0);
    expect(bounds).toEqual({ since: NOON, until: NOON + HOUR });
    expect(
      [NOON - 1, NOON, NOON + HOUR - 1, NOON + HOUR].map((at) => isWithin(at, bounds)),
    ).toEqual([false, true, true, false]);
    expect(boundsOf({ period: '1h' }, NOON)).toEqual({ since: NOON - HOUR });
    expect(boundsOf({ to: NOON }, 0)).toEqual({ until: NOON });
    expect(isWithin(0, {})).toBe(true);
  });

  test('[DX-13] a range that ends at or before its start is invalid', () => {
    expect(isUpsideDown({ from: NOON, to: NOON - 1 })).toBe(true);
    expect(isUpsideDown({ from: NOON, to: NOON })).toBe(true);
    expect(isUpsideDown({ from: NOON, to: NOON + 1 })).toBe(false);
    expect(isUpsideDown({ from: NOON })).toBe(false);
    expect(isUpsideDown({})).toBe(false);
  });

  test('[DX-13] a date field round-trips a time, and invalid text gives none', () => {
    expect(fromLocalField(toLocalField(NOON))).toBe(NOON);
    expect(toLocalField(undefined)).toBe('');
    expect(fromLocalField('')).toBeUndefined();
    expect(fromLocalField('nonsense')).toBeUndefined();
  });
});
