// Requests by their Idempotency-Key: begun before anything is done, answered afterwards, once.
import type { StoreContext } from '#main/store/store-context.ts';

export interface KeptRequest {
  readonly call: string;
  readonly bodyHash: string;
  /** Null: it was begun, and no answer was kept. */
  readonly answer: Uint8Array | null;
}

export class IdempotencyKeyStore {
  readonly #context: Pick<StoreContext, 'db' | 'clock'>;

  constructor(context: Pick<StoreContext, 'db' | 'clock'>) {
    this.#context = context;
  }

  get(key: string): KeptRequest | undefined {
    const row = this.#context.db.get<{ call: string; body_hash: string; answer: Buffer | null }>(
      'SELECT call, body_hash, answer FROM idempotency_keys WHERE key = ?',
      key,
    );
    return row && { call: row.call, bodyHash: row.body_hash, answer: row.answer };
  }

  /** On disk when it resolves: only then may anything be done for it. */
  async begin(key: string, call: string, bodyHash: string): Promise<void> {
    const { db, clock } = this.#context;
    const { onDisk } = db.writeThenSync(() =>
      db.run(
        `INSERT INTO idempotency_keys (key, call, body_hash, status, begun_at)
         VALUES (?, ?, ?, 'begun', ?)`,
        key,
        call,
        bodyHash,
        clock.now(),
      ),
    );
    await onDisk;
  }

  answer(key: string, answer: Uint8Array): void {
    const { db, clock } = this.#context;
    const changed = db.write(() =>
      db.run(
        `UPDATE idempotency_keys SET status = 'answered', answer = ?, answered_at = ?
         WHERE key = ? AND status = 'begun'`,
        answer,
        clock.now(),
        key,
      ),
    );
    if (changed !== 1) throw new Error('A request was answered that nobody had begun.');
  }

  /** Nothing was done for it: it may be asked again. */
  release(key: string): void {
    const { db } = this.#context;
    db.write(() => db.run(`DELETE FROM idempotency_keys WHERE key = ? AND status = 'begun'`, key));
  }

  /** Forgets a bounded number of those begun before; answers how many. */
  forget(status: 'begun' | 'answered', before: number): number {
    const { db } = this.#context;
    return db.write(() =>
      db.run(
        `DELETE FROM idempotency_keys WHERE key IN (
           SELECT key FROM idempotency_keys WHERE status = ? AND begun_at < ? LIMIT 1000)`,
        status,
        before,
      ),
    );
  }
}
