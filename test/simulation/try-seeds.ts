// Seeds as tests. `npm run simulate -- --seed N` repeats one and shrinks it if it fails.
import { expect, it } from 'vitest';
import { planOf } from '#test/simulation/plan.ts';
import { simulate } from '#test/simulation/simulate.ts';

const SEEDS_PER_TEST = 10;
const TIMEOUT_MS = 240_000;

export function trySeeds(from: number, count: number): void {
  for (let first = from; first < from + count; first += SEEDS_PER_TEST) {
    it(
      `seeds ${first} to ${first + SEEDS_PER_TEST - 1}`,
      async () => {
        for (let seed = first; seed < first + SEEDS_PER_TEST; seed += 1) {
          const { problems } = await simulate(planOf(seed));
          expect({ seed, problems }).toEqual({ seed, problems: [] });
        }
      },
      TIMEOUT_MS,
    );
  }
}
