// Lets history that is older than the person's choice leave the database, a little at a time: rows
// into `archived_rows`, from there into files, and the room that they took back to the system. Only
// for workflows that this device runs; the others hear of it like of any change.
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { appendToArchive } from '#main/upkeep/archive-file.ts';
import type { RetentionView } from '#shared/api/upkeep.ts';
import {
  MAX_RETENTION_DAYS,
  RETENTION_AFTER_START_MS,
  RETENTION_BATCH,
  RETENTION_EVERY_MS,
  RETENTION_PAGES,
} from '#shared/limits.ts';
import { cutoffOf } from '#shared/retention.ts';

const SETTING = 'retention';
const settingSchema = z.object({ days: z.int().min(1).max(MAX_RETENTION_DAYS).nullable() });

/** How long each paired device has had everything. */
export interface PeerTimes {
  (): readonly { readonly name: string; readonly syncedAt: number }[];
}

export interface RetentionOptions {
  readonly store: StoreContext;
  readonly stores: Stores;
  readonly log: Logger;
  readonly dataDir: string;
  readonly peers: PeerTimes;
}

export class Retention {
  readonly #options: RetentionOptions;
  #callOff: () => void = () => undefined;
  #isClosed = false;
  #running: Promise<number> | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  get days(): number | null {
    return settingSchema.safeParse(this.#options.stores.settings.get(SETTING)).data?.days ?? null;
  }

  choose(days: number | null): void {
    this.#options.stores.settings.set(SETTING, { days });
  }

  view(): RetentionView {
    const { store, peers } = this.#options;
    const { days } = this;
    const cutoff = days === null ? null : this.#cutoff(days);
    const slowest = peers().toSorted((one, other) => one.syncedAt - other.syncedAt)[0];
    const isHeldBack =
      days !== null &&
      slowest !== undefined &&
      slowest.syncedAt < cutoffOf(store.clock.now(), days, []);
    return { days, cutoff, waitsFor: isHeldBack ? slowest.name : null };
  }

  start(): void {
    this.#schedule(RETENTION_AFTER_START_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#callOff();
    await this.#running;
  }

  /** All that may leave, leaves. The number of rows. */
  pass(): Promise<number> {
    this.#running ??= this.#pass().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #pass(): Promise<number> {
    const { store, stores } = this.#options;
    const { days } = this;
    let rows = 0;
    if (days !== null) {
      const cutoff = this.#cutoff(days);
      const ids = store.db.all<{ id: string }>('SELECT id FROM workflows ORDER BY id');
      for (const { id } of ids) {
        if (stores.ownership.epoch(id) !== null) rows += await this.#archive(id, cutoff);
      }
    }
    // What other devices let go of waits there, too.
    await this.#writeFiles();
    while (!this.#isClosed && stores.oldHistory.shrink(RETENTION_PAGES)) await setImmediate();
    return rows;
  }

  async #archive(workflowId: string, cutoff: number): Promise<number> {
    const { oldHistory } = this.#options.stores;
    let rows = 0;
    const runs = { after: '' as string | null };
    while (!this.#isClosed && runs.after !== null) {
      const step = oldHistory.archiveRuns(workflowId, cutoff, runs.after, RETENTION_BATCH);
      rows += step.rows;
      runs.after = step.after;
      if (step.rows > 0) await this.#writeFiles();
      await setImmediate();
    }
    for (const more of [
      () => oldHistory.archiveEvents(workflowId, cutoff, RETENTION_BATCH),
      () => oldHistory.archiveSessions(workflowId, cutoff, RETENTION_BATCH),
    ]) {
      for (let left = 1; left > 0 && !this.#isClosed; rows += left) {
        left = more();
        await this.#writeFiles();
      }
    }
    return rows;
  }

  /** On disk first, forgotten afterwards. */
  async #writeFiles(): Promise<void> {
    const { store, stores, dataDir } = this.#options;
    for (;;) {
      const rows = stores.oldHistory.archived(RETENTION_BATCH * 10);
      const last = rows.at(-1);
      if (!last) return;
      appendToArchive(join(dataDir, 'archive'), rows, store.clock.now());
      stores.oldHistory.forgetArchived(last.seq);
      await setImmediate();
    }
  }

  #cutoff(days: number): number {
    const { store, peers } = this.#options;
    return cutoffOf(
      store.clock.now(),
      days,
      peers().map(({ syncedAt }) => syncedAt),
    );
  }

  #schedule(after: number): void {
    if (this.#isClosed) return;
    const { store, log } = this.#options;
    this.#callOff = store.clock.wakeAt(store.clock.now() + after, () => {
      this.pass()
        .then((rows) => rows > 0 && log.info({ rows }, 'old history was archived'))
        .catch((error: unknown) => log.error({ err: error }, 'old history was not archived'))
        .finally(() => this.#schedule(RETENTION_EVERY_MS));
    });
  }
}
