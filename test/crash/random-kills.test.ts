import { describe, expect, it, onTestFinished } from 'vitest';
import { startOutside } from '#test/crash/matrix/matrix-processes.ts';
import { killAtRandom } from '#test/crash/matrix/random-kills.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

describe('a host killed five times at random', () => {
  it('[CM-2] makes each of 120 effects exactly once, and ends every run without a decision by a person', async () => {
    const outside = await startOutside();
    onTestFinished(() => outside.close());
    const result = await killAtRandom({ runs: 120, kills: 5 }, outside, tempFolder());
    expect(result).toEqual({
      kills: { asked: 5, made: 5 },
      runs: { asked: 120, effects: 120 },
      totals: { cells: 120, duplicates: 0, lost: 0, stuck: 0, unsound: 0 },
      problems: [],
    });
  }, 120_000);
});
