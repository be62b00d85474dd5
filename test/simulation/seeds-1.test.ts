// Two files, so that two workers share the seeds.
import { describe } from 'vitest';
import { trySeeds } from '#test/simulation/try-seeds.ts';

describe('[SI-1] [SI-2] [SI-4] [SI-5] [SI-6] [SI-7] [SI-8] [SI-9] [SI-11] simulated devices converge, lose nothing and repeat no effect unasked', () => {
  trySeeds(1, 20);
});
