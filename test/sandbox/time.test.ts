import { describe, expect, it } from 'vitest';
import { createPhases } from '#test/sandbox/phases.ts';

const { value } = createPhases();
const now = Date.UTC(2031, 4, 6, 7, 8, 9, 10);

describe('time', () => {
  it("[SB-11] Date.now(), new Date() and Date() start at the host's time and advance", async () => {
    const got = (await value(
      `const first = Date.now();
       let spin = first; while (spin - first < 5) spin = Date.now();
       return [ctx.now, first, new Date().getTime(), Date.parse(Date()), spin - first]`,
      { values: { now } },
    )) as number[];
    expect(got[0]).toBe(now);
    for (const time of [got[1], got[2]]) {
      expect(time).toBeGreaterThanOrEqual(now);
      expect(time).toBeLessThan(now + 20_000);
    }
    // Date() has no milliseconds.
    expect(got[3]).toBeGreaterThanOrEqual(now - 1000);
    expect(got[4]).toBeGreaterThanOrEqual(5);
  });

  it('[SB-11] Date otherwise behaves as in the language', async () => {
    const body = `
      class Day extends Date { name() { return this.toISOString().slice(0, 10) } }
      return [new Date(0).toISOString(), Date.UTC(2020, 1), Date.parse('2020-01-01'), new Day(0).name(),
        new Date() instanceof Date, Date.name, Date.length, new Date(2020, 0, 1, 0).getFullYear(),
        Object.getPrototypeOf(new Date()) === Date.prototype, new Date().constructor === Date]`;
    expect(await value(body)).toEqual([
      '1970-01-01T00:00:00.000Z',
      Date.UTC(2020, 1),
      Date.parse('2020-01-01'),
      '1970-01-01',
      true,
      'Date',
      7,
      2020,
      true,
      true,
    ]);
  });

  it('[SB-11] a module that reads the clock or random numbers is evaluated in every phase', async () => {
    const top = 'const readAt = Date.now(); const random = Math.random();';
    const body = 'return [readAt, random, Math.random()]';
    const first = (await value(body, { top, values: { now, seed: 'a' } })) as number[];
    const later = (await value(body, { top, values: { now: now + 1e6, seed: 'b' } })) as number[];
    expect((later[0] as number) - (first[0] as number)).toBeGreaterThan(9e5);
    expect(later[1]).not.toBe(first[1]);
    expect(first[2]).not.toBe(first[1]);
  });
});

describe('Math.random', () => {
  const draw = (seed: string, count = 20) =>
    value(`return Array.from({ length: ${count} }, () => Math.random())`, { values: { seed } });

  it('[SB-11] the same seed gives the same numbers', async () => {
    const [first, again, other] = await Promise.all([draw('one'), draw('one'), draw('two')]);
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('[SB-11] the numbers are evenly distributed and distinct', async () => {
    const numbers = (await draw('many', 20_000)) as number[];
    const tenths = Array.from({ length: 10 }, () => 0);
    for (const number of numbers) tenths[Math.floor(number * 10)]! += 1;
    for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(250);
    expect(new Set(numbers).size).toBe(20_000);
  });
});
