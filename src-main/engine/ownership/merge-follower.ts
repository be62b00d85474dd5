// Processes merged rows after each merge and at start, and retries after an error. The rows to
// process are in the database, so an error or a crash loses nothing.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { processMergedRows } from '#main/engine/ownership/after-merge.ts';
import { MERGE_RETRY_MS } from '#shared/limits.ts';

export class MergeFollower {
  readonly #context: EngineContext;
  readonly #onTouched: (workflowId: string) => void;
  #cancelRetry: () => void = () => undefined;
  #stopListening: () => void = () => undefined;

  constructor(context: EngineContext, onTouched: (workflowId: string) => void) {
    this.#context = context;
    this.#onTouched = onTouched;
  }

  start(): void {
    this.process();
    this.#stopListening = this.#context.store.db.changes.onMerge(() => this.process());
  }

  stop(): void {
    this.#stopListening();
    this.#cancelRetry();
  }

  process(): void {
    const { log, store } = this.#context;
    this.#cancelRetry();
    try {
      for (;;) {
        const { count, workflowIds } = processMergedRows(this.#context);
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
}
