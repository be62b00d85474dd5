// Polls until a check passes. The timeout is long, because real programs are slow on a busy machine.
import { vi } from 'vitest';

export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 20 });
}
