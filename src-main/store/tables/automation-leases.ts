// Leases on automation runs (spec 004). The version is a fencing token: it increases with every
// claim, and a stage with an old token can't write.
import { Store } from '#main/store/store-context.ts';
import { LEASE_MS } from '#shared/limits.ts';

export interface Lease {
  readonly runId: string;
  readonly owner: string;
  readonly version: number;
}

export class AutomationLeaseStore extends Store {
  /** Null when another stage holds the lease. */
  claim(runId: string, owner: string): Lease | null {
    const { db, clock } = this.context;
    const now = clock.now();
    const version = db.writeOne(() =>
      db.value<number>(
        `INSERT INTO automation_leases (run_id, lease_owner, lease_expires_at, lease_version)
         VALUES (?, ?, ?, 1)
         ON CONFLICT (run_id) DO UPDATE SET lease_owner = excluded.lease_owner,
           lease_expires_at = excluded.lease_expires_at, lease_version = lease_version + 1
         WHERE automation_leases.lease_expires_at <= ?
         RETURNING lease_version`,
        runId,
        owner,
        now + LEASE_MS,
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

  /** Deletes the lease of a finished run. */
  forget(runId: string): void {
    this.db.writeOne(() => this.db.run('DELETE FROM automation_leases WHERE run_id = ?', runId));
  }
}
