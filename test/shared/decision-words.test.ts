import { describe, expect, it } from 'vitest';
import { DECISION_WORDS, EFFECT_WORDS, whyNotSettled } from '#shared/decision-words.ts';
import { MUTATION_STATUSES, RESOLUTIONS } from '#shared/machines/mutation.ts';

describe('a decision that is not carried out', () => {
  it.each(['in_flight', 'needs_reconcile'] as const)(
    '[CL-6] while the effect is %s is not told that the outcome is known',
    (status) => {
      for (const first of [undefined, 'user_retry'] as const) {
        const why = whyNotSettled(status, first);
        expect(why).toContain(`isn't known yet`);
        expect(why).toContain('inbox');
      }
    },
  );

  it('[CL-6] names the decision that was first, or the outcome', () => {
    expect(whyNotSettled('applied', 'user_assert_applied')).toBe(
      `Another decision was first: "it went through".`,
    );
    expect(whyNotSettled('failed', undefined)).toBe(
      `Its outcome is known by now: it didn't go through.`,
    );
  });

  it('[CL-5] is explained without names of columns and states', () => {
    const texts = MUTATION_STATUSES.flatMap((status) =>
      [undefined, ...RESOLUTIONS].map((first) => whyNotSettled(status, first)),
    );
    const words = [...texts, ...Object.values(DECISION_WORDS), ...Object.values(EFFECT_WORDS)];
    for (const text of words) expect(text).not.toMatch(/\w_\w|indeterminate|reconcile/);
  });
});
