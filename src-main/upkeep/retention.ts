// Archives history that is older than the person's setting, in small batches: rows move to
// `archived_rows`, from there to files, and free pages go back to the system. Each device archives the
// workflows it runs; peers sync the deletions. Also removes unreferenced artifacts, expired webhook
// proofs and old raw payloads.
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { z } from 'zod';
import { FIRST_INPUT, type InputPosition } from '#main/store/queries/archivable-inputs.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { isStorageProblem } from '#main/store/sqlite/sqlite-errors.ts';
import type { Stores } from '#main/store/stores.ts';
import type { Group } from '#main/store/queries/archivable-history.ts';
import { ArchiveFiles } from '#main/upkeep/archive-file.ts';
import type { RetentionPreview, RetentionView } from '#shared/api/upkeep.ts';
import {
  ARTIFACT_GRACE_MS,
  MAX_RETENTION_DAYS,
  RETENTION_AFTER_START_MS,
  RETENTION_BATCH,
  RETENTION_EVERY_MS,
  RETENTION_PAGES,
  RETENTION_PREVIEW_MAX,
} from '#shared/limits.ts';
import { cutoffOf } from '#shared/retention.ts';

const SETTING = 'retention';
const settingSchema = z.object({ days: z.int().min(1).max(MAX_RETENTION_DAYS).nullable() });

/** When each paired device was last in sync. */
export interface PeerTimes {
  (): readonly { readonly name: string; readonly syncedAt: number }[];
}

/** Removes artifacts that are not in `referenced` and were written before `olderThan`. */
export interface SweepArtifacts {
  (
    referenced: ReadonlySet<string>,
    olderThan: number,
  ): Promise<{ readonly removed: number; readonly bytes: number }>;
}

export interface RetentionOptions {
  readonly store: StoreContext;
  readonly stores: Stores;
  readonly log: Logger;
  readonly dataDir: string;
  readonly peers: PeerTimes;
  readonly sweepArtifacts: SweepArtifacts;
}

export class Retention {
  readonly #options: RetentionOptions;
  readonly #archiveFiles: ArchiveFiles;
  #cancelTimer: () => void = () => undefined;
  #isClosed = false;
  #running: Promise<number> | undefined;
  /** Set when automation runs were archived, and at each start for leftovers of a crash. */
  #isSweepDue = true;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#archiveFiles = new ArchiveFiles(join(options.dataDir, 'archive'));
  }

  get days(): number | null {
    return settingSchema.safeParse(this.#options.stores.settings.get(SETTING)).data?.days ?? null;
  }

  choose(days: number | null): void {
    this.#options.stores.settings.set(SETTING, { days });
  }

  view(): RetentionView {
    const { days } = this;
    return {
      days,
      cutoff: days === null ? null : this.#cutoff(days),
      waitsFor: days === null ? null : this.#waitsFor(days),
    };
  }

  /** Counts what would be archived with this setting, up to a limit. */
  async preview(days: number): Promise<RetentionPreview> {
    const { stores } = this.#options;
    const cutoff = this.#cutoff(days);
    const runs = new Set<string>();
    const events = new Set<string>();
    const ids = this.#workflowIds();
    const ours = ids.filter((id) => stores.ownership.epoch(id) !== null);
    for await (const group of this.#archivableGroups(ours, cutoff)) {
      for (const id of group.runIds) runs.add(id);
      for (const id of group.eventIds) events.add(id);
      if (runs.size + events.size >= RETENTION_PREVIEW_MAX) break;
    }
    return {
      cutoff,
      waitsFor: this.#waitsFor(days),
      runs: runs.size,
      events: events.size,
      isMore: runs.size + events.size >= RETENTION_PREVIEW_MAX,
      elsewhere: ids.length - ours.length,
    };
  }

  async *#archivableGroups(workflowIds: readonly string[], cutoff: number): AsyncGenerator<Group> {
    const { archivableHistory } = this.#options.stores;
    for (const id of workflowIds) {
      for (let after: string | null = ''; after !== null && !this.#isClosed;) {
        const step = archivableHistory.oldRuns(id, cutoff, after, RETENTION_BATCH);
        yield* step.groups;
        after = step.after;
        await setImmediate();
      }
      let events = 0;
      for (const group of archivableHistory.oldEvents(id, cutoff, RETENTION_PREVIEW_MAX)) {
        yield group;
        events += 1;
        if (events % RETENTION_BATCH === 0) await setImmediate();
      }
    }
  }

  /** The device whose last sync holds the archiving back, if any. */
  #waitsFor(days: number): string | null {
    const { store, peers } = this.#options;
    const slowest = peers().toSorted((one, other) => one.syncedAt - other.syncedAt)[0];
    const isHeldBack = slowest && slowest.syncedAt < cutoffOf(store.clock.now(), days, []);
    return isHeldBack ? slowest.name : null;
  }

  start(): void {
    this.#schedule(RETENTION_AFTER_START_MS);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTimer();
    await this.#running;
  }

  /** Archives everything that is old enough. Returns the number of rows. */
  pass(): Promise<number> {
    this.#running ??= this.#pass().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #pass(): Promise<number> {
    const { stores } = this.#options;
    const { days } = this;
    let rows = 0;
    if (days !== null) {
      const cutoff = this.#cutoff(days);
      for (const id of this.#workflowIds()) {
        if (stores.ownership.epoch(id) !== null) rows += await this.#archiveApart(id, cutoff);
      }
    }
    // Rows that peers archived are in `archived_rows` too.
    await this.#writeFiles();
    stores.hooks.forgetProofs();
    while (!this.#isClosed && stores.rawPayloads.deleteOld(RETENTION_BATCH) > 0) {
      await setImmediate();
    }
    if (this.#isSweepDue && !this.#isClosed) await this.#sweepArtifacts();
    while (!this.#isClosed && stores.archivableHistory.shrink(RETENTION_PAGES))
      await setImmediate();
    return rows;
  }

  /** History that can't be archived stays, and that of other workflows is archived. */
  async #archiveApart(workflowId: string, cutoff: number): Promise<number> {
    try {
      return await this.#archive(workflowId, cutoff);
    } catch (error) {
      if (isStorageProblem(error)) throw error;
      this.#options.log.error({ err: error, workflowId }, 'could not archive a workflow');
      return 0;
    }
  }

  async #archive(workflowId: string, cutoff: number): Promise<number> {
    const { archivableHistory } = this.#options.stores;
    let rows = 0;
    const runs = { after: '' as string | null };
    while (!this.#isClosed && runs.after !== null) {
      const step = archivableHistory.archiveRuns(workflowId, cutoff, runs.after, RETENTION_BATCH);
      rows += step.rows;
      runs.after = step.after;
      if (step.rows > 0) await this.#writeFiles();
      await setImmediate();
    }
    const untilNone = async (more: () => number): Promise<void> => {
      for (let left = 1; left > 0 && !this.#isClosed; rows += left) {
        left = more();
        await this.#writeFiles();
      }
    };
    await untilNone(() => archivableHistory.archiveEvents(workflowId, cutoff, RETENTION_BATCH));
    // After their events: an input is archivable only without events.
    rows += await this.#archiveInputs(workflowId, cutoff);
    await untilNone(() => archivableHistory.archiveSessions(workflowId, cutoff, RETENTION_BATCH));
    return rows;
  }

  async #archiveInputs(workflowId: string, cutoff: number): Promise<number> {
    const { archivableInputs } = this.#options.stores;
    let rows = 0;
    let after: InputPosition | null = FIRST_INPUT;
    while (!this.#isClosed && after !== null) {
      const step = archivableInputs.archive(workflowId, cutoff, after, RETENTION_BATCH);
      rows += step.rows;
      after = step.after;
      if (step.rows > 0) await this.#writeFiles();
      await setImmediate();
    }
    return rows;
  }

  /** Reads the artifact references of all remaining runs, so it runs only when it is due. */
  async #sweepArtifacts(): Promise<void> {
    const { store, stores, log, sweepArtifacts } = this.#options;
    // Reset first: runs archived during the sweep make the next one due.
    this.#isSweepDue = false;
    const olderThan = store.clock.now() - ARTIFACT_GRACE_MS;
    const referenced = new Set<string>();
    for (const refs of stores.archivableInputs.artifactRefs(RETENTION_BATCH * 10)) {
      for (const ref of refs) referenced.add(ref);
      await setImmediate();
    }
    const swept = await sweepArtifacts(referenced, olderThan);
    if (swept.removed > 0) log.info(swept, 'removed unreferenced artifacts');
  }

  /** Rows are deleted from the database only after the file is fsynced. */
  async #writeFiles(): Promise<void> {
    const { store, stores } = this.#options;
    for (;;) {
      const rows = stores.archivableHistory.archived(RETENTION_BATCH * 10);
      const last = rows.at(-1);
      if (!last) return;
      this.#archiveFiles.append(rows, store.clock.now());
      this.#isSweepDue ||= rows.some(({ kind }) => kind === 'automation_runs');
      stores.archivableHistory.forgetArchived(last.seq);
      await setImmediate();
    }
  }

  /** Without the held ones: what is finished in them isn't known. */
  #workflowIds(): string[] {
    const { store, stores } = this.#options;
    const ids = store.db.values<string>('SELECT id FROM workflows ORDER BY id');
    return ids.filter((id) => !stores.refusedRows.holds(id));
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
    this.#cancelTimer = store.clock.wakeAt(store.clock.now() + after, () => {
      this.pass()
        .then((rows) => rows > 0 && log.info({ rows }, 'archived old history'))
        .catch((error: unknown) => log.error({ err: error }, 'could not archive old history'))
        .finally(() => this.#schedule(RETENTION_EVERY_MS));
    });
  }
}
