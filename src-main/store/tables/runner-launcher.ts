// The launcher's lock: one row with a version that only increases. Taking the lock assigns the next
// version, so a former holder's writes carry an older one and match no row.
import { Store } from '#main/store/store-context.ts';

export interface LauncherIdentity {
  readonly owner: string;
  readonly bootId: string;
  readonly pid: number;
  readonly pidStarted: string | null;
}

export interface LauncherLock {
  readonly version: number;
  readonly owner: string | null;
  readonly bootId: string | null;
  readonly pid: number | null;
  readonly pidStarted: string | null;
  readonly heartbeatAt: number;
}

export class RunnerLauncherStore extends Store {
  get(): LauncherLock {
    return this.db.get<LauncherLock>(
      `SELECT version, owner, boot_id AS bootId, pid, pid_started AS pidStarted,
         heartbeat_at AS heartbeatAt FROM runner_launcher`,
    ) as LauncherLock;
  }

  /** The new version; undefined while the current holder may be alive (`isGone` is false). */
  acquire(self: LauncherIdentity, isGone: (holder: LauncherLock) => boolean): number | undefined {
    const { db, clock } = this.context;
    return db.write(() => {
      const holder = this.get();
      if (holder.owner !== null && holder.owner !== self.owner && !isGone(holder)) return undefined;
      return db.value<number>(
        `UPDATE runner_launcher SET version = version + 1, owner = ?, boot_id = ?, pid = ?,
           pid_started = ?, heartbeat_at = ?
         WHERE version = ? RETURNING version`,
        self.owner,
        self.bootId,
        self.pid,
        self.pidStarted,
        clock.now(),
        holder.version,
      );
    });
  }

  /** False when another launcher took the lock. */
  heartbeat(version: number): boolean {
    const { db, clock } = this.context;
    return db.write(
      () =>
        db.run(
          'UPDATE runner_launcher SET heartbeat_at = ? WHERE version = ?',
          clock.now(),
          version,
        ) === 1,
    );
  }

  release(version: number): void {
    this.db.write(() =>
      this.db.run('UPDATE runner_launcher SET owner = NULL WHERE version = ?', version),
    );
  }
}
