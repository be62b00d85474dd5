// The simulator itself: the same seed is the same story, and a failing one is made short.
import { describe, expect, it } from 'vitest';
import { planOf, type Plan } from '#test/simulation/plan.ts';
import { shrink } from '#test/simulation/shrink.ts';
import { simulate } from '#test/simulation/simulate.ts';

describe('the simulator', () => {
  it('[SI-3] tells the same story for the same seed', async () => {
    const [first, second] = [await simulate(planOf(7)), await simulate(planOf(7))];
    expect(second).toEqual(first);
    expect(first.totals.frames).toBeGreaterThan(10);
  }, 120_000);

  it('[SI-3] makes a failing plan as short as it can be', async () => {
    const plan = planOf(1);
    const fails = async ({ steps }: Plan): Promise<boolean> =>
      steps.some(({ type }) => type === 'crash') && steps.some(({ type }) => type === 'publish');
    const short = await shrink({ ...plan, steps: [...plan.steps, ...planOf(2).steps] }, fails);
    expect(short.steps.map(({ type }) => type).toSorted()).toEqual(['crash', 'publish']);
  });
});
