// In two files, so that two cores share the work.
import { describe } from 'vitest';
import { trySeeds } from '#test/simulation/try-seeds.ts';

describe('[SI-1] [SI-2] several devices, whatever happens to them', () => {
  trySeeds(101, 100);
});
