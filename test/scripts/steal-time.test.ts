import { describe, expect, it } from 'vitest';
import { measureSteal, parseCpuTimes } from '../../bench/steal-time.ts';

describe('steal time', () => {
  it('is parsed apart from busy, idle and I/O wait time', () => {
    const text = 'cpu  100 20 30 5000 600 7 8 90 0 0\ncpu0 50 10 15 2500 300 3 4 45 0 0\nintr 1\n';
    expect(parseCpuTimes(text)).toEqual({ busy: 165, steal: 90 });
    expect(parseCpuTimes('cpu  100 20 30 5000\n')).toEqual({ busy: 150, steal: 0 });
  });

  it('is measured as a percentage from 0 to 100', () => {
    const share = measureSteal()();
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(100);
  });
});
