// Ensures that every input ends. At intervals it derives the status of all unfinished inputs again,
// reminds a person of those that wait for one, and ends those whose time is up. It is a stage: it writes
// only under a lease of the run. It never interrupts a run that may have acted.
import type { StageContext } from '#main/inputs/stages/stage.ts';
import { isStorageProblem } from '#main/store/sqlite/sqlite-errors.ts';
import type { AutomationRun, OpenPlace } from '#main/store/tables/automation-runs.ts';
import type { Stop } from '#main/input-lifecycle/input-lifecycle.ts';
import { waitOf } from '#main/input-lifecycle/needs-human-rule.ts';
import type { Lease } from '#main/store/tables/automation-leases.ts';
import { finalStep, type FinalStep } from '#shared/inputs/final-step.ts';
import { INPUT_FINALIZER_MS } from '#shared/limits.ts';
import { isUnfinished, UNFINISHED } from '#shared/machines/automation-run.ts';
import { isActive as isActiveSession } from '#shared/machines/script-run.ts';

/** Runs per slice; one slice blocks the event loop for a few milliseconds. */
const SLICE = 50;

export interface FinalizerOptions {
  readonly context: StageContext;
  /** Stops the work for an input that has not acted yet. */
  readonly stopInput: (inputId: string, stop: Stop) => void;
}

export class Finalizer {
  readonly #options: FinalizerOptions;
  #cancelTimer: () => void = () => undefined;
  #currentPass: Promise<void> = Promise.resolve();
  readonly #failing = new Set<string>();
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

  /** Returns the place where the next slice begins; null when there are no more. */
  #finalizeSlice(after: OpenPlace | null): OpenPlace | null {
    const { stores, runs, store } = this.#options.context;
    const { runs: open, next } = stores.automationRuns.openAfter(after, SLICE);
    const slice = open.filter(({ workflowId }) => !stores.refusedRows.holds(workflowId));
    store.db.write(() => {
      for (const { id } of slice) this.#try(id, () => runs.adoptRun(id));
    });
    for (const { id } of slice) {
      if (this.#try(id, () => this.#finalize(id))) this.#failing.delete(id);
    }
    return next;
  }

  /** A run that can't be finalized doesn't hold up the others. It is logged once until it succeeds. */
  #try(runId: string, work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (isStorageProblem(error)) throw error;
      const { log } = this.#options.context;
      if (!this.#failing.has(runId)) {
        log.error({ err: error, run_id: runId }, 'could not finalize an input');
      }
      this.#failing.add(runId);
      return false;
    }
  }

  #finalize(runId: string): void {
    const { stores, store, workerId } = this.#options.context;
    store.db.write(() => {
      const run = stores.automationRuns.get(runId);
      const step = run && this.#nextStep(run);
      if (!step) return;
      const lease = stores.automationLeases.claim(runId, workerId, UNFINISHED);
      // A stage is at work; the next pass looks again.
      if (!lease) return;
      this.#carryOut(run, step, lease);
      stores.automationLeases.release(lease);
    });
  }

  #nextStep(run: AutomationRun): FinalStep | null {
    const { stores, store } = this.#options.context;
    const { status } = run.state;
    if (!isUnfinished(status) || stores.ownership.epoch(run.workflowId) === null) return null;
    const now = store.clock.now();
    return finalStep({
      status,
      reason: 'reason' in run.state ? (run.state.reason ?? '') : '',
      stopping: run.stopping,
      wait: waitOf(stores, run, now),
      now,
      deadlineAt: run.deadlineAt,
      isWorkflowActive: () => stores.workflows.runStatus(run.workflowId)?.status === 'active',
      lastActivityAt: () =>
        Math.max(run.times.last_activity_at, stores.inputChain.lastActivityAt(run.inputId)),
      session: () => this.#sessionOf(run),
      isFirstEventMissing: () => this.#isFirstEventMissing(run),
    });
  }

  #carryOut(run: AutomationRun, step: FinalStep, lease: Lease): void {
    const { stores, runs } = this.#options.context;
    if (step.type === 'remind') return runs.remind(run, step.number, lease);
    const { reason } = step;
    if (step.type === 'fail') {
      const event = { type: 'fail', stage: 'execute', reason } as const;
      return void runs.move(run.id, { actor: 'finalizer', event, lease });
    }
    const { as } = step;
    if (!run.stopping) this.#options.stopInput(run.inputId, { as, reason, lease });
    runs.deriveStatus(run.inputId);
    const status = stores.automationRuns.statusOf(run.inputId);
    if (step.type === 'end' && status !== undefined && isUnfinished(status)) {
      runs.end(run.id, { as, reason, lease });
    }
    return undefined;
  }

  /** The session of the newest run that took one of its events. */
  #sessionOf(run: AutomationRun): 'none' | 'active' | 'ended' {
    const { inputChain, scriptRuns } = this.#options.context.stores;
    const id = inputChain.lastSession(run.inputId) ?? run.session?.id ?? null;
    const session = id === null ? undefined : scriptRuns.get(id);
    if (!session) return 'none';
    return isActiveSession(session.state.status) ? 'active' : 'ended';
  }

  #isFirstEventMissing(run: AutomationRun): boolean {
    const { inputChain, triggerEvents } = this.#options.context.stores;
    if (run.state.status !== 'running' || inputChain.eventIds(run.inputId, 1).length > 0)
      return false;
    return triggerEvents.get(run.inputId)?.topic !== null;
  }
}
