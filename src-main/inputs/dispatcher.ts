// The outbox dispatcher: at least once, the oldest first, in order for each run, a few at a time. A
// row is done in the write of its stage, so a crash anywhere only means that it is done again.
import { enrich } from '#main/inputs/stages/enrich.ts';
import { execute } from '#main/inputs/stages/execute.ts';
import { StageLost, type StageContext } from '#main/inputs/stages/stage.ts';
import { writeCompletion } from '#main/inputs/stages/write-completion.ts';
import type { OutboxRow } from '#main/store/tables/outbox.ts';
import { backoffDelay } from '#shared/backoff.ts';
import type { OutboxKind } from '#shared/inputs/kinds.ts';
import { OUTBOX_BASE_MS, OUTBOX_MAX_MS, OUTBOX_WORKERS } from '#shared/limits.ts';
import type { Stage } from '#shared/machines/automation-run.ts';

export type StageTold = (stage: Stage, ms: number, ok: boolean) => void;

type Work = (context: StageContext, runId: string) => Promise<void>;

const STAGES: { readonly [kind in OutboxKind]: { readonly stage: Stage; readonly work: Work } } = {
  enqueue_enrich: { stage: 'enrich', work: enrich },
  enqueue_execute: { stage: 'execute', work: execute },
  write_completion: { stage: 'finalize', work: writeCompletion },
};

export interface DispatcherOptions {
  readonly context: StageContext;
  readonly random: () => number;
  readonly onStage: StageTold;
  /** Inputs wait at the door: one stage at a time goes on meanwhile. */
  readonly isIngressBusy?: (() => boolean) | undefined;
  /** In the place of the real stages: for tests of what failing ones do. */
  readonly stages?: { readonly [kind in OutboxKind]?: Work } | undefined;
}

export class OutboxDispatcher {
  readonly #options: DispatcherOptions;
  readonly #atWork = new Map<number, Promise<void>>();
  readonly #runsAtWork = new Set<string>();
  #isRunning = false;
  #isLooking = false;
  #callOff: () => void = () => undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#callOff();
    await Promise.all(this.#atWork.values());
  }

  /** There may be something to do. Put off to the next turn: whoever says so is inside a write. */
  wake(): void {
    if (!this.#isRunning || this.#isLooking) return;
    this.#isLooking = true;
    setImmediate(() => {
      this.#isLooking = false;
      if (this.#isRunning) this.#look();
    });
  }

  get isBusy(): boolean {
    return this.#isLooking || this.#atWork.size > 0;
  }

  #look(): void {
    const { stores, store, log } = this.#options.context;
    this.#callOff();
    const workers = this.#options.isIngressBusy?.() ? 1 : OUTBOX_WORKERS;
    if (this.#atWork.size >= workers) return;
    try {
      for (const row of stores.outbox.due(OUTBOX_WORKERS * 2)) {
        if (this.#atWork.size >= workers) return;
        if (!this.#runsAtWork.has(row.runId)) this.#begin(row);
      }
      const next = stores.outbox.nextAt();
      if (next === null || this.#atWork.size > 0) return;
      this.#callOff = store.clock.wakeAt(next, () => this.wake());
    } catch (error) {
      // A database that is busy or full: what waits is on disk, and is looked at again.
      log.error({ err: error }, 'the outbox could not be read');
      const at = store.clock.now() + OUTBOX_BASE_MS;
      this.#callOff = store.clock.wakeAt(at, () => this.wake());
    }
  }

  #begin(row: OutboxRow): void {
    this.#runsAtWork.add(row.runId);
    const working = this.#dispatch(row).finally(() => {
      this.#atWork.delete(row.id);
      this.#runsAtWork.delete(row.runId);
      this.wake();
    });
    this.#atWork.set(row.id, working);
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
    const backoff = { baseMs: OUTBOX_BASE_MS, maxMs: OUTBOX_MAX_MS };
    const availableAt = store.clock.now() + backoffDelay(row.attempts + 1, backoff, random());
    const message = error instanceof Error ? error.message : String(error);
    const about = { run_id: row.runId, kind: row.kind, attempts: row.attempts + 1 };
    try {
      const status = store.db.write(() => stores.outbox.failed(row.id, message, availableAt));
      if (status === 'dead') log.error({ ...about, err: error }, 'an outbox row is dead');
      else if (error instanceof StageLost) log.info(about, message);
      else log.warn({ ...about, err: error }, 'a stage failed and is tried again');
    } catch (again) {
      log.error({ ...about, err: again, cause: error }, 'a failed stage could not be noted');
    }
  }
}
