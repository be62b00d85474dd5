// A lane executes one workflow, one run at a time, until nothing is due or only a person can decide.
// `pick-work.ts` chooses the work and `work-runner.ts` runs it. The lane decides when to look for
// work, when to wait, and what to do after a crash.
import { recover } from '#main/engine/continuation/recovery.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { LaneRequests } from '#main/engine/lane/lane-requests.ts';
import { LaneSession } from '#main/engine/lane/lane-session.ts';
import {
  NOTHING_OPEN,
  isOpenRun,
  pickWork,
  workOfOpenRuns,
  type LaneMemory,
  type Work,
} from '#main/engine/lane/pick-work.ts';
import { syncSchedules } from '#main/engine/lane/producer-schedules.ts';
import { RunBudget } from '#main/engine/lane/run-budget.ts';
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import { OwnershipLost, SessionLost } from '#main/engine/runs/session.ts';
import { Tenure } from '#main/engine/lane/tenure.ts';
import { WorkRunner } from '#main/engine/lane/work-runner.ts';
import { UnreadableRow } from '#main/store/sqlite/refused-set.ts';
import { isStorageProblem } from '#main/store/sqlite/sqlite-errors.ts';
import { MAX_RUNS_PER_HOUR } from '#shared/limits.ts';
import { stoppedAsLoop } from '#shared/stop-reason.ts';
import { laneAfter, mustFinish, type LaneEvent, type LaneState } from '#shared/machines/lane.ts';

/** Delay before the lane retries after an unexpected error. */
const CRASH_WAIT_MS = 10_000;
/** Crashes in a row after which the workflow is held and shown in the inbox. */
const MAX_CRASHES = 3;

export class Lane {
  readonly workflowId: string;
  readonly #context: EngineContext;
  /** True until the peers of this device were asked what they know. */
  readonly #isHeld: () => boolean;
  readonly #session: LaneSession;
  readonly #tenure: Tenure;
  readonly #budget = new RunBudget(MAX_RUNS_PER_HOUR);
  readonly #requests = new LaneRequests();
  readonly #memory: LaneMemory = { ...NOTHING_OPEN, mayHaveOpenRuns: true };
  readonly #runner: WorkRunner;
  /** The version whose topics and schedules are in the store. */
  #installedScriptId: string | null = null;
  #crashes = 0;
  #state: LaneState = { type: 'idle' };
  #work: Promise<void> = Promise.resolve();
  #cancelTimer: () => void = () => undefined;

  constructor(context: EngineContext, workflowId: string, isHeld: () => boolean = () => false) {
    this.#context = context;
    this.#isHeld = isHeld;
    this.#session = new LaneSession(context, workflowId);
    this.#tenure = new Tenure(context, workflowId);
    this.workflowId = workflowId;
    this.#runner = new WorkRunner({
      context,
      workflowId,
      session: this.#session,
      memory: this.#memory,
      whyNoEffect: (runId) => this.#whyNoEffect(runId),
    });
  }

  get isBusy(): boolean {
    return this.#state.type === 'working';
  }

  /** Looks for work of any kind. */
  wake(): void {
    this.#memory.mayHaveOpenRuns = true;
    this.wakeForEvent();
  }

  /** Looks for work after a publish, which can't have opened a run. */
  wakeForEvent(): void {
    this.#on('wake');
  }

  runNow(producer: string, requestId: string): void {
    if (this.#requests.addManual({ producer, requestId })) this.#on('wake');
  }

  /** Sends an effect again. The ledger has it in flight, because a person decided so. */
  resend(runId: string): void {
    this.#requests.addResend(runId);
    this.wake();
  }

  /** Ends the run before its effect. Has no effect on a run that is past it. */
  cancel(runId: string): void {
    this.#requests.addCancel(runId);
  }

  /** Resolves when the lane is not working. Timers may still be set. */
  async idle(): Promise<void> {
    while (this.isBusy) await this.#work;
  }

  /** Lets the current run end and starts no other one until `release`. */
  async hold(): Promise<void> {
    this.#on('hold');
    this.#cancelTimer();
    await this.idle();
    this.#session.end();
  }

  release(): void {
    this.#memory.mayHaveOpenRuns = true;
    this.#on('release');
  }

  async stop(): Promise<void> {
    this.#on('stop');
    this.#cancelTimer();
    this.#session.keepOpen();
    await this.idle();
    this.#session.end();
  }

  #on(event: LaneEvent): void {
    const wasWorking = this.isBusy && event !== 'done';
    this.#state = laneAfter(this.#state, event);
    if (!this.isBusy || wasWorking) return;
    this.#cancelTimer();
    this.#work = this.#workUntilIdle()
      .then(() => this.#worked())
      .catch((error: unknown) => this.#crashed(error))
      .finally(() => this.#on('done'));
  }

  async #workUntilIdle(): Promise<void> {
    while (!mustFinish(this.#state) && !this.#isHeld()) {
      if (this.#context.isolation.holds(this.workflowId)) return this.#session.discard();
      const epoch = this.#tenure.epoch(this.#requests.resends);
      if (epoch === null) return this.#leave();
      const { stores, scripts } = this.#context;
      const workflow = stores.workflows.runStatus(this.workflowId);
      const script = workflow?.scriptId ? scripts.get(workflow.scriptId) : undefined;
      if (!workflow || !script) return this.#session.end();
      if (workflow.status !== 'active') {
        if (await this.#stepWhilePaused(script, epoch)) continue;
        return this.#session.end();
      }
      // A session is pinned to its version; pending events go to the active version.
      this.#session.endIfStale(epoch, workflow.scriptId);
      this.#install(script);
      if (!(await this.#step(script, epoch))) return;
    }
  }

  /** Another device owns the workflow now. */
  #leave(): void {
    this.#tenure.lose();
    this.#session.discard();
    this.#requests.dropManual();
    this.#cancelTimer();
  }

  /** Creates what a version needs in the store, once per lane and version. */
  #install({ scriptId, config }: RunnableScript): void {
    if (this.#installedScriptId === scriptId) return;
    const { topics, consumerWakes } = this.#context.stores;
    for (const topic of config.topics) topics.ensure(this.workflowId, topic);
    consumerWakes.deriveSleep(this.workflowId);
    syncSchedules(this.#context, this.workflowId, config);
    this.#installedScriptId = scriptId;
  }

  /** A pause stops everything except checks of effects that were sent. False: none is due now. */
  async #stepWhilePaused(script: RunnableScript, epoch: number): Promise<boolean> {
    const work = workOfOpenRuns(this.#context, this.workflowId, script);
    if (work?.type === 'check') return this.#runner.run(script, epoch, work);
    if (work?.type === 'blocked' && work.until !== null) {
      this.#wakeAt(work.until, () => this.#on('wake'));
    }
    return false;
  }

  /** False: nothing is due now. */
  async #step(script: RunnableScript, epoch: number): Promise<boolean> {
    const resendId = this.#requests.takeResend();
    if (resendId !== undefined && (await this.#runner.resend(script, epoch, resendId))) return true;
    const work = pickWork(this.#context, this.workflowId, script, this.#memory);
    // A manual run goes before scheduled work, but an open run goes first.
    const manual = isOpenRun(work) ? undefined : this.#requests.takeManual();
    if (manual && script.config.producers[manual.producer]) {
      await this.#runner.produceNow(script, epoch, manual);
      return true;
    }
    if (work.type === 'wait') Object.assign(this.#memory, NOTHING_OPEN);
    if (work.type === 'wait' || work.type === 'blocked') return this.#wait(work);
    if (this.#isOverBudget(work)) return true;
    return (await this.#runner.run(script, epoch, work)) || this.#wait({ until: null });
  }

  #wait({ until }: { readonly until: number | null }): false {
    if (until !== null) this.#wakeAt(until, () => this.#on('wake'));
    this.#session.endLater(() => this.isBusy);
    return false;
  }

  /** Pauses a workflow that runs too often. */
  #isOverBudget({ type }: Work): boolean {
    const { store, stores } = this.#context;
    if (type !== 'consume' && type !== 'produce') return false;
    if (this.#budget.spend(store.clock.now())) return false;
    stores.workflows.setStatus(this.workflowId, 'paused', stoppedAsLoop(MAX_RUNS_PER_HOUR));
    return true;
  }

  /** Called before each effect. Null: the effect may be sent. */
  #whyNoEffect(runId: string): string | null {
    if (this.#requests.takeCancel(runId)) return 'Canceled before the effect.';
    if (this.#isStopping) return 'Holdfast is stopping.';
    if (this.#isHeld()) return 'Waiting for your other devices before the effect.';
    const status = this.#context.stores.workflows.runStatus(this.workflowId)?.status;
    return status === 'active' ? null : 'The workflow was paused before the effect.';
  }

  get #isStopping(): boolean {
    const state = this.#state;
    return state.type === 'stopped' || (state.type === 'working' && state.next === 'stop');
  }

  #wakeAt(at: number, wake: () => void): void {
    if (this.#isStopping) return;
    this.#cancelTimer = this.#context.store.clock.wakeAt(at, wake);
  }

  #worked(): void {
    this.#crashes = 0;
    this.#context.isolation.succeeded(this.workflowId);
  }

  /** A bug, a row that can't be read or a full disk. Committed data is safe, and the lane retries. */
  #crashed(error: unknown): void {
    const { log, store } = this.#context;
    if (error instanceof OwnershipLost) {
      log.info({ workflowId: this.workflowId }, 'lost ownership of the workflow');
      this.#leave();
      // The workflow may be ours again by now.
      this.#on('wake');
      return;
    }
    log.error({ err: error, workflowId: this.workflowId }, 'workflow lane crashed');
    this.#session.discard();
    this.#memory.mayHaveOpenRuns = true;
    // The session that holds the lane now may still be working, so recovery waits.
    if (error instanceof SessionLost) {
      this.#wakeAt(store.clock.now() + CRASH_WAIT_MS, () => this.#recoverFrom(error));
    } else {
      this.#recoverFrom(error);
    }
  }

  #recoverFrom(error: unknown): void {
    const { log, store } = this.#context;
    try {
      recover(this.#context, this.workflowId);
    } catch (again) {
      log.error({ err: again, cause: error, workflowId: this.workflowId }, 'recovery failed');
    }
    if (this.#isHeldBy(error)) return;
    this.#wakeAt(store.clock.now() + CRASH_WAIT_MS, () => this.wake());
  }

  /** True if the workflow is held, because a retry would fail likewise. */
  #isHeldBy(error: unknown): boolean {
    this.#crashes += 1;
    // A host that ended writes nothing more.
    if (isStorageProblem(error) || !this.#context.store.db.isOpen) return false;
    if (this.#crashes < MAX_CRASHES && !(error instanceof UnreadableRow)) return false;
    this.#crashes = 0;
    const { isolation, log } = this.#context;
    try {
      isolation.failed(this.workflowId, 'A run', error);
      return true;
    } catch (again) {
      // On a full disk not even that can be written; a retry needs no row.
      log.error({ err: again, cause: error, workflowId: this.workflowId }, 'could not hold it');
      return false;
    }
  }
}
