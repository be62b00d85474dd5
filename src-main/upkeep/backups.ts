// Backups of a database that is in use: on request, and by themselves once a day. The copying is
// done by a thread of its own; whoever works here goes on meanwhile.
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
  #callOff: () => void = () => undefined;
  #isClosed = false;
  #worker: Worker | undefined;
  /** One after the other: two of the same moment would be one too many. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: BackupOptions) {
    this.#options = options;
    this.folder = join(options.dataDir, 'backups');
  }

  /** From now on by itself, when the newest one is a day old. */
  start(): void {
    this.#removeUnfinished();
    this.#schedule(BACKUP_AFTER_START_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#callOff();
    await this.#worker?.terminate();
    await this.#last;
  }

  get settings(): BackupSettings {
    const chosen = settingSchema.safeParse(this.#options.settings.get(SETTING));
    return chosen.data ?? { isDaily: true, keep: DAILY_BACKUPS_KEPT };
  }

  choose(settings: Partial<BackupSettings>): void {
    this.#options.settings.set(SETTING, { ...this.settings, ...settings });
    this.#tidy();
  }

  /** In the data folder, the newest first. */
  list(): BackupView[] {
    return this.#names()
      .map((name) => {
        const file = join(this.folder, name);
        return { file, madeAt: stampToTime(name), bytes: statSync(file).size };
      })
      .toReversed();
  }

  /** Into the data folder, or into another one, where nobody ever removes it. */
  make(to?: string): Promise<BackupView> {
    const made = this.#last.then(() => this.#make(to));
    this.#last = made.catch(() => undefined);
    return made;
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
          message: `No backup was made in ${folder}: ${why}. Earlier ones are untouched. See that there is room and that the folder can be written to, then try again.`,
        },
        { cause },
      );
    }
    if (to === undefined) this.#tidy();
    return { file, madeAt, bytes: statSync(file).size };
  }

  #copy(workerData: { source: string; target: string; madeAt: number }): Promise<void> {
    const file = workerFile(import.meta.url, './worker.ts', 'upkeep-worker.js');
    return new Promise((done, fail) => {
      if (this.#isClosed) return fail(new Error('Holdfast is closing'));
      const worker = new Worker(file, { workerData });
      this.#worker = worker;
      worker.once('error', fail);
      worker.once('exit', (code) => {
        this.#worker = undefined;
        if (code === 0) done();
        else fail(new Error('it was broken off'));
      });
    });
  }

  #schedule(soonest: number): void {
    if (this.#isClosed) return;
    const { clock, log } = this.#options;
    const newest = this.list()[0]?.madeAt ?? 0;
    const now = clock.now();
    // A clock that was set back must not put the next one off for ever.
    const due = Math.min(newest + BACKUP_EVERY_MS, now + BACKUP_EVERY_MS);
    this.#callOff = clock.wakeAt(Math.max(due, now + soonest), () => {
      if (!this.settings.isDaily) return this.#schedule(BACKUP_EVERY_MS);
      this.make().then(
        () => this.#schedule(0),
        (error: unknown) => {
          if (!this.#isClosed) log.error({ err: error }, 'the daily backup was not made');
          this.#schedule(BACKUP_RETRY_MS);
        },
      );
    });
  }

  #tidy(): void {
    for (const name of this.#names().slice(0, -this.settings.keep)) {
      rmSync(join(this.folder, name), { force: true });
    }
  }

  #removeUnfinished(): void {
    for (const name of this.#files().filter((file) => file.endsWith('.partial'))) {
      removeDatabase(join(this.folder, name));
    }
  }

  /** The oldest first. Those made before migrations have other names, and rules of their own. */
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
    message: `"${folder}" is not a whole path. No backup was made. Name the folder from the root on.`,
  });
}

function nameOf(madeAt: number, version: number): string {
  return `holdfast-${new Date(madeAt).toISOString().replaceAll(/[:.]/g, '-')}-v${version}.db`;
}

function stampToTime(name: string): number {
  const stamp = NAME.exec(name)?.[1] ?? '';
  return Date.parse(stamp.replace(/T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z/, 'T$1:$2:$3.$4Z'));
}
