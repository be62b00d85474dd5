// Payloads of inputs as they were received, sealed. Local to this device: never synced or exported.
// Each stays for the days that the person chose, at most as long as its input.
import { z } from 'zod';
import { Store } from '#main/store/store-context.ts';
import { MAX_RETENTION_DAYS, RAW_PAYLOAD_DAYS } from '#shared/limits.ts';

export interface SealedPayload {
  /** Size of the payload before it was sealed. */
  readonly bytes: number;
  readonly keyId: string;
  readonly sealed: Uint8Array;
}

const SETTING = 'raw_payloads';
const settingSchema = z.object({ days: z.int().min(0).max(MAX_RETENTION_DAYS) });
const DAY_MS = 24 * 60 * 60 * 1000;

export class RawPayloadStore extends Store {
  /** 0: none are stored. */
  get days(): number {
    const text = this.db.value<string>('SELECT value FROM settings WHERE key = ?', SETTING);
    const stored = settingSchema.safeParse(text === undefined ? undefined : JSON.parse(text));
    return stored.data?.days ?? RAW_PAYLOAD_DAYS;
  }

  /** Call inside the write that inserts the input. */
  insert(inputId: string, { bytes, keyId, sealed }: SealedPayload): void {
    this.db.run(
      `INSERT INTO raw_payloads (input_id, received_at, bytes, key_id, sealed)
       VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      inputId,
      this.context.clock.now(),
      bytes,
      keyId,
      sealed,
    );
  }

  get(inputId: string): SealedPayload | undefined {
    return this.db.get(
      `SELECT bytes, key_id AS keyId, sealed FROM raw_payloads WHERE input_id = ?`,
      inputId,
    );
  }

  has(inputId: string): boolean {
    return this.db.value('SELECT 1 FROM raw_payloads WHERE input_id = ?', inputId) !== undefined;
  }

  total(): { readonly stored: number; readonly bytes: number } {
    return this.db.get(
      'SELECT count(*) AS stored, coalesce(sum(bytes), 0) AS bytes FROM raw_payloads',
    ) as { stored: number; bytes: number };
  }

  /** Deletes up to `limit` that are older than the setting allows. Returns how many. */
  deleteOld(limit: number): number {
    const { db, clock } = this.context;
    const { days } = this;
    const before = days === 0 ? Number.MAX_SAFE_INTEGER : clock.now() - days * DAY_MS;
    return db.write(() =>
      db.run(
        `DELETE FROM raw_payloads WHERE input_id IN (
           SELECT input_id FROM raw_payloads WHERE received_at < ? ORDER BY received_at LIMIT ?)`,
        before,
        limit,
      ),
    );
  }
}
