// Backups of a database in use: on request, and daily. A worker thread makes the copy, so the host is
// not blocked.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { z } from 'zod';
import { workerFile } from '#main/platform/worker-file.ts';
import type { Database } from '#main/store/sqlite/database.ts';
import type { SettingsStore } from '#main/store/tables/settings.ts';
import { removeDatabase } from '#main/store/sqlite/remove-database.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { BackupSettings, BackupView } from '#shared/api/upkeep.ts';
import type { Clock } from '#shared/clock.ts';
import {
  BACKUP_AFTER_START_MS,
  BACKUP_EVERY_MS,
  BACKUP_RETRY_MS,
  DAILY_BACKUPS_KEPT,
} from '#shared/limits.ts';

const SETTING = 'backups';
const NAME = /^holdfast-(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z)-v\d+\.db$/;

const settingSchema = z.object({ isDaily: z.boolean(), keep: z.int().min(1) });

export interface BackupOptions {
  readonly db: Database;
  readonly settings: SettingsStore;
  readonly clock: Clock;
  readonly log: Logger;
  readonly dataDir: string;
}

export class Backups {
  readonly #options: BackupOptions;
  readonly folder: string;
  #cancelTimer: () => void = () => undefined;
  #isClosed = false;
  #worker: Worker | undefined;
  /** Backups are made one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: BackupOptions) {
    this.#options = options;
    this.folder = join(options.dataDir, 'backups');
  }

  /** Starts the daily schedule. */
  start(): void {
    this.#removeUnfinished();
    this.#schedule(BACKUP_AFTER_START_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#worker?.terminate();
    await this.#last;
  }

  get settings(): BackupSettings {
    const stored = settingSchema.safeParse(this.#options.settings.get(SETTING));
    return stored.data ?? { isDaily: true, keep: DAILY_BACKUPS_KEPT };
  }

  choose(settings: Partial<BackupSettings>): void {
    this.#options.settings.set(SETTING, { ...this.settings, ...settings });
    this.#removeOld();
  }

  /** Backups in the data folder, newest first. */
  list(): BackupView[] {
    return this.#names()
      .map((name) => {
        const file = join(this.folder, name);
        return { file, madeAt: stampToTime(name), bytes: statSync(file).size };
      })
      .toReversed();
  }

  /** Saves to the data folder, or to the folder `to`, where it is never deleted automatically. */
  make(to?: string): Promise<BackupView> {
    const backup = this.#last.then(() => this.#make(to));
    this.#last = backup.catch(() => undefined);
    return backup;
  }

  async #make(to: string | undefined): Promise<BackupView> {
    const { db, clock } = this.#options;
    const folder = to ?? this.folder;
    if (!isAbsolute(folder)) throw notAbsolute(folder);
    const madeAt = clock.now();
    const file = join(folder, nameOf(madeAt, Number(db.pragma('user_version'))));
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await this.#copy({ source: db.path, target: file, madeAt });
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new ApiError(
        {
          type: 'conflict',
          message: `Could not back up to ${folder}: ${why}. Earlier backups are unchanged. Check free space and permissions of the folder, then try again.`,
        },
        { cause },
      );
    }
    if (to === undefined) this.#removeOld();
    return { file, madeAt, bytes: statSync(file).size };
  }

  #copy(workerData: { source: string; target: string; madeAt: number }): Promise<void> {
    const file = workerFile(import.meta.url, './backup-worker.ts', 'upkeep-worker.js');
    return new Promise((done, fail) => {
      if (this.#isClosed) return fail(new Error('Holdfast is closing'));
      const worker = new Worker(file, { workerData });
      this.#worker = worker;
      worker.once('error', fail);
      worker.once('exit', (code) => {
        this.#worker = undefined;
        if (code === 0) done();
        else fail(new Error('the backup was interrupted'));
      });
    });
  }

  #schedule(soonest: number): void {
    if (this.#isClosed) return;
    const { clock, log } = this.#options;
    const newest = this.list()[0]?.madeAt ?? 0;
    const now = clock.now();
    // If the clock was set back, the newest backup is in the future; the next is due in a day.
    const due = Math.min(newest + BACKUP_EVERY_MS, now + BACKUP_EVERY_MS);
    this.#cancelTimer = clock.wakeAt(Math.max(due, now + soonest), () => {
      if (!this.settings.isDaily) return this.#schedule(BACKUP_EVERY_MS);
      this.make().then(
        () => this.#schedule(0),
        (error: unknown) => {
          if (!this.#isClosed) log.error({ err: error }, 'daily backup failed');
          this.#schedule(BACKUP_RETRY_MS);
        },
      );
    });
  }

  #removeOld(): void {
    for (const name of this.#names().slice(0, -this.settings.keep)) {
      rmSync(join(this.folder, name), { force: true });
    }
  }

  #removeUnfinished(): void {
    for (const name of this.#files().filter((file) => file.endsWith('.partial'))) {
      removeDatabase(join(this.folder, name));
    }
  }

  /** Oldest first. Backups made before migrations have other names and are not counted. */
  #names(): string[] {
    return this.#files()
      .filter((name) => NAME.test(name))
      .toSorted();
  }

  #files(): string[] {
    try {
      return readdirSync(this.folder);
    } catch {
      return [];
    }
  }
}

function notAbsolute(folder: string): ApiError {
  return new ApiError({
    type: 'invalid_input',
    message: `"${folder}" is not an absolute path. No backup was made. Use an absolute path.`,
  });
}

function nameOf(madeAt: number, version: number): string {
  return `holdfast-${new Date(madeAt).toISOString().replaceAll(/[:.]/g, '-')}-v${version}.db`;
}

function stampToTime(name: string): number {
  const stamp = NAME.exec(name)?.[1] ?? '';
  return Date.parse(stamp.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/, 'T$1:$2:$3.$4Z'));
}
