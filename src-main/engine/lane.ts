// One workflow at work: one run at a time, consumers before producers, until there is nothing to
// do or something that only a person can settle.
import { repairUnfinished } from '#main/engine/after-merge.ts';
import { ConsumerRun, type RunEnd } from '#main/engine/consumer-run.ts';
import { Effects } from '#main/engine/effects.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { ownershipLost, OwnershipLost } from '#main/engine/ownership-lost.ts';
import { pickWork, type Work } from '#main/engine/pick-work.ts';
import { recover } from '#main/engine/recovery.ts';
import { runProducer } from '#main/engine/producer-run.ts';
import type { HandlerToRun } from '#main/engine/run-phase.ts';
import { RunBudget } from '#main/engine/run-budget.ts';
import type { RunnableScript, ScriptCache } from '#main/engine/script-cache.ts';
import { firstSlot, type Due } from '#main/engine/schedules.ts';
import { openSession, SessionLost, type Session } from '#main/engine/session.ts';
import { retryBlockedRun } from '#main/engine/retry-blocked-run.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import { MAX_RUNS_PER_HOUR, SESSION_LINGER_MS } from '#shared/limits.ts';
import type { Trigger } from '#shared/session-enums.ts';
import { unreachable } from '#shared/rejection.ts';
import { startRequest } from '#shared/start-request.ts';

/** After something broke that should not: long enough not to spin, short enough to be noticed. */
const BROKEN_WAIT_MS = 10_000;

interface Manual {
  readonly producer: string;
  readonly requestId: string;
}

export class Lane {
  readonly workflowId: string;
  readonly #context: EngineContext;
  readonly #scripts: ScriptCache;
  readonly #effects: Effects;
  readonly #onIdle: () => void;
  readonly #budget = new RunBudget(MAX_RUNS_PER_HOUR);
  readonly #asleep = new Set<string>();
  readonly #resend = new Set<string>();
  readonly #canceled = new Set<string>();
  /** Requests to run now that were taken already: the same one twice is one. */
  readonly #asked = new Set<string>();
  #manual: Manual[] = [];
  #session: Session | null = null;
  /** In which this device runs the workflow; null: it does not, or has not looked yet. */
  #epoch: number | null = null;
  /** It was run here, and then by another device. */
  #hasLeft = false;
  #isDraining = false;
  #mayHaveOpenRuns = true;
  #scheduledScriptId: string | null = null;
  #isStopping = false;
  #working: Promise<void> | null = null;
  /** Woken while at work, perhaps after the last look: it looks once more. */
  #lookAgain = false;
  #callOffWake: () => void = () => undefined;
  #callOffLinger: () => void = () => undefined;

  constructor(
    context: EngineContext,
    scripts: ScriptCache,
    workflowId: string,
    onIdle: () => void,
  ) {
    this.#context = context;
    this.#scripts = scripts;
    this.#effects = new Effects(context);
    this.workflowId = workflowId;
    this.#onIdle = onIdle;
  }

  get isBusy(): boolean {
    return this.#working !== null;
  }

  /** Something may have changed: look for work. */
  wake(): void {
    this.#mayHaveOpenRuns = true;
    this.wakeForEvent();
  }

  /** An event came, and nothing else: what was not open before is not open now. */
  wakeForEvent(): void {
    this.#asleep.clear();
    this.#start();
  }

  runNow(producer: string, requestId: string): void {
    if (this.#asked.has(requestId)) return;
    this.#asked.add(requestId);
    this.#manual.push({ producer, requestId });
    this.#start();
  }

  /** A person chose to send an effect again; the ledger has it in flight. */
  resend(runId: string): void {
    this.#resend.add(runId);
    this.wake();
  }

  /** Ends the run before its effect, if it is not past it. */
  cancel(runId: string): void {
    this.#canceled.add(runId);
  }

  /** Resolves when nothing is being done any more. */
  async idle(): Promise<void> {
    while (this.#working) await this.#working;
  }

  /** Brings what is being done to its end and begins nothing more, until `goOn`. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#callOffWake();
    await this.idle();
    this.#endSession();
  }

  goOn(): void {
    this.#isDraining = false;
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#callOffWake();
    this.#callOffLinger();
    await this.idle();
    this.#endSession();
  }

  #start(): void {
    if (this.#working) this.#lookAgain = true;
    if (this.#isStopping || this.#isDraining || this.#working) return;
    this.#callOffWake();
    this.#lookAgain = false;
    this.#working = this.#work()
      .catch((error: unknown) => this.#broke(error))
      .finally(() => {
        this.#working = null;
        if (this.#lookAgain) this.#start();
        if (!this.#working) this.#onIdle();
      });
  }

  async #work(): Promise<void> {
    while (!this.#isStopping && !this.#isDraining) {
      const epoch = this.#ownEpoch();
      if (epoch === null) return this.#leave();
      if (this.#session && this.#session.epoch !== epoch) this.#endSession();
      const workflow = this.#context.stores.workflows.runStatus(this.workflowId);
      const script = workflow?.scriptId ? this.#scripts.get(workflow.scriptId) : undefined;
      if (!workflow || !script || workflow.status !== 'active') return this.#endSession();
      // A session is pinned to its version; what is pending goes to the version active now.
      if (this.#session && this.#session.scriptId !== workflow.scriptId) this.#endSession();
      this.#adopt(script);
      if (!(await this.#step(script))) return;
    }
  }

  #ownEpoch(): number | null {
    const { ownership } = this.#context.stores;
    const known = this.#epoch;
    if (known !== null && ownership.holds(this.workflowId, known)) return known;
    const epoch = ownership.epoch(this.workflowId);
    if (epoch === null) return null;
    this.#epoch = epoch;
    if (known !== null || this.#hasLeft) this.#comeBack();
    return epoch;
  }

  /** It was lost and is ours again: what was left open meanwhile is looked at as after a crash. */
  #comeBack(): void {
    this.#hasLeft = false;
    recover(this.#context, this.workflowId, this.#resend);
    this.#context.store.db.write(() => repairUnfinished(this.#context, this.workflowId));
  }

  /** Another device runs it now. */
  #leave(): void {
    if (this.#epoch !== null) {
      ownershipLost(this.#context, this.workflowId);
      this.#hasLeft = true;
    }
    this.#epoch = null;
    this.#session = null;
    this.#manual = [];
    this.#callOffLinger();
    this.#callOffWake();
  }

  /** Once for each version: its topics and its schedules. */
  #adopt(script: RunnableScript): void {
    if (this.#scheduledScriptId === script.scriptId) return;
    this.#makeTopics(script);
    this.#syncSchedules(script);
    this.#scheduledScriptId = script.scriptId;
  }

  /** False: there is nothing to do now. */
  async #step(script: RunnableScript): Promise<boolean> {
    const resend = this.#takeResend();
    if (resend) {
      await this.#consumer(script, resend.handlerName, 'event', `resend:${resend.id}`, (run) =>
        run.sendAgain(resend),
      );
      return true;
    }
    const work = pickWork(this.#context, this.workflowId, script, {
      asleep: this.#asleep,
      mayHaveOpenRuns: this.#mayHaveOpenRuns,
    });
    // Asked for by hand goes before what is due, but not past what is open.
    const isOpen = ['go_on', 'reconcile', 'unblock', 'blocked'].includes(work.type);
    const manual = isOpen ? undefined : this.#manual.shift();
    if (!manual || !script.config.producers[manual.producer]) return this.#do(script, work);
    await this.#produce(script, manual.producer, null, startRequest.manual(manual.requestId));
    return true;
  }

  async #do(script: RunnableScript, work: Work): Promise<boolean> {
    if (work.type === 'consume' || work.type === 'produce') {
      if (!this.#budget.spend(this.#context.store.clock.now())) return this.#overBudget();
    }
    switch (work.type) {
      case 'go_on':
      case 'reconcile': {
        const { run } = work;
        await this.#consumer(
          script,
          run.handlerName,
          'event',
          `${work.type}:${run.id}`,
          (consumer) => (work.type === 'go_on' ? consumer.goOn(run) : consumer.reconcile(run)),
        );
        return true;
      }
      case 'unblock': {
        const { run } = work;
        if (await this.#context.commits.commit(() => retryBlockedRun(this.#context, run)))
          return true;
        this.#linger();
        return false;
      }
      case 'consume':
        await this.#consume(script, work.consumer, work.cause);
        return true;
      case 'produce':
        await this.#produceDue(script, work.producer, work.due);
        return true;
      case 'wait':
      case 'blocked':
        if (work.type === 'wait') this.#mayHaveOpenRuns = false;
        this.#wakeAt(work.until);
        this.#linger();
        return false;
      default:
        return unreachable(work);
    }
  }

  #overBudget(): boolean {
    this.#context.stores.workflows.setStatus(
      this.workflowId,
      'paused',
      `It made ${MAX_RUNS_PER_HOUR} runs within an hour, which looks like a loop.`,
    );
    return true;
  }

  async #consume(script: RunnableScript, consumer: string, cause: string): Promise<void> {
    let end: RunEnd | null = null;
    let hadReservations = true;
    await this.#consumer(script, consumer, 'event', cause, async (run) => {
      end = await run.start();
      hadReservations = run.hadReservations;
      return end;
    });
    // It looked at what is pending and wanted none of it: no spinning.
    if (end === 'committed' && !hadReservations) this.#asleep.add(consumer);
    else if (end === 'committed') this.#asleep.clear();
  }

  async #consumer(
    script: RunnableScript,
    name: string,
    trigger: Trigger,
    cause: string,
    work: (run: ConsumerRun) => Promise<RunEnd>,
  ): Promise<void> {
    const session = await this.#ensureSession(trigger, cause);
    const run = new ConsumerRun({
      context: this.#context,
      effects: this.#effects,
      session,
      handler: this.#handler(script, 'consumer', name),
      shouldStop: (runId) => this.#whyStop(runId),
    });
    const startedAt = this.#context.store.clock.now();
    const began = performance.now();
    const end = await work(run);
    this.#context.observer?.run({
      workflowId: this.workflowId,
      handlerName: name,
      runId: run.runId ?? '',
      kind: 'consumer',
      sessionId: session.runId,
      end,
      startedAt,
      ms: performance.now() - began,
    });
    this.#mayHaveOpenRuns = end !== 'committed';
  }

  async #produceDue(script: RunnableScript, producer: string, due: Due): Promise<void> {
    if (due.slot === null) {
      this.#moveSchedule(producer, due);
      return;
    }
    await this.#produce(script, producer, due, startRequest.schedule(producer, due.slot));
  }

  /** `due` null: asked for by hand, which leaves the schedule alone. */
  async #produce(
    script: RunnableScript,
    producer: string,
    due: Due | null,
    cause: string,
  ): Promise<void> {
    const session = await this.#ensureSession(due ? 'schedule' : 'manual', cause);
    const end = await runProducer({
      context: this.#context,
      session,
      handler: this.#handler(script, 'producer', producer),
      origin: {
        kind: due ? 'schedule' : 'manual',
        key: cause,
        at: due?.slot ?? this.#context.store.clock.now(),
      },
      missed: due?.missed ?? [],
      onCommit: () => due && this.#moveSchedule(producer, due),
    });
    this.#mayHaveOpenRuns = end !== 'committed';
    if (end === 'committed') this.#asleep.clear();
  }

  #moveSchedule(producer: string, due: Due): void {
    const { producerSchedules } = this.#context.stores;
    const known = producerSchedules.of(this.workflowId).find((row) => row.producer === producer);
    if (!known) return;
    producerSchedules.set({ ...known, nextRunAt: due.next, lastSlotAt: due.slot });
  }

  /** A changed schedule computes its next time anew; anything else leaves it alone. */
  #syncSchedules({ config }: RunnableScript): void {
    const { producerSchedules } = this.#context.stores;
    const known = new Map(producerSchedules.of(this.workflowId).map((row) => [row.producer, row]));
    const now = this.#context.store.clock.now();
    for (const [producer, { schedule }] of Object.entries(config.producers)) {
      const row = known.get(producer);
      known.delete(producer);
      if (row && JSON.stringify(row.schedule) === JSON.stringify(schedule)) continue;
      producerSchedules.set({
        workflowId: this.workflowId,
        producer,
        schedule: schedule as Json,
        nextRunAt: firstSlot(schedule, now),
        lastSlotAt: row?.lastSlotAt ?? null,
      });
    }
    for (const producer of known.keys()) producerSchedules.remove(this.workflowId, producer);
  }

  #makeTopics({ config }: RunnableScript): void {
    for (const topic of config.topics) this.#context.stores.topics.ensure(this.workflowId, topic);
  }

  #handler(script: RunnableScript, kind: 'producer' | 'consumer', name: string): HandlerToRun {
    return { workflowId: this.workflowId, script, kind, name };
  }

  #takeResend(): HandlerRun | undefined {
    const [runId] = this.#resend;
    if (runId === undefined) return undefined;
    this.#resend.delete(runId);
    return this.#context.stores.handlerRuns.get(runId);
  }

  #whyStop(runId: string): string | null {
    if (this.#canceled.delete(runId)) return 'This run was canceled before its effect.';
    if (this.#isStopping) return 'Holdfast is stopping.';
    const status = this.#context.stores.workflows.runStatus(this.workflowId)?.status;
    return status === 'active' ? null : 'The workflow was paused before the effect.';
  }

  async #ensureSession(trigger: Trigger, cause: string): Promise<Session> {
    this.#callOffLinger();
    this.#session ??= await openSession(
      this.#context,
      { workflowId: this.workflowId, lane: 'main', trigger },
      cause,
      this.#epoch ?? 0,
    );
    if (!this.#session) throw new SessionLost(cause);
    return this.#session;
  }

  #endSession(): void {
    this.#callOffLinger();
    this.#session?.end('completed');
    this.#session = null;
  }

  #linger(): void {
    if (!this.#session) return;
    this.#callOffLinger();
    const { clock } = this.#context.store;
    this.#callOffLinger = clock.wakeAt(clock.now() + SESSION_LINGER_MS, () => {
      if (!this.#working) this.#endSession();
    });
  }

  #wakeAt(until: number | null): void {
    if (until === null || this.#isStopping) return;
    this.#callOffWake = this.#context.store.clock.wakeAt(until, () => this.#start());
  }

  /** Whoever has the session now may still be at work: nothing is touched before that is over. */
  #comeBackLater(error: SessionLost): void {
    const { clock } = this.#context.store;
    this.#callOffWake = clock.wakeAt(clock.now() + BROKEN_WAIT_MS, () => {
      if (!this.#isStopping) this.#recoverFrom(error);
    });
  }

  #recoverFrom(error: unknown): void {
    const { log, store } = this.#context;
    try {
      recover(this.#context, this.workflowId);
    } catch (again) {
      log.error({ err: again, cause: error, workflowId: this.workflowId }, 'could not recover');
    }
    this.#callOffWake = store.clock.wakeAt(store.clock.now() + BROKEN_WAIT_MS, () => this.wake());
  }

  /** A bug of ours, or a full disk: what was committed is safe, the next wake tries again. */
  #broke(error: unknown): void {
    const { log } = this.#context;
    if (error instanceof OwnershipLost) {
      log.info({ workflowId: this.workflowId }, 'another device runs this workflow now');
      this.#leave();
      // It may have come back meanwhile: then what was let go of here is ours to take up.
      this.#lookAgain = true;
      return;
    }
    log.error({ err: error, workflowId: this.workflowId }, 'a workflow lane broke off');
    this.#session = null;
    this.#mayHaveOpenRuns = true;
    if (error instanceof SessionLost) this.#comeBackLater(error);
    else this.#recoverFrom(error);
  }
}
