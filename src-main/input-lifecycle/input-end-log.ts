// Logs each input that has ended, after the commit that ended it.
import type { LifecycleContext } from '#main/input-lifecycle/lifecycle-context.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';

export class InputEndLog {
  readonly #context: LifecycleContext;
  #ended: AutomationRun[] = [];

  constructor(context: LifecycleContext) {
    this.#context = context;
  }

  /** `run` as it was before the move that ended it. */
  add(run: AutomationRun): void {
    this.#ended.push(run);
  }

  flush(): void {
    if (this.#ended.length === 0) return;
    const { stores, store, log } = this.#context;
    const ended = this.#ended;
    this.#ended = [];
    for (const { id, moves } of ended) {
      const run = stores.automationRuns.get(id);
      // The write that ended it was rolled back.
      if (run?.moves !== moves + 1) continue;
      const fields = {
        run_id: id,
        trigger_event_id: run.inputId,
        session_id: run.session?.id ?? null,
        correlation_id: stores.triggerEvents.get(run.inputId)?.correlationId ?? run.inputId,
        space: store.spaceId,
        ms: (run.times.completed_at ?? run.queuedAt) - run.queuedAt,
      };
      log.info({ ...fields, ...run.state }, 'input ended');
    }
  }
}
