// Requests by Idempotency-Key: recorded before they are carried out, with the stored response.
import { Store } from '#main/store/store-context.ts';

export interface StoredRequest {
  readonly call: string;
  readonly bodyHash: string;
  /** Null when the request was started and no response was stored. */
  readonly answer: Uint8Array | null;
}

export class IdempotencyKeyStore extends Store {
  get(key: string): StoredRequest | undefined {
    return this.db.get(
      'SELECT call, body_hash AS bodyHash, answer FROM idempotency_keys WHERE key = ?',
      key,
    );
  }

  /** Resolves when the key is on disk. Nothing may be done for the request before that. */
  async begin(key: string, call: string, bodyHash: string): Promise<void> {
    const { db, clock } = this.context;
    const { onDisk } = db.writeThenFsync(() =>
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
    const { db, clock } = this.context;
    const changed = db.write(() =>
      db.run(
        `UPDATE idempotency_keys SET status = 'answered', answer = ?, answered_at = ?
         WHERE key = ? AND status = 'begun'`,
        answer,
        clock.now(),
        key,
      ),
    );
    if (changed !== 1) throw new Error('The idempotency key was never recorded.');
  }

  /** Removes a key for which nothing was done, so the request can be repeated. */
  release(key: string): void {
    this.db.write(() =>
      this.db.run(`DELETE FROM idempotency_keys WHERE key = ? AND status = 'begun'`, key),
    );
  }

  /** Deletes a bounded number of keys older than this. Returns how many. */
  forget(status: 'begun' | 'answered', before: number): number {
    return this.db.write(() =>
      this.db.run(
        `DELETE FROM idempotency_keys WHERE key IN (
           SELECT key FROM idempotency_keys WHERE status = ? AND begun_at < ? LIMIT 1000)`,
        status,
        before,
      ),
    );
  }
}
