// Waits for what real programs do in their own time: on a busy machine it may take long.
import { vi } from 'vitest';

export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 20 });
}
