// Every run ends: looks from time to time at what is unfinished, brings along what nobody noticed,
// and lets go of what is past its deadline or has been still for too long. What may have acted is
// never cut off, and what waits for a person waits.
import type { StageContext } from '#main/inputs/stages/stage.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { StopAs } from '#shared/inputs/kinds.ts';
import { INPUT_FINALIZER_MS, RUN_INACTIVITY_MS } from '#shared/limits.ts';
import { isUnfinished } from '#shared/machines/automation-run.ts';

/** So many are looked at in one go: some milliseconds. */
const SLICE = 50;

export interface FinalizerOptions {
  readonly context: StageContext;
  /** Stops what is at work for an input and has not acted yet. */
  readonly stopInput: (inputId: string, as: StopAs, reason: string) => void;
}

export class Finalizer {
  readonly #options: FinalizerOptions;
  #callOff: () => void = () => undefined;
  #looking: Promise<void> = Promise.resolve();
  #isLooking = false;
  #isStopped = false;

  constructor(options: FinalizerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.#looking = this.look();
    this.#lookLater();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff();
    await this.#looking;
  }

  #lookLater(): void {
    const { clock } = this.#options.context.store;
    this.#callOff = clock.wakeAt(clock.now() + INPUT_FINALIZER_MS, () => {
      this.#looking = this.look();
      this.#lookLater();
    });
  }

  /** At everything that is unfinished, a few at a time: others get their turn in between. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      let last = this.#lookAtSlice(null);
      while (last !== null && !this.#isStopped) {
        await new Promise((resolve) => setImmediate(resolve));
        last = this.#lookAtSlice(last);
      }
    } catch (error) {
      const { log } = this.#options.context;
      log.error({ err: error }, 'unfinished inputs could not be looked at');
    } finally {
      this.#isLooking = false;
    }
  }

  /** The last one looked at; null: there are no more. */
  #lookAtSlice(after: AutomationRun | null): AutomationRun | null {
    const { stores, runs, store } = this.#options.context;
    const slice = stores.automationRuns.openAfter(after, SLICE);
    store.db.write(() => {
      for (const { id } of slice) runs.takeUp(id);
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
    if (this.#isPromptMissing(run)) {
      const reason = 'Its session ended and its first event is not there.';
      const event = { type: 'fail', stage: 'execute', reason } as const;
      runs.move(run.id, { actor: 'finalizer', event });
      return;
    }
    this.#options.stopInput(run.inputId, 'timed_out', why);
  }

  #whyEnd(run: AutomationRun, now: number): string | null {
    const { stores } = this.#options.context;
    if (now >= run.deadlineAt) return 'It did not end before its deadline.';
    if (run.state.status !== 'running') return null;
    const session = run.session && stores.scriptRuns.get(run.session.id);
    const isActive = session && ['booting', 'running', 'validating'].includes(session.state.status);
    const lastAt = Math.max(
      run.times.last_activity_at,
      stores.inputChain.lastActivityAt(run.inputId),
    );
    // A paused workflow is still by a person's will; an active session may still be at it.
    if (isActive || stores.workflows.runStatus(run.workflowId)?.status !== 'active') return null;
    return now - lastAt >= RUN_INACTIVITY_MS ? 'Nothing happened under it for too long.' : null;
  }

  #isPromptMissing(run: AutomationRun): boolean {
    const { inputChain, triggerEvents } = this.#options.context.stores;
    if (run.state.status !== 'running' || inputChain.eventIds(run.inputId, 1).length > 0)
      return false;
    return triggerEvents.get(run.inputId)?.topic !== null;
  }
}
