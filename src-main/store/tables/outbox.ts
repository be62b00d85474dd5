// Outbox of the input stages on this device: written in the transaction that causes the work,
// processed at least once, in order for each run. A row that failed too often is a dead letter and
// is shown; later rows of its run wait for it.
import { decodeCursor, encodeCursor, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import { Store } from '#main/store/store-context.ts';
import { longestDelay } from '#shared/backoff.ts';
import type { OutboxKind, OutboxStatus } from '#shared/inputs/kinds.ts';
import { OUTBOX_BASE_MS, OUTBOX_MAX_ATTEMPTS, OUTBOX_MAX_MS } from '#shared/limits.ts';

export interface OutboxRow {
  readonly id: number;
  readonly runId: string;
  readonly kind: OutboxKind;
  readonly status: OutboxStatus;
  readonly attempts: number;
  readonly availableAt: number;
  readonly lastError: string | null;
  readonly createdAt: number;
}

const COLUMNS = `id, run_id AS runId, kind, status, attempts, available_at AS availableAt,
  last_error AS lastError, created_at AS createdAt`;

const LONGEST_RETRY_MS = longestDelay({ baseMs: OUTBOX_BASE_MS, maxMs: OUTBOX_MAX_MS });

/** Matches an earlier row of the same run that is not dispatched. */
const BEHIND = `EXISTS (SELECT 1 FROM outbox AS earlier INDEXED BY idx_outbox_open
  WHERE earlier.run_id = outbox.run_id AND earlier.id < outbox.id AND earlier.status <> 'dispatched')`;

export class OutboxStore extends Store {
  /**
   * One row per run and kind. Adding a dispatched row again makes it pending; stages are idempotent.
   * `since` orders the queue: later stages inherit it from their run, so the oldest input finishes
   * before younger ones start. Call inside the write that causes the work.
   */
  add(runId: string, kind: OutboxKind, since = this.context.clock.now()): void {
    const { db, clock, spaceId } = this.context;
    const now = clock.now();
    const added = db.writeOne(() =>
      db.run(
        `INSERT INTO outbox (organization_id, run_id, kind, payload, available_at, created_at)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (run_id, kind) DO UPDATE
         SET status = 'pending', attempts = 0, available_at = excluded.available_at
         WHERE outbox.status = 'dispatched'`,
        spaceId,
        runId,
        kind,
        JSON.stringify({ run_id: runId }),
        Math.min(since, now),
        now,
      ),
    );
    if (added === 1) db.changes.record('outbox', runId);
  }

  get(id: number): OutboxRow | undefined {
    return this.db.get<OutboxRow>(`SELECT ${COLUMNS} FROM outbox WHERE id = ?`, id);
  }

  /**
   * Rows that are due, oldest first, at most one per run. A time further ahead than any retry comes
   * from a clock that was set back since.
   */
  due(limit: number): OutboxRow[] {
    const now = this.context.clock.now();
    return this.db.all<OutboxRow>(
      `SELECT ${COLUMNS} FROM outbox INDEXED BY idx_outbox_due
       WHERE status = 'pending' AND NOT ${BEHIND}
         AND (attempts = 0 OR available_at NOT BETWEEN ? + 1 AND ? + ${LONGEST_RETRY_MS})
       ORDER BY available_at, id LIMIT +?`,
      now,
      now,
      limit,
    );
  }

  /** When the next delayed row is due; null when there is none. */
  nextAt(): number | null {
    return (
      this.db.value<number>(
        `SELECT available_at FROM outbox INDEXED BY idx_outbox_due
         WHERE status = 'pending' AND NOT ${BEHIND} ORDER BY available_at, id LIMIT 1`,
      ) ?? null
    );
  }

  /** Call inside the write that completes its stage. */
  done(runId: string, kind: OutboxKind): void {
    const changed = this.db.writeOne(() =>
      this.db.run(
        `UPDATE outbox SET status = 'dispatched', attempts = attempts + 1
         WHERE run_id = ? AND kind = ? AND status <> 'dispatched'`,
        runId,
        kind,
      ),
    );
    if (changed === 1) this.db.changes.record('outbox', runId);
  }

  /** Records a failed attempt. The row is dead after the last one. */
  failed(id: number, error: string, availableAt: number): OutboxStatus {
    return this.db.writeOne(() => {
      const row = this.get(id);
      if (row?.status !== 'pending') return row?.status ?? 'dispatched';
      const status = row.attempts + 1 >= OUTBOX_MAX_ATTEMPTS ? 'dead' : 'pending';
      this.db.run(
        `UPDATE outbox SET status = ?, attempts = attempts + 1, last_error = ?, available_at = ?
         WHERE id = ? AND status = 'pending'`,
        status,
        error,
        availableAt,
        id,
      );
      this.db.changes.record('outbox', row.runId);
      return status;
    });
  }

  /** A person replays a dead row from its first attempt. False when it isn't dead. */
  replay(id: number): boolean {
    const { db, clock } = this.context;
    return db.writeOne(() => {
      const row = this.get(id);
      if (row?.status !== 'dead') return false;
      db.run(
        `UPDATE outbox SET status = 'pending', attempts = 0, available_at = ? WHERE id = ?`,
        clock.now(),
        id,
      );
      db.changes.record('outbox', row.runId);
      return true;
    });
  }

  /** Drops the work of a run that has ended or belongs to another device. */
  drop(runId: string): void {
    this.db.writeOne(() =>
      this.db.run(
        `UPDATE outbox SET status = 'dispatched'
         WHERE run_id = ? AND status <> 'dispatched' AND kind <> 'write_completion'`,
        runId,
      ),
    );
  }

  /** Newest first. */
  list(page: Page & { readonly status: OutboxStatus }): { rows: OutboxRow[]; next: string | null } {
    const [createdAt, id] =
      page.after === undefined ? [Number.MAX_SAFE_INTEGER, '0'] : decodeCursor(page.after);
    const rows = this.db.all<OutboxRow>(
      `SELECT ${COLUMNS} FROM outbox WHERE status = ? AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      page.status,
      createdAt,
      Number(id),
      page.limit,
    );
    const places = rows.map((row) => ({ createdAt: row.createdAt, id: String(row.id) }));
    return { rows, next: encodeCursor(places, page.limit) };
  }

  /** Number of pending rows. */
  depth(): number {
    return this.db.value<number>(`SELECT count(*) FROM outbox WHERE status = 'pending'`) ?? 0;
  }

  /** Age of the oldest pending row in ms. */
  oldestAge(now: number): number {
    const at = this.db.value<number | null>(
      `SELECT min(created_at) FROM outbox WHERE status = 'pending'`,
    );
    return typeof at === 'number' ? Math.max(0, now - at) : 0;
  }
}
