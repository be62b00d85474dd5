// When negative answers prove that an effect did not happen.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { afterNegative, afterUnclear, startDoubt, type AwakeMoment } from '#shared/doubt.ts';
import { NEGATIVES_APART_MS } from '#shared/limits.ts';

const WINDOW = 60_000;
const at = (ms: number, span = 'one'): AwakeMoment => ({ span, ms });

describe('a negative answer', () => {
  test('[DO-1] is the first of two, and the second counts once the window has passed', () => {
    const first = afterNegative(startDoubt(at(0)), at(0), at(1), WINDOW);
    expect(first).toEqual({
      type: 'not_yet',
      doubt: { span: 'one', since: 0, negativeAt: 0 },
      waitMs: WINDOW,
    });
    if (first.type !== 'not_yet') throw new Error();
    expect(afterNegative(first.doubt, at(WINDOW - 1), at(WINDOW), WINDOW).type).toBe('not_yet');
    expect(afterNegative(first.doubt, at(WINDOW), at(WINDOW), WINDOW).type).toBe('did_not_happen');
  });

  test('[DO-1] counts from the start of the check, not from the answer', () => {
    const doubt = { span: 'one', since: 0, negativeAt: 0 };
    expect(afterNegative(doubt, at(WINDOW - 1), at(WINDOW * 9), WINDOW).type).toBe('not_yet');
  });

  test('[DO-1] right after another one proves nothing', () => {
    const doubt = { span: 'one', since: 0, negativeAt: WINDOW };
    const asked = at(WINDOW + NEGATIVES_APART_MS - 1);
    expect(afterNegative(doubt, asked, asked, WINDOW)).toMatchObject({ waitMs: 1 });
  });

  test('[DO-2] starts the window again if time of unknown length passed before or during it', () => {
    const doubt = { span: 'one', since: 0, negativeAt: 0 };
    expect(afterNegative(doubt, at(WINDOW * 9, 'two'), at(WINDOW * 9, 'two'), WINDOW)).toEqual({
      type: 'not_yet',
      doubt: { span: 'two', since: WINDOW * 9, negativeAt: WINDOW * 9 },
      waitMs: WINDOW,
    });
    expect(afterNegative(doubt, at(WINDOW), at(3, 'two'), WINDOW)).toEqual({
      type: 'not_yet',
      doubt: { span: 'two', since: 3 },
      waitMs: WINDOW,
    });
  });
});

test('[DO-1] an unclear answer discards earlier negatives, and keeps the window', () => {
  const doubt = { span: 'one', since: 5, negativeAt: 7 };
  expect(afterUnclear(doubt, at(9))).toEqual({ span: 'one', since: 5 });
  expect(afterUnclear(doubt, at(9, 'two'))).toEqual({ span: 'two', since: 9 });
});

test('[DO-1] [DO-2] "did not happen" always follows two negatives in a row, apart and of one span, the second after the window', () => {
  const step = fc.record({
    passMs: fc.integer({ min: 0, max: 40_000 }),
    sleeps: fc.boolean(),
    isNegative: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let now = at(0, 'span 0');
      let since = now;
      let negatives: AwakeMoment[] = [];
      let doubt = startDoubt(now);
      for (const [n, { passMs, sleeps, isNegative }] of steps.entries()) {
        now = sleeps ? at(0, `span ${n + 1}`) : at(now.ms + passMs, now.span);
        if (sleeps) [since, negatives] = [now, []];
        if (!isNegative) {
          negatives = [];
          doubt = afterUnclear(doubt, now);
          continue;
        }
        const means = afterNegative(doubt, now, now, WINDOW);
        negatives.push(now);
        const [first] = negatives;
        const isProof =
          now.ms - since.ms >= WINDOW && now.ms - (first?.ms ?? 0) >= NEGATIVES_APART_MS;
        expect(means.type).toBe(isProof ? 'did_not_happen' : 'not_yet');
        if (means.type === 'did_not_happen') return;
        doubt = means.doubt;
      }
    }),
  );
});
