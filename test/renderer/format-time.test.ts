// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import { duration, relativeTime } from '#renderer/format/format-time.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('formatted times', () => {
  test.each([
    [0, '0ms'],
    [820, '820ms'],
    [3_240, '3.2s'],
    [42 * SECOND, '42s'],
    [MINUTE, '1m'],
    [4 * MINUTE + 5 * SECOND, '4m 5s'],
    [2 * HOUR + 10 * MINUTE, '2h 10m'],
    [3 * DAY + 4 * HOUR, '3d 4h'],
    [-5, '0ms'],
  ])('a duration of %i ms is %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });

  test.each([
    [0, 'just now'],
    [59 * SECOND, 'just now'],
    [MINUTE, '1 min. ago'],
    [3 * HOUR, '3 hr. ago'],
    [2 * DAY, '2 days ago'],
    [60 * DAY, '2 mo. ago'],
    [800 * DAY, '2 yr. ago'],
  ])('%i ms ago is %s', (passed, words) => {
    expect(relativeTime(1_000 * DAY - passed, 1_000 * DAY)).toBe(words);
  });
});
