// One run of one consumer: prepare → mutate → next, with a commit wherever a crash must find a known
// state. Before the effect the run may start over; after it the run only goes forward.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { putArtifacts } from '#main/engine/runs/artifact-calls.ts';
import { commitRun } from '#main/engine/runs/commit-run.ts';
import { continueInNewRun } from '#main/engine/runs/continue-in-new-run.ts';
import type { EffectEnd } from '#main/engine/runs/effect-ledger.ts';
import type { EffectRequest, Effects } from '#main/engine/runs/effects.ts';
import {
  endRunAsMaker,
  handleFailure,
  startOver,
  type Failure,
} from '#main/engine/runs/failure.ts';
import { parsePrepared } from '#main/engine/runs/prepare-result.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import { Refused, refusalReason } from '#main/engine/runs/refused-write.ts';
import { RunEvents, type Checkpoint } from '#main/engine/runs/run-events.ts';
import {
  runPhase,
  warning,
  type HandlerToRun,
  type PhaseEnd,
} from '#main/engine/runs/run-phase.ts';
import type { Session } from '#main/engine/runs/session.ts';
import type { LogLine } from '#main/sandbox/sandbox.ts';
import { inputsOfEvents } from '#main/store/tables/event-row.ts';
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { SeenTopics } from '#main/store/tables/consumer-wakes.ts';
import type { HandlerRun, HandlerRunStore } from '#main/store/tables/handler-runs.ts';
import { effectId } from '#shared/ids.ts';
import { NO_POLICY, type PolicyInForce } from '#shared/inputs/policy.ts';
import type { Json, JsonObject } from '#shared/json.ts';
import { MAX_PREPARES } from '#shared/limits.ts';
import { handlerGone, stoppedInTheMiddle } from '#shared/stop-reason.ts';

/** A run is in the history from its first read of the outside, or when it has prepared for this long.
 * Nobody could notice a run that was killed before. */
const SHOW_PREPARING_AFTER_MS = 250;

const KEEPS_CHANGING = `Its events changed each of the ${MAX_PREPARES} times that prepare() read them. Nothing was sent. Holdfast tries again later.`;

export type RunEnd = 'committed' | 'failed' | 'suspended';

interface ConsumerRunOptions {
  readonly context: EngineContext;
  readonly effects: Effects;
  readonly session: Session;
  readonly handler: HandlerToRun;
  /** Read before each effect: why it must not be sent (paused, canceled), or null. */
  readonly whyNoEffect: (runId: string) => string | null;
}

export class ConsumerRun {
  readonly #context: EngineContext;
  readonly #options: ConsumerRunOptions;
  readonly #events: RunEvents;
  /** Known once the run has begun. */
  runId: string | null = null;
  #logs: LogLine[] = [];
  /** The number of lines that the run's row has. */
  #savedLines = 0;
  /** The topics as they were when prepare() began. */
  #seen: SeenTopics | null = null;
  /** Microdollars of reads that the run's row doesn't count yet. */
  #cost = 0;
  /** The policy of the inputs whose events the run reserved. */
  #policy: PolicyInForce = NO_POLICY;

  constructor(options: ConsumerRunOptions) {
    this.#context = options.context;
    this.#options = options;
    this.#events = new RunEvents(options.context, options.handler);
  }

  /** Runs from the beginning. Prepares again while the events that it read change meanwhile. */
  async start(): Promise<RunEnd> {
    const { handler } = this.#options;
    const { stores, store } = this.#context;
    const inputState = stores.handlerState.get(handler.workflowId, handler.name)?.state ?? null;
    const runId = store.ids.ulid();
    this.runId = runId;
    const row = this.#newRow(runId, inputState);
    for (let prepares = 0; prepares < MAX_PREPARES; prepares += 1) {
      const prepared = await this.#prepare(runId, inputState, row);
      if ('failure' in prepared)
        return this.#fail(row.create(), prepared.failure, prepared.suspects);
      const { checkpoint } = prepared;
      const refused = await this.#applyPolicy(this.#inputsOf(checkpoint));
      if (refused) return this.#fail(row.create(), refused, []);
      // mutate() computes while the checkpoint is written; its call is sent only afterwards.
      const mutating = this.#computeMutate(runId, checkpoint);
      const run = await this.#checkpoint(checkpoint, row);
      const mutated = await mutating;
      if (run) return this.#mutate(run, checkpoint, mutated);
    }
    return this.#fail(row.create(), { errorType: 'internal', error: KEEPS_CHANGING }, []);
  }

  #inputsOf(checkpoint: Checkpoint): string[] {
    return inputsOfEvents(this.#events.of(checkpoint));
  }

  /** Why the run may make no call, if the policy of an input can't be read. */
  async #applyPolicy(inputs: readonly string[]): Promise<Failure | null> {
    const found = await this.#context.policies.require(inputs);
    if (found.type === 'unusable') return { errorType: 'permission', error: found.error };
    this.#policy = found.policy;
    return null;
  }

  async #prepare(runId: string, inputState: Json, row: NewRow): Promise<PrepareEnd> {
    const { clock } = this.#context.store;
    this.#seen = this.#topicsNow();
    const cancelTimer = clock.wakeAt(clock.now() + SHOW_PREPARING_AFTER_MS, () => {
      row.create();
    });
    let shown: Promise<unknown> | undefined;
    const show = ([event]: readonly TopicEvent[]): Promise<unknown> =>
      (shown ??= this.#context.commits.commit(() => row.create(event?.causedBy ?? undefined)));
    const { handler } = this.#options;
    const options = { beforeRead: show };
    const phase = await runPhase(this.#context, handler, 'prepare', runId, [inputState], options);
    cancelTimer();
    this.#logs.push(...phase.logs);
    this.#cost += phase.calls.cost;
    this.#events.pin(phase.calls.peeked);
    const suspects = phase.calls.peeked.slice(0, 1).map(({ id }) => id);
    if (phase.type === 'failed') return { failure: phase, suspects };
    const parsed = parsePrepared(phase.value, clock.now());
    if (!parsed.ok) return { failure: logicError(parsed.problem), suspects };
    const checkpoint = this.#events.checkpoint(parsed.prepared);
    if (typeof checkpoint === 'string') return { failure: logicError(checkpoint), suspects: [] };
    return { checkpoint };
  }

  /** Continues after the effect, which was settled or made before a crash. */
  async continueFrom(from: HandlerRun): Promise<RunEnd> {
    const run = this.#isOurs(from) ? from : await this.#continueAsOwner(from);
    this.#goOn(run);
    // After the effect the run goes forward, also without its policy: next() makes no calls.
    await this.#applyPolicy(this.#inputsOf(checkpointOf(run)));
    return this.#next(run, checkpointOf(run), this.#outcomeOf(run));
  }

  /** Sends the effect again. The ledger has it in flight, because a person decided so. */
  async sendAgain(run: HandlerRun): Promise<RunEnd> {
    this.#goOn(run);
    const { effects, handler } = this.#options;
    return this.#afterEffect(run, checkpointOf(run), await effects.sendAgain(handler, run));
  }

  async check(run: HandlerRun): Promise<RunEnd> {
    this.#goOn(run);
    const { effects, handler } = this.#options;
    const end = await effects.check(handler, run);
    // While the workflow is paused, only the outcome is recorded. The run goes on after the resume.
    if (end.type === 'applied' && this.#isPaused()) return 'suspended';
    return this.#afterEffect(run, checkpointOf(run), end);
  }

  /** The log continues after what the run wrote before. */
  #goOn(run: HandlerRun): void {
    this.runId = run.id;
    this.#logs = [...(run.logs as unknown as LogLine[])];
    this.#savedLines = this.#logs.length;
  }

  #topicsNow(): SeenTopics {
    const { script, name } = this.#options.handler;
    const { events } = this.#context.stores;
    const ids = (script.config.consumers[name]?.subscribes ?? []).map(
      (topic) => script.topicIds.get(topic) ?? '',
    );
    const revisions = Object.fromEntries(ids.map((id) => [id, events.revision(id)]));
    return { scriptId: script.scriptId, revisions };
  }

  /** The run's row, created once: early, with the checkpoint, or when the run fails. */
  #newRow(runId: string, inputState: Json): NewRow {
    const { stores, store } = this.#context;
    const { session, handler } = this.#options;
    const { workflowId, name } = handler;
    const startedAt = store.clock.now();
    const { retryOf } = stores.consumerWakes.get(workflowId, name);
    let row: HandlerRun | undefined;
    const insert = (begins: Begins, causedBy?: string): HandlerRun =>
      stores.handlerRuns.create({
        id: runId,
        scriptRunId: session.runId,
        workflowId,
        handlerType: 'consumer',
        handlerName: name,
        inputState,
        epoch: session.epoch,
        startedAt,
        ...(retryOf === null ? {} : { retryOf }),
        ...(causedBy === undefined ? {} : { causedBy }),
        begins,
        // A row that is created before its checkpoint gets the cost with its next phase.
        ...(begins.phase === 'prepared' ? { cost: this.#cost } : {}),
      });
    return {
      // Reads it, because the write that created it may have been rolled back and be repeated.
      create: (causedBy) =>
        (row = stores.handlerRuns.get(runId) ?? insert({ phase: 'preparing' }, causedBy)),
      checkpoint: (prepareResult, causedBy) => {
        if (!row) return insert({ phase: 'prepared', prepareResult }, causedBy);
        const moved = stores.handlerRuns.checkpoint(row.id, prepareResult, this.#cost);
        if (moved.type !== 'moved') throw new Error(moved.message);
        return { ...row, state: { phase: 'prepared' }, prepareResult };
      },
    };
  }

  /** Commit 1: run row, prepare result, reservations and events. Null if an event has changed. */
  async #checkpoint(checkpoint: Checkpoint, row: NewRow): Promise<HandlerRun | null> {
    const { stores, commits, probe } = this.#context;
    const ids = checkpoint.reservations.map(({ eventId }) => eventId);
    const seen = this.#events.of(checkpoint);
    const causedBy = seen[0]?.causedBy ?? undefined;
    probe('prepare:before');
    try {
      const run = await commits.commit(() => {
        this.#options.session.accept();
        const made = row.checkpoint(checkpoint as unknown as Json, causedBy);
        if (ids.length > 0) {
          const taken = stores.events.reserve(ids, made.id, seen);
          if (taken.type !== 'moved') throw new Refused(taken.message);
          this.#linkSession(checkpoint);
        }
        return made;
      });
      probe('prepare:after');
      this.#cost = 0;
      return run;
    } catch (error) {
      refusalReason(error);
      return null;
    }
  }

  /** Records the session in the inputs whose first event this run takes. */
  #linkSession(checkpoint: Checkpoint): void {
    for (const { causedBy, depth } of this.#events.of(checkpoint)) {
      if (causedBy !== null && depth <= 1) {
        this.#context.inputs.recordSession(causedBy, this.#options.session.runId);
      }
    }
  }

  /** Null if no effect is due. */
  #computeMutate(runId: string, checkpoint: Checkpoint): Promise<PhaseEnd> | null {
    const { handler } = this.#options;
    const consumer = handler.script.config.consumers[handler.name];
    if (checkpoint.reservations.length === 0 || !consumer?.hasMutate) return null;
    const args = [this.#events.preparedView(checkpoint)];
    return runPhase(this.#context, handler, 'mutate', runId, args, { policy: this.#policy });
  }

  async #mutate(run: HandlerRun, checkpoint: Checkpoint, phase: PhaseEnd | null): Promise<RunEnd> {
    if (!phase) return this.#next(run, checkpoint, { status: 'none' });
    this.#logs.push(...phase.logs);
    if (phase.type === 'failed') return this.#fail(run, phase, []);
    const call = phase.calls.mutation;
    if (!call) return this.#next(run, checkpoint, { status: 'none' });
    const { handler, session, effects } = this.#options;
    const isPreview = session.flags.sandboxPreview || this.#policy.isPreview;
    const turn = await effects.turnOf(handler, call, { isPreview, policy: this.#policy });
    if (turn.type === 'waits') return this.#fail(run, turn, []);
    try {
      return await this.#perform(run, checkpoint, { call, isPreview, visit: turn.visit });
    } finally {
      turn.visit?.leave({ type: 'unanswered' });
    }
  }

  async #perform(
    run: HandlerRun,
    checkpoint: Checkpoint,
    effect: Pick<EffectRequest, 'call' | 'isPreview' | 'visit'>,
  ): Promise<RunEnd> {
    const { handler, effects, whyNoEffect } = this.#options;
    const reason = whyNoEffect(run.id);
    if (reason !== null) return this.#startOver(run, reason);
    // next() computes while the outcome is written; its output is part of the last commit.
    let next: Promise<PhaseEnd> | null = null;
    const end = await effects.perform({
      ...effect,
      handler,
      run,
      reserved: checkpoint.reservations,
      policy: this.#policy,
      onApplied: (result) => {
        next = this.#computeNext(run.id, checkpoint, { status: 'applied', result });
      },
    });
    return this.#afterEffect(run, checkpoint, end, next);
  }

  async #afterEffect(
    run: HandlerRun,
    checkpoint: Checkpoint,
    end: EffectEnd,
    next: Promise<PhaseEnd> | null = null,
  ): Promise<RunEnd> {
    const { costProblem } = end;
    if (costProblem !== undefined) {
      this.#logs.push(warning(costProblem, this.#context.store.clock.now()));
    }
    switch (end.type) {
      case 'applied':
        if (!this.#isOurs(run)) return this.continueFrom(run);
        return this.#next(run, checkpoint, { status: 'applied', result: end.result }, next);
      case 'failed':
        return this.#fail(run, end, []);
      case 'suspended':
        this.#saveLogs(run);
        return 'suspended';
    }
  }

  /** Null if the consumer has no next(). */
  #computeNext(
    runId: string,
    checkpoint: Checkpoint,
    outcome: JsonObject,
  ): Promise<PhaseEnd> | null {
    const { handler } = this.#options;
    if (!handler.script.config.consumers[handler.name]?.hasNext) return null;
    const args = [this.#events.preparedView(checkpoint), outcome];
    const options = { policy: this.#policy, inputs: this.#inputsOf(checkpoint) };
    return runPhase(this.#context, handler, 'next', runId, args, options);
  }

  async #next(
    run: HandlerRun,
    checkpoint: Checkpoint,
    outcome: JsonObject,
    computing: Promise<PhaseEnd> | null = null,
  ): Promise<RunEnd> {
    const { script, name } = this.#options.handler;
    if (!Object.hasOwn(script.config.consumers, name)) return this.#waitForHandler(run);
    const phase = await (computing ?? this.#computeNext(run.id, checkpoint, outcome));
    this.#logs.push(...(phase?.logs ?? []));
    if (phase?.type === 'failed') {
      const isAfterEffect = outcome['status'] !== 'none';
      return isAfterEffect ? this.#suspendAfterEffect(run, phase) : this.#fail(run, phase, []);
    }
    const state = phase?.value ?? run.inputState;
    return this.#commit(run, checkpoint, outcome, state, phase?.calls);
  }

  /** Commit 5: events published and consumed, state, run. */
  async #commit(
    run: HandlerRun,
    checkpoint: Checkpoint,
    outcome: JsonObject,
    state: Json,
    calls: PhaseEnd['calls'] | undefined,
  ): Promise<RunEnd> {
    const { commits, probe } = this.#context;
    const { handler, session } = this.#options;
    const { published = [], completion } = calls ?? {};
    const artifacts = await putArtifacts(this.#context, calls?.artifacts.written ?? []);
    const events = this.#events;
    probe('commit:before');
    try {
      await commits.commit(() => {
        session.accept();
        const seen = this.#seen;
        const done = {
          run,
          handler,
          events,
          checkpoint,
          seen,
          outcome,
          state,
          published,
          artifacts,
          completion,
        };
        commitRun(this.#context, done);
        this.#saveLogs(run);
      });
    } catch (error) {
      return this.#suspendAfterEffect(run, logicError(refusalReason(error)));
    }
    probe('commit:after');
    return 'committed';
  }

  /** The run was stopped before its effect, which is no failure of its handler. */
  async #startOver(run: HandlerRun, why: string): Promise<RunEnd> {
    return this.#context.commits.commit(() => {
      this.#saveLogs(run);
      if (this.#isOwnershipLost()) endRunAsMaker(this.#context, run);
      else startOver(this.#context, run, { errorType: 'internal', error: why }, false);
      return 'failed';
    });
  }

  /** The run failed before its effect. */
  async #fail(run: HandlerRun, failure: Failure, suspects: readonly string[]): Promise<RunEnd> {
    const cost = this.#cost;
    return this.#context.commits.commit(() => {
      this.#saveLogs(run);
      if (this.#isOwnershipLost()) {
        endRunAsMaker(this.#context, run, cost);
        return 'failed';
      }
      const end = handleFailure(this.#context, run, { ...failure, cost }, suspects);
      return end === 'suspended' ? 'suspended' : 'failed';
    });
  }

  /** The run failed after its effect. It stays suspended, and the workflow is paused. */
  async #suspendAfterEffect(run: HandlerRun, failure: Failure): Promise<RunEnd> {
    const { stores, commits } = this.#context;
    return commits.commit((): RunEnd => {
      // The effect is in the ledger; the new owner continues from there.
      if (this.#isOwnershipLost()) return 'suspended';
      this.#suspend(run, failure);
      const reason = stoppedInTheMiddle(run.handlerName, failure.error);
      stores.workflows.setStatus(run.workflowId, 'paused', reason);
      return 'suspended';
    });
  }

  #isPaused(): boolean {
    const { workflowId } = this.#options.handler;
    return this.#context.stores.workflows.runStatus(workflowId)?.status !== 'active';
  }

  /** The version has no such consumer. Its other handlers keep running. */
  async #waitForHandler(run: HandlerRun): Promise<RunEnd> {
    return this.#context.commits.commit((): RunEnd => {
      if (!this.#isOwnershipLost()) this.#suspend(run, logicError(handlerGone(run.handlerName)));
      return 'suspended';
    });
  }

  #suspend(run: HandlerRun, { errorType, error }: Failure): void {
    const { handlerRuns } = this.#context.stores;
    const reason = errorType === 'internal' ? 'internal' : 'logic';
    const { phase } = handlerRuns.get(run.id)?.state ?? {};
    if (phase === 'mutated' || phase === 'prepared') {
      handlerRuns.moveConsumer(run.id, { type: 'emit' });
    }
    handlerRuns.moveConsumer(run.id, { type: 'suspend', reason, error });
    recordRunEvent(this.#context, run, 'run.suspended', { reason, error });
    this.#saveLogs(run);
  }

  #isOwnershipLost(): boolean {
    const { session, handler } = this.#options;
    return !this.#context.stores.ownership.holds(handler.workflowId, session.epoch);
  }

  /** Made by this device and not taken over since, so this device writes its columns. */
  #isOurs(run: HandlerRun): boolean {
    return run.deviceId === this.#context.store.deviceId && !run.isTakenOver;
  }

  /** Continues another device's run in a new one, because each device writes its own rows. */
  async #continueAsOwner(run: HandlerRun): Promise<HandlerRun> {
    return this.#context.commits.commit(() => {
      this.#options.session.accept();
      const now = this.#context.stores.handlerRuns.get(run.id) ?? run;
      return continueInNewRun(this.#context, now, 'Another device started this run.');
    });
  }

  /** The `outcome` argument of next(). By effect, because an earlier run may have made it. */
  #outcomeOf(run: HandlerRun): JsonObject {
    const effect = effectId(run.workflowId, run.handlerName, checkpointOf(run).reservations);
    const rows = this.#context.stores.mutations
      .ofEffect(effect)
      .flatMap(({ state, made, stateOfMaker }) => [state, made, stateOfMaker]);
    const applied = rows.find((state) => state.status === 'applied');
    if (applied?.status === 'applied') return { status: 'applied', result: applied.result };
    const isSkipped = rows.some((state) => state.status === 'indeterminate' && state.resolved);
    return { status: isSkipped ? 'skipped' : 'none' };
  }

  #saveLogs(run: HandlerRun): void {
    if (this.#logs.length === this.#savedLines || !this.#isOurs(run)) return;
    this.#context.stores.handlerRuns.setLogs(run.id, this.#logs as unknown as Json);
  }
}

type PrepareEnd =
  | { readonly checkpoint: Checkpoint }
  | { readonly failure: Failure; readonly suspects: readonly string[] };

type Begins = NonNullable<Parameters<HandlerRunStore['create']>[0]['begins']>;

interface NewRow {
  /** The row of a run that is still preparing. */
  create(causedBy?: string): HandlerRun;
  /** The row with its prepare result. Call inside a write. */
  checkpoint(prepareResult: Json, causedBy: string | undefined): HandlerRun;
}

function checkpointOf(run: HandlerRun): Checkpoint {
  return run.prepareResult as unknown as Checkpoint;
}

function logicError(error: string): Failure {
  return { errorType: 'logic', error };
}
