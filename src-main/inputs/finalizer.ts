// Ensures that every input ends. At intervals it derives the status of all unfinished inputs again,
// and stops those that passed their deadline or were inactive for too long. It never interrupts a
// run that may have acted, and never ends an input that waits for a person.
import type { StageContext } from '#main/inputs/stages/stage.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { StopAs } from '#shared/inputs/kinds.ts';
import { INPUT_FINALIZER_MS, RUN_INACTIVITY_MS } from '#shared/limits.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';

/** Runs per slice; one slice blocks the event loop for a few milliseconds. */
const SLICE = 50;

export interface FinalizerOptions {
  readonly context: StageContext;
  /** Stops the work for an input that has not acted yet. */
  readonly stopInput: (inputId: string, as: StopAs, reason: string) => void;
}

export class Finalizer {
  readonly #options: FinalizerOptions;
  #cancelTimer: () => void = () => undefined;
  #currentPass: Promise<void> = Promise.resolve();
  #isPassing = false;
  #isStopped = false;

  constructor(options: FinalizerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#currentPass = this.pass();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await this.#currentPass;
  }

  #schedule(): void {
    const { clock } = this.#options.context.store;
    this.#cancelTimer = clock.wakeAt(clock.now() + INPUT_FINALIZER_MS, () => {
      this.#currentPass = this.pass();
      this.#schedule();
    });
  }

  /** One pass over all unfinished inputs, in slices that yield to the event loop. */
  async pass(): Promise<void> {
    if (this.#isPassing) return;
    this.#isPassing = true;
    try {
      let last = this.#finalizeSlice(null);
      while (last !== null && !this.#isStopped) {
        await new Promise((resolve) => setImmediate(resolve));
        last = this.#finalizeSlice(last);
      }
    } catch (error) {
      const { log } = this.#options.context;
      log.error({ err: error }, 'could not check unfinished inputs');
    } finally {
      this.#isPassing = false;
    }
  }

  /** Returns the last run of the slice; null when there are no more. */
  #finalizeSlice(after: AutomationRun | null): AutomationRun | null {
    const { stores, runs, store } = this.#options.context;
    const slice = stores.automationRuns.openAfter(after, SLICE);
    store.db.write(() => {
      for (const { id } of slice) runs.adoptRun(id);
    });
    for (const { id } of slice) this.#finalize(id);
    return slice.length === SLICE ? (slice.at(-1) ?? null) : null;
  }

  #finalize(runId: string): void {
    const { stores, store, runs } = this.#options.context;
    const run = stores.automationRuns.get(runId);
    if (!run || !isUnfinished(run.state.status)) return;
    if (stores.ownership.epoch(run.workflowId) === null) return;
    if (run.state.status === 'needs_human' || run.stopping) return;
    const now = store.clock.now();
    const why = this.#whyEnd(run, now);
    if (why === null) return;
    if (this.#isFirstEventMissing(run)) {
      const reason = 'The session ended without publishing the first event.';
      const event = { type: 'fail', stage: 'execute', reason } as const;
      runs.move(run.id, { actor: 'finalizer', event });
      return;
    }
    this.#options.stopInput(run.inputId, 'timed_out', why);
  }

  #whyEnd(run: AutomationRun, now: number): string | null {
    const { stores } = this.#options.context;
    if (now >= run.deadlineAt) return 'The deadline passed.';
    if (run.state.status !== 'running') return null;
    const session = run.session && stores.scriptRuns.get(run.session.id);
    const isActive = session && ['booting', 'running', 'validating'].includes(session.state.status);
    const lastAt = Math.max(
      run.times.last_activity_at,
      stores.inputChain.lastActivityAt(run.inputId),
    );
    // Inactivity is expected while the workflow is paused, and an active session may still work.
    if (isActive || stores.workflows.runStatus(run.workflowId)?.status !== 'active') return null;
    return now - lastAt >= RUN_INACTIVITY_MS ? 'No activity for too long.' : null;
  }

  #isFirstEventMissing(run: AutomationRun): boolean {
    const { inputChain, triggerEvents } = this.#options.context.stores;
    if (run.state.status !== 'running' || inputChain.eventIds(run.inputId, 1).length > 0)
      return false;
    return triggerEvents.get(run.inputId)?.topic !== null;
  }
}
