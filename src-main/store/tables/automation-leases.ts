// Leases on automation runs (spec 004). The version is a fencing token: it increases with every
// claim, and a stage with an old token can't write.
import { Store } from '#main/store/store-context.ts';
import { LEASE_MS } from '#shared/limits.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';

export interface Lease {
  readonly runId: string;
  readonly owner: string;
  readonly version: number;
}

export class AutomationLeaseStore extends Store {
  /**
   * The claim of spec 004: owner, five minutes, version + 1, only for a run in one of these statuses
   * whose lease is free or has expired. Null otherwise.
   */
  claim(runId: string, owner: string, statuses: readonly AutomationRunStatus[]): Lease | null {
    const { db, clock } = this.context;
    const now = clock.now();
    const version = db.writeOne(() =>
      db.value<number>(
        `INSERT INTO automation_leases (run_id, lease_owner, lease_expires_at, lease_version)
         SELECT id, ?, ?, 1 FROM automation_runs
         WHERE id = ? AND status IN (SELECT value FROM json_each(?))
         ON CONFLICT (run_id) DO UPDATE SET lease_owner = excluded.lease_owner,
           lease_expires_at = excluded.lease_expires_at, lease_version = lease_version + 1
         WHERE automation_leases.lease_expires_at <= ?
         RETURNING lease_version`,
        owner,
        now + LEASE_MS,
        runId,
        JSON.stringify(statuses),
        now,
      ),
    );
    return version === undefined ? null : { runId, owner, version };
  }

  /** The fence. Check it inside every write of a stage. */
  holds(lease: Lease): boolean {
    const held = this.db.value(
      `SELECT 1 FROM automation_leases
       WHERE run_id = ? AND lease_owner = ? AND lease_version = ? AND lease_expires_at > ?`,
      lease.runId,
      lease.owner,
      lease.version,
      this.context.clock.now(),
    );
    return held !== undefined;
  }

  /** Releases the lease. The token is never reused. */
  release(lease: Lease): void {
    this.db.writeOne(() =>
      this.db.run(
        `UPDATE automation_leases SET lease_expires_at = 0
         WHERE run_id = ? AND lease_owner = ? AND lease_version = ?`,
        lease.runId,
        lease.owner,
        lease.version,
      ),
    );
  }

  /** At host start: a data folder has one host, so all previous holders are dead. */
  endAll(): void {
    this.db.writeOne(() =>
      this.db.run('UPDATE automation_leases SET lease_expires_at = 0 WHERE lease_expires_at > 0'),
    );
  }
}
