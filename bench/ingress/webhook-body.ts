// The requests that both sides receive.

export const CONNECTIONS = 64;
export const WEBHOOKS = 800;
export const SECRET = 'bench-secret-bench-secret';

/** About the size of an order of a small shop. */
export function bodyOf(n: number): string {
  return JSON.stringify({
    n,
    type: 'order.created',
    customer: { name: 'Ada Example', city: 'London', country: 'GB' },
    lines: [1, 2, 3].map((line) => ({
      line,
      sku: `SKU-${line}`,
      amount: 10 * line,
      note: 'as agreed',
    })),
    total: 60,
  });
}
