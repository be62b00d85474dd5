// Periodically recovers open runs of this device that no lane is working on. A lane that crashed
// without recovering leaves such runs.
import { recover } from '#main/engine/continuation/recovery.ts';
import { catchUp } from '#main/engine/ownership/after-merge.ts';
import { waitsForResume } from '#main/engine/continuation/waits-for-resume.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { FINALIZER_PERIOD_MS } from '#shared/limits.ts';

export interface FinalizedLanes {
  isBusy(workflowId: string): boolean;
}

export class Finalizer {
  readonly #context: EngineContext;
  readonly #lanes: FinalizedLanes;
  /** Carries out the decisions that wait, and wakes the lane. */
  readonly #onRecovered: (workflowId: string) => void;
  #cancel: () => void = () => undefined;

  constructor(
    context: EngineContext,
    lanes: FinalizedLanes,
    onRecovered: (workflowId: string) => void,
  ) {
    this.#context = context;
    this.#lanes = lanes;
    this.#onRecovered = onRecovered;
  }

  start(): void {
    const { clock } = this.#context.store;
    this.#cancel = clock.wakeAt(clock.now() + FINALIZER_PERIOD_MS, () => {
      // First: a pass that fails, as on a full disk, must not be the last one.
      this.start();
      this.#finalize();
    });
  }

  stop(): void {
    this.#cancel();
  }

  /** For a person, an outcome, or the resume of its workflow. */
  #waits(run: HandlerRun): boolean {
    return run.state.phase === 'suspended' || waitsForResume(this.#context, run);
  }

  #finalize(): void {
    const { stores, store, log, isolation } = this.#context;
    const abandoned = new Set(
      stores.handlerRuns
        .open()
        .filter((run) => run.deviceId === store.deviceId && !this.#waits(run))
        .map(({ workflowId }) => workflowId)
        .filter((id) => !this.#lanes.isBusy(id) && stores.ownership.epoch(id) !== null),
    );
    const again = isolation.takeDue();
    for (const workflowId of new Set([...again, ...abandoned])) {
      if (isolation.holds(workflowId) || this.#lanes.isBusy(workflowId)) continue;
      log.warn({ workflowId }, 'recovering runs that no lane is working on');
      // What was merged while it was held waits too.
      const work = again.includes(workflowId) ? catchUp : recover;
      isolation.attempt(workflowId, 'recovery', () => work(this.#context, workflowId));
      this.#onRecovered(workflowId);
    }
  }
}
