// The launcher's lock: one row with a version that only grows. Whoever takes it gets the next
// version; what a former holder still tries to write names an older one, and misses.
import type { StoreContext } from '#main/store/store-context.ts';

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

export class RunnerLauncherStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  get(): LauncherLock {
    return this.#context.db.get<LauncherLock>(
      `SELECT version, owner, boot_id AS bootId, pid, pid_started AS pidStarted,
         heartbeat_at AS heartbeatAt FROM runner_launcher`,
    ) as LauncherLock;
  }

  /** The new version; undefined where a holder that `isGone` does not know to be gone has it. */
  acquire(self: LauncherIdentity, isGone: (holder: LauncherLock) => boolean): number | undefined {
    const { db, clock } = this.#context;
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

  /** False: the lock was taken by another. */
  heartbeat(version: number): boolean {
    const { db, clock } = this.#context;
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
    const { db } = this.#context;
    db.write(() => db.run('UPDATE runner_launcher SET owner = NULL WHERE version = ?', version));
  }
}
