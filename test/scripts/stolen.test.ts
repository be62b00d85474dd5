import { describe, expect, it } from 'vitest';
import { readSpent, watchStolen } from '../../bench/stolen.ts';

describe('what others took of the machine', () => {
  it('is told apart from what it was busy with, and from what it waited for', () => {
    const text = 'cpu  100 20 30 5000 600 7 8 90 0 0\ncpu0 50 10 15 2500 300 3 4 45 0 0\nintr 1\n';
    expect(readSpent(text)).toEqual({ busy: 165, stolen: 90 });
    expect(readSpent('cpu  100 20 30 5000\n')).toEqual({ busy: 150, stolen: 0 });
  });

  it('is a share of what was wanted', () => {
    const stolen = watchStolen();
    const share = stolen();
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(100);
  });
});
