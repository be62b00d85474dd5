import { describe, expect, it } from 'vitest';
import { fc, test } from '@fast-check/vitest';
import { formatCost, isCost, MAX_CALL_COST, microdollarsOf } from '#shared/cost.ts';

const of = (value: number | string, usd: number | string = 1): number | null =>
  microdollarsOf([{ value, usd }]);

describe('amounts', () => {
  it.each([
    [0.0123, 12_300],
    ['0.0123', 12_300],
    [0.1 + 0.2, 300_000],
    [1.005, 1_005_000],
    [8.2, 8_200_000],
    [3e-6, 3],
    ['1.5E-3', 1_500],
    ['.5', 500_000],
    [0, 0],
    ['12345678901234567890e-20', 123_457],
  ])('[CO-1] %s dollars are exactly %s microdollars', (dollars, microdollars) => {
    expect(of(dollars)).toBe(microdollars);
  });

  it('[CO-1] a number of units at a price each is multiplied exactly, and the sum is rounded once', () => {
    expect(of(1234, 0.000003)).toBe(3702);
    expect(of(1, 0.00000025)).toBe(0);
    const tokens = { value: 1, usd: 0.00000025 };
    expect(microdollarsOf([tokens, tokens])).toBe(1);
    expect(
      microdollarsOf([
        { value: 1000, usd: 0.000003 },
        { value: 500, usd: 0.000015 },
      ]),
    ).toBe(10_500);
    expect(microdollarsOf([])).toBe(0);
  });

  it.each([
    -1,
    '-0.01',
    Number.NaN,
    Infinity,
    '',
    ' ',
    'free',
    '1,5',
    '$1',
    '0x10',
    '1e99',
    '.',
    'e5',
  ])('[CO-1] %s is no amount', (value) => expect(of(value)).toBeNull());

  it('[CO-1] more than one million dollars for one call is a mistake', () => {
    expect(of(1_000_000)).toBe(MAX_CALL_COST);
    expect(of(1_000_000.000001)).toBeNull();
    expect(of('9'.repeat(40))).toBeNull();
    expect(of('9'.repeat(41))).toBeNull();
  });

  test.prop([fc.integer({ min: 0, max: MAX_CALL_COST })])(
    '[CO-1] every amount in microdollars survives as dollars, in both directions',
    (microdollars) => {
      const text = formatCost(microdollars);
      expect(text).toMatch(/^\$\d{1,3}(,\d{3})*\.\d{2,6}$/);
      expect(of(text.replaceAll(/[$,]/g, ''))).toBe(microdollars);
    },
  );

  it('[CO-1] a cost is a whole number that is not negative', () => {
    expect([0, 1, MAX_CALL_COST].every(isCost)).toBe(true);
    expect([-1, 0.5, Number.NaN, '1', null, undefined, 2 ** 53].some(isCost)).toBe(false);
  });
});

describe('formatCost', () => {
  it.each([
    [0, '$0.00'],
    [3, '$0.000003'],
    [12_300, '$0.0123'],
    [100_000, '$0.10'],
    [12_300_000, '$12.30'],
    [1_234_567_000_000, '$1,234,567.00'],
  ])('[CO-11] %s microdollars are shown as %s', (microdollars, text) => {
    expect(formatCost(microdollars)).toBe(text);
  });
});
