// The outbox dispatcher: processes rows at least once, oldest first, in order for each run, with a few
// workers. A stage marks its row done in its own transaction, so a crash only repeats the stage.
import { automationRunFields } from '#main/input-lifecycle/input-log.ts';
import { enrich } from '#main/inputs/stages/enrich.ts';
import { execute } from '#main/inputs/stages/execute.ts';
import { StageLost, type StageContext } from '#main/inputs/stages/stage.ts';
import { writeCompletion } from '#main/inputs/stages/write-completion.ts';
import type { OutboxRow } from '#main/store/tables/outbox.ts';
import { backoffDelay, longestDelay } from '#shared/backoff.ts';
import { waitUntil } from '#shared/stored-time.ts';
import type { OutboxKind } from '#shared/inputs/kinds.ts';
import { OUTBOX_BASE_MS, OUTBOX_MAX_MS, OUTBOX_WORKERS } from '#shared/limits.ts';
import type { Stage } from '#shared/machines/automation-run.ts';

export type StageListener = (stage: Stage, ms: number, ok: boolean) => void;

type Work = (context: StageContext, runId: string) => Promise<void>;

const STAGES: { readonly [kind in OutboxKind]: { readonly stage: Stage; readonly work: Work } } = {
  enqueue_enrich: { stage: 'enrich', work: enrich },
  enqueue_execute: { stage: 'execute', work: execute },
  write_completion: { stage: 'finalize', work: writeCompletion },
};

export interface DispatcherOptions {
  readonly context: StageContext;
  readonly random: () => number;
  readonly onStage: StageListener;
  /** While ingress is busy, only one stage runs at a time. */
  readonly isIngressBusy?: (() => boolean) | undefined;
  /** Replaces stages, for tests of failing ones. */
  readonly stages?: { readonly [kind in OutboxKind]?: Work } | undefined;
}

const BACKOFF = { baseMs: OUTBOX_BASE_MS, maxMs: OUTBOX_MAX_MS };

export class OutboxDispatcher {
  readonly #options: DispatcherOptions;
  readonly #running = new Map<number, Promise<void>>();
  readonly #busyRuns = new Set<string>();
  #isRunning = false;
  #isScheduled = false;
  #pausedUntil = 0;
  #cancelTimer: () => void = () => undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#cancelTimer();
    await Promise.all(this.#running.values());
  }

  /** Call when the outbox may have work. Deferred to the next turn: the caller is inside a write. */
  wake(): void {
    if (!this.#isRunning || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      if (this.#isRunning) this.#dispatchDue();
    });
  }

  get isBusy(): boolean {
    return this.#isScheduled || this.#running.size > 0;
  }

  #dispatchDue(): void {
    const { stores, store, log } = this.#options.context;
    this.#cancelTimer();
    const until = waitUntil(this.#pausedUntil, store.clock.now(), longestDelay(BACKOFF));
    if (until !== null) {
      this.#cancelTimer = store.clock.wakeAt(until, () => this.wake());
      return;
    }
    const workers = this.#options.isIngressBusy?.() ? 1 : OUTBOX_WORKERS;
    if (this.#running.size >= workers) return;
    try {
      for (const row of stores.outbox.due(OUTBOX_WORKERS * 2)) {
        if (this.#running.size >= workers) return;
        if (!this.#busyRuns.has(row.runId)) this.#begin(row);
      }
      const next = stores.outbox.nextAt();
      if (next === null || this.#running.size > 0) return;
      this.#cancelTimer = store.clock.wakeAt(next, () => this.wake());
    } catch (error) {
      // The database is busy or full. The rows are on disk and are read again later.
      log.error({ err: error }, 'could not read the outbox');
      const at = store.clock.now() + OUTBOX_BASE_MS;
      this.#cancelTimer = store.clock.wakeAt(at, () => this.wake());
    }
  }

  #begin(row: OutboxRow): void {
    this.#busyRuns.add(row.runId);
    const working = this.#dispatch(row).finally(() => {
      this.#running.delete(row.id);
      this.#busyRuns.delete(row.runId);
      this.wake();
    });
    this.#running.set(row.id, working);
  }

  async #dispatch(row: OutboxRow): Promise<void> {
    const { context, onStage, stages = {} } = this.#options;
    const { stage, work } = STAGES[row.kind];
    const startedAt = performance.now();
    try {
      await (stages[row.kind] ?? work)(context, row.runId);
      onStage(stage, performance.now() - startedAt, true);
    } catch (error) {
      onStage(stage, performance.now() - startedAt, false);
      this.#failed(row, error);
    }
  }

  #failed(row: OutboxRow, error: unknown): void {
    const { context, random } = this.#options;
    const { stores, store, log } = context;
    const availableAt = store.clock.now() + backoffDelay(row.attempts + 1, BACKOFF, random());
    const message = error instanceof Error ? error.message : String(error);
    const ids = automationRunFields(context, row.runId);
    const fields = { ...ids, kind: row.kind, attempts: row.attempts + 1 };
    try {
      const status = store.db.write(() => stores.outbox.failed(row.id, message, availableAt));
      if (status === 'dead')
        log.error({ ...fields, err: error }, 'outbox row is dead: the stage failed too often');
      else if (error instanceof StageLost) log.info(fields, message);
      else log.warn({ ...fields, err: error }, 'stage failed and will be retried');
    } catch (again) {
      // The row is still due, so it would be tried again at once.
      this.#pausedUntil = availableAt;
      log.error({ ...fields, err: again, cause: error }, 'could not record a failed stage');
    }
  }
}
