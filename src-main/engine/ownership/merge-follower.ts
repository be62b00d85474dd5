// Processes merged rows after each merge and at start, and retries after an error. The rows to
// process are in the database, so an error or a crash loses nothing.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { catchUp, processMergedRows } from '#main/engine/ownership/after-merge.ts';
import type { MergedRow } from '#main/store/tables/merged-rows.ts';
import { MERGE_RETRY_MS } from '#shared/limits.ts';

export class MergeFollower {
  readonly #context: EngineContext;
  readonly #onTouched: (workflowId: string) => void;
  /** The workflows that were held after the last merge. */
  #held: ReadonlySet<string> = new Set();
  /** Wait for the next merge. A start looks at all unfinished events, so they need no place on disk. */
  #incomplete: MergedRow[] = [];
  #cancelRetry: () => void = () => undefined;
  #stopListening: () => void = () => undefined;

  constructor(context: EngineContext, onTouched: (workflowId: string) => void) {
    this.#context = context;
    this.#onTouched = onTouched;
  }

  /** `held`: the workflows that were held when the last process ended. */
  start(held: ReadonlySet<string>): void {
    this.#held = held;
    this.process();
    this.#stopListening = this.#context.store.db.changes.onMerge(() => this.process());
  }

  stop(): void {
    this.#stopListening();
    this.#cancelRetry();
  }

  process(): void {
    const { log, store, stores } = this.#context;
    this.#cancelRetry();
    try {
      this.#releaseHeld();
      stores.mergedRows.putBack(this.#incomplete.splice(0));
      for (;;) {
        const { count, workflowIds, incomplete } = processMergedRows(this.#context);
        this.#incomplete.push(...incomplete);
        if (count === 0) return;
        for (const workflowId of workflowIds) this.#onTouched(workflowId);
      }
    } catch (error) {
      log.error({ err: error }, 'could not process merged rows; retrying');
      this.#cancelRetry = store.clock.wakeAt(store.clock.now() + MERGE_RETRY_MS, () =>
        this.process(),
      );
    }
  }

  /** A merge can make a row readable again. */
  #releaseHeld(): void {
    const { stores, isolation } = this.#context;
    const before = this.#held;
    this.#held = stores.refusedRows.heldWorkflows();
    for (const workflowId of before) {
      if (this.#held.has(workflowId)) continue;
      isolation.attempt(workflowId, 'Catching up', () => catchUp(this.#context, workflowId));
      this.#onTouched(workflowId);
    }
  }
}
