// One run of one consumer: prepare → mutate → next, with a commit at each place where a crash must
// find a known state. What happened before the effect may start over; what comes after goes forward.
import { detectAround } from '#main/engine/detect-incidents.ts';
import { Effects, type EffectEnd } from '#main/engine/effects.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { continueInNewRun } from '#main/engine/continue-in-new-run.ts';
import { endRunAsMaker, handleFailure } from '#main/engine/failure.ts';
import { recordRunEvent } from '#main/engine/record-run-event.ts';
import { eventView } from '#main/engine/phase-calls.ts';
import { parsePrepared, type Prepared } from '#main/engine/prepare-result.ts';
import { keepState, publishAll } from '#main/engine/commit-output.ts';
import { Refused, refusal } from '#main/engine/refused-write.ts';
import { runPhase, type HandlerToRun, type PhaseEnd } from '#main/engine/run-phase.ts';
import type { Session } from '#main/engine/session.ts';
import type { LogLine } from '#main/sandbox/sandbox.ts';
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Published } from '#shared/authoring/published.ts';
import { effectId } from '#shared/ids.ts';
import type { Json, JsonObject } from '#shared/json.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';
import { stoppedInTheMiddle } from '#shared/stop-reason.ts';

/** After this long a run that is still preparing is written down, so that it can be seen. */
const SHOW_PREPARING_AFTER_MS = 250;

export type RunEnd = 'committed' | 'failed' | 'suspended';

interface Reserved {
  readonly eventId: string;
  readonly attempt: number;
  readonly topic: string;
}

/** The prepare checkpoint as it stands in `prepare_result`. */
interface Checkpoint {
  readonly reservations: readonly Reserved[];
  readonly data: Json;
  readonly ui: { readonly title?: string };
  readonly wakeAt: number | null;
}

export class ConsumerRun {
  readonly #context: EngineContext;
  readonly #effects: Effects;
  readonly #session: Session;
  readonly #handler: HandlerToRun;
  readonly #shouldStop: (runId: string) => string | null;
  /** Whether its prepare took any event: known once it has run. */
  hadReservations = false;
  /** Known as soon as it has begun. */
  runId: string | null = null;
  #logs: LogLine[] = [];
  /** As prepare read them: pinned for the whole run. */
  readonly #events = new Map<string, TopicEvent>();

  constructor(options: {
    readonly context: EngineContext;
    readonly effects: Effects;
    readonly session: Session;
    readonly handler: HandlerToRun;
    /** Why no effect may be made any more (paused, canceled), looked at before each one. */
    readonly shouldStop: (runId: string) => string | null;
  }) {
    this.#context = options.context;
    this.#effects = options.effects;
    this.#session = options.session;
    this.#handler = options.handler;
    this.#shouldStop = options.shouldStop;
  }

  /** From the beginning. */
  async start(): Promise<RunEnd> {
    const { stores, store } = this.#context;
    const { workflowId, name } = this.#handler;
    const startedAt = store.clock.now();
    const { retryOf } = stores.consumerWakes.get(workflowId, name);
    const inputState = stores.handlerState.get(workflowId, name)?.state ?? null;
    const runId = store.ids.ulid();
    this.runId = runId;
    let row: HandlerRun | undefined;
    const create = (begins: 'preparing' | { prepareResult: Json }, causedBy?: string): HandlerRun =>
      stores.handlerRuns.create({
        id: runId,
        scriptRunId: this.#session.runId,
        workflowId,
        handlerType: 'consumer',
        handlerName: name,
        inputState,
        epoch: this.#session.epoch,
        startedAt,
        ...(retryOf === null ? {} : { retryOf }),
        ...(causedBy === undefined ? {} : { causedBy }),
        begins:
          begins === 'preparing'
            ? { phase: 'preparing' }
            : { phase: 'prepared', prepareResult: begins.prepareResult },
      });
    const callOff = store.clock.wakeAt(startedAt + SHOW_PREPARING_AFTER_MS, () => {
      row ??= create('preparing');
    });

    const phase = await runPhase(this.#context, this.#handler, 'prepare', runId, [inputState]);
    callOff();
    this.#logs.push(...phase.logs);
    for (const event of phase.calls.peeked) this.#events.set(event.id, event);
    const parsed =
      phase.type === 'done' ? parsePrepared(phase.value, store.clock.now()) : undefined;
    if (phase.type === 'failed' || parsed?.ok !== true) {
      const error =
        phase.type === 'failed'
          ? phase
          : { errorType: 'logic' as const, error: parsed?.ok === false ? parsed.problem : '' };
      row ??= create('preparing');
      return this.#fail(row, error, phase.calls.peeked[0] ? [phase.calls.peeked[0].id] : []);
    }

    const reserved = this.#lookUp(parsed.prepared.reservations);
    if (typeof reserved === 'string') {
      row ??= create('preparing');
      return this.#fail(row, { errorType: 'logic', error: reserved }, []);
    }
    const checkpoint = toCheckpoint(parsed.prepared, reserved);
    // Computed while the checkpoint is written; what it asks for is held back until it stands.
    const mutating = this.#computeMutate(runId, checkpoint);
    const run = await this.#checkpoint(checkpoint, row, create);
    if (typeof run === 'string') {
      row ??= create('preparing');
      return this.#fail(row, { errorType: 'logic', error: run }, []);
    }
    this.hadReservations = reserved.length > 0;
    return this.#mutate(run, checkpoint, await mutating);
  }

  /** From after the effect: it was settled, or this run goes on for one that crashed. */
  async goOn(from: HandlerRun): Promise<RunEnd> {
    const run = this.#isOurs(from) ? from : await this.#inOurName(from);
    this.runId = run.id;
    this.#logs = [...(run.logs as unknown as LogLine[])];
    return this.#next(run, run.prepareResult as unknown as Checkpoint, this.#outcomeOf(run));
  }

  /** A person chose to send it again; the ledger has it in flight. */
  async sendAgain(run: HandlerRun): Promise<RunEnd> {
    this.runId = run.id;
    const checkpoint = run.prepareResult as unknown as Checkpoint;
    return this.#settle(run, checkpoint, await this.#effects.sendAgain(this.#handler, run));
  }

  async reconcile(run: HandlerRun): Promise<RunEnd> {
    this.runId = run.id;
    const checkpoint = run.prepareResult as unknown as Checkpoint;
    return this.#settle(run, checkpoint, await this.#effects.reconcile(this.#handler, run));
  }

  /** Commit 1: run row, result, reservations and events, together. Or why they are not reserved. */
  async #checkpoint(
    checkpoint: Checkpoint,
    row: HandlerRun | undefined,
    create: (begins: { prepareResult: Json }, causedBy?: string) => HandlerRun,
  ): Promise<HandlerRun | string> {
    const { stores, commits, probe } = this.#context;
    const prepareResult = checkpoint as unknown as Json;
    const ids = checkpoint.reservations.map(({ eventId }) => eventId);
    const attempts = checkpoint.reservations.map(({ attempt }) => attempt);
    const causedBy = this.#event(ids[0])?.causedBy ?? undefined;
    probe('prepare:before');
    try {
      const run = await commits.commit(() => {
        this.#session.accept();
        if (row) stores.handlerRuns.checkpoint(row.id, prepareResult);
        const made: HandlerRun = row
          ? { ...row, state: { phase: 'prepared' }, prepareResult }
          : create({ prepareResult }, causedBy);
        if (ids.length > 0) {
          const taken = stores.events.reserve(ids, made.id, attempts);
          if (taken.type !== 'moved') throw new Refused(taken.message);
          this.#tellSession(checkpoint);
        }
        return made;
      });
      probe('prepare:after');
      return run;
    } catch (error) {
      return refusal(error);
    }
  }

  /** The inputs whose first event this is learn in which session they are worked on. */
  #tellSession(checkpoint: Checkpoint): void {
    for (const { causedBy, depth } of this.#causesOf(checkpoint)) {
      if (causedBy !== null && depth <= 1) {
        this.#context.inputs.recordSession(causedBy, this.#session.runId);
      }
    }
  }

  #event(id: string | undefined): TopicEvent | undefined {
    if (id === undefined) return undefined;
    const known = this.#events.get(id) ?? this.#context.stores.events.get(id);
    if (known) this.#events.set(id, known);
    return known;
  }

  /** The events by their ids, or why they cannot be reserved. */
  #lookUp(ids: readonly string[]): Reserved[] | string {
    const { script, name } = this.#handler;
    const topics = new Map(
      (script.config.consumers[name]?.subscribes ?? []).map((topic) => [
        script.topicIds.get(topic),
        topic,
      ]),
    );
    const reserved: Reserved[] = [];
    for (const id of ids) {
      const event = this.#event(id);
      const topic = event && topics.get(event.topicId);
      if (!event || topic === undefined) {
        return `prepare() reserved "${id}", which is no event of a topic that this consumer subscribes to.`;
      }
      reserved.push({ eventId: id, attempt: event.state.attempt, topic });
    }
    return reserved;
  }

  /** Null: there is nothing to mutate. It acts on nothing; that is for `#mutate`. */
  #computeMutate(runId: string, checkpoint: Checkpoint): Promise<PhaseEnd> | null {
    const consumer = this.#handler.script.config.consumers[this.#handler.name];
    if (checkpoint.reservations.length === 0 || !consumer?.hasMutate) return null;
    const args = [this.#preparedView(checkpoint)];
    return runPhase(this.#context, this.#handler, 'mutate', runId, args);
  }

  async #mutate(run: HandlerRun, checkpoint: Checkpoint, phase: PhaseEnd | null): Promise<RunEnd> {
    if (!phase) return this.#next(run, checkpoint, { status: 'none' });
    this.#logs.push(...phase.logs);
    if (phase.type === 'failed') return this.#fail(run, phase, []);
    const call = phase.calls.mutation;
    if (!call) return this.#next(run, checkpoint, { status: 'none' });
    const stop = this.#shouldStop(run.id);
    if (stop !== null) return this.#fail(run, { errorType: 'internal', error: stop }, []);
    // Computed while the outcome is written; what it publishes is part of the commit after it.
    let next: Promise<PhaseEnd> | null = null;
    const end = await this.#effects.perform({
      handler: this.#handler,
      run,
      call,
      reserved: checkpoint.reservations,
      isPreview: this.#session.flags.sandboxPreview,
      onApplied: (result) => {
        next = this.#computeNext(run.id, checkpoint, { status: 'applied', result });
      },
    });
    return this.#settle(run, checkpoint, end, next);
  }

  async #settle(
    run: HandlerRun,
    checkpoint: Checkpoint,
    end: EffectEnd,
    next: Promise<PhaseEnd> | null = null,
  ): Promise<RunEnd> {
    switch (end.type) {
      case 'applied':
        if (!this.#isOurs(run)) return this.goOn(run);
        return this.#next(run, checkpoint, { status: 'applied', result: end.result }, next);
      case 'failed':
        return this.#fail(run, end, []);
      case 'suspended':
        this.#keepLogs(run);
        return 'suspended';
    }
  }

  /** Null: it has no next(). */
  #computeNext(
    runId: string,
    checkpoint: Checkpoint,
    outcome: JsonObject,
  ): Promise<PhaseEnd> | null {
    if (!this.#handler.script.config.consumers[this.#handler.name]?.hasNext) return null;
    const args = [this.#preparedView(checkpoint), outcome];
    return runPhase(this.#context, this.#handler, 'next', runId, args);
  }

  async #next(
    run: HandlerRun,
    checkpoint: Checkpoint,
    outcome: JsonObject,
    computing: Promise<PhaseEnd> | null = null,
  ): Promise<RunEnd> {
    const phase = await (computing ?? this.#computeNext(run.id, checkpoint, outcome));
    if (!phase) return this.#commit(run, checkpoint, outcome, run.inputState, []);
    this.#logs.push(...phase.logs);
    if (phase.type === 'failed') {
      // Before any effect it may start over; after it there is only the way forward.
      const isAfterEffect = outcome['status'] !== 'none';
      return isAfterEffect ? this.#holdAfterEffect(run, phase) : this.#fail(run, phase, []);
    }
    const state = phase.value ?? run.inputState;
    const { published, completion } = phase.calls;
    return this.#commit(run, checkpoint, outcome, state, published, completion);
  }

  /** Commit 5: events consumed, events emitted, state, run. */
  async #commit(
    run: HandlerRun,
    checkpoint: Checkpoint,
    outcome: JsonObject,
    state: Json,
    published: readonly Published[],
    completion?: { readonly result: Json },
  ): Promise<RunEnd> {
    const { stores, store, commits, probe } = this.#context;
    probe('commit:before');
    const work = (): void => {
      this.#session.accept();
      const refused =
        publishAll(
          this.#context,
          run,
          this.#handler.script,
          published,
          this.#causesOf(checkpoint),
        ) ?? keepState(this.#context, run, state);
      if (refused !== null) throw new Refused(refused);
      this.#finishEvents(run, checkpoint, outcome);
      if (run.state.phase !== 'emitting') {
        stores.handlerRuns.moveConsumer(run.id, { type: 'emit' });
      }
      const at = store.clock.now();
      const moved = stores.handlerRuns.moveConsumer(run.id, {
        type: 'commit',
        outputState: state,
        at,
      });
      if (moved.type !== 'moved') throw new Error(moved.message);
      this.#keepLogs(run);
      if (completion) this.#complete(checkpoint, completion.result);
      this.#afterSuccess(checkpoint);
      detectAround(this.#context, run);
    };
    try {
      await commits.commit(work);
    } catch (error) {
      return this.#holdAfterEffect(run, { errorType: 'logic', error: refusal(error) });
    }
    probe('commit:after');
    return 'committed';
  }

  /** `ctx.complete()`: for each input whose events this run took; once, whichever run says it. */
  #complete({ reservations }: Checkpoint, result: Json): void {
    const { workflowId, name } = this.#handler;
    const cause = effectId(workflowId, name, reservations);
    const inputs = new Set(reservations.map(({ eventId }) => this.#event(eventId)?.causedBy));
    for (const input of inputs) if (input) this.#context.inputs.complete(input, cause, result);
  }

  #finishEvents(run: HandlerRun, { reservations }: Checkpoint, outcome: JsonObject): void {
    const { events } = this.#context.stores;
    if (outcome['status'] === 'skipped') {
      for (const { id } of events.reservedBy(run.id)) {
        events.move(id, { type: 'skip', reason: 'by_person' });
      }
      return;
    }
    // A person may have skipped some already: what is not this run's any more is refused, and stays.
    for (const { eventId } of reservations) {
      events.move(eventId, { type: 'consume', runId: run.id });
    }
  }

  #afterSuccess(checkpoint: Checkpoint): void {
    const { consumerWakes, workflows } = this.#context.stores;
    const { workflowId, name } = this.#handler;
    if (checkpoint.wakeAt === null) {
      consumerWakes.clear(workflowId, name);
      return;
    }
    const { wakeAt } = checkpoint;
    consumerWakes.set(workflowId, name, { wakeAt, notBefore: null, retryOf: null, failures: 0 });
    if (checkpoint.reservations.length === 0) workflows.setConsumerSleepUntil(workflowId, wakeAt);
  }

  async #fail(
    run: HandlerRun,
    failure: { readonly errorType: ErrorType; readonly error: string },
    suspects: readonly string[],
  ): Promise<RunEnd> {
    return this.#context.commits.commit(() => {
      this.#keepLogs(run);
      if (this.#isLost()) {
        endRunAsMaker(this.#context, run);
        return 'failed';
      }
      return handleFailure(this.#context, run, failure, suspects);
    });
  }

  /** The effect happened; what follows failed. It waits, in the same run, for the way forward. */
  async #holdAfterEffect(
    run: HandlerRun,
    failure: { readonly errorType: ErrorType; readonly error: string },
  ): Promise<RunEnd> {
    const { stores, commits } = this.#context;
    return commits.commit((): RunEnd => {
      // Its effect is written down; the rest is for whoever runs the workflow now.
      if (this.#isLost()) return 'suspended';
      const reason = failure.errorType === 'internal' ? 'internal' : 'logic';
      const { phase } = stores.handlerRuns.get(run.id)?.state ?? {};
      if (phase === 'mutated' || phase === 'prepared') {
        stores.handlerRuns.moveConsumer(run.id, { type: 'emit' });
      }
      stores.handlerRuns.moveConsumer(run.id, { type: 'suspend', reason, error: failure.error });
      stores.workflows.setStatus(
        run.workflowId,
        'paused',
        stoppedInTheMiddle(run.handlerName, failure.error),
      );
      recordRunEvent(this.#context, run, 'run.suspended', { reason, error: failure.error });
      this.#keepLogs(run);
      return 'suspended';
    });
  }

  #isLost(): boolean {
    const { stores } = this.#context;
    return !stores.ownership.holds(this.#handler.workflowId, this.#session.epoch);
  }

  /** Made by this device, and not taken over since: its columns are ours to write. */
  #isOurs(run: HandlerRun): boolean {
    return run.deviceId === this.#context.store.deviceId && !run.isTakenOver;
  }

  /** What another device began goes on in a run of our own: each writes its own rows. */
  async #inOurName(run: HandlerRun): Promise<HandlerRun> {
    return this.#context.commits.commit(() => {
      this.#session.accept();
      const now = this.#context.stores.handlerRuns.get(run.id) ?? run;
      return continueInNewRun(this.#context, now, 'Another device started this run.');
    });
  }

  #outcomeOf(run: HandlerRun): JsonObject {
    const { reservations } = run.prepareResult as unknown as Checkpoint;
    // By effect, not by run: it may have been made by the run that this one goes on for.
    const effect = effectId(run.workflowId, run.handlerName, reservations);
    const rows = this.#context.stores.mutations
      .ofEffect(effect)
      .flatMap(({ state, made }) => [state, made]);
    const applied = rows.find((state) => state.status === 'applied');
    if (applied?.status === 'applied') return { status: 'applied', result: applied.result };
    const isSkipped = rows.some((state) => state.status === 'indeterminate' && state.resolved);
    return { status: isSkipped ? 'skipped' : 'none' };
  }

  #causesOf({ reservations }: Checkpoint): TopicEvent[] {
    return reservations.flatMap(({ eventId }) => this.#event(eventId) ?? []);
  }

  #preparedView(checkpoint: Checkpoint): JsonObject {
    const reservations = checkpoint.reservations.flatMap(({ eventId, topic }) => {
      const event = this.#event(eventId);
      return event ? [eventView(event, topic)] : [];
    });
    return { reservations, data: checkpoint.data, ui: { ...checkpoint.ui } };
  }

  #keepLogs(run: HandlerRun): void {
    if (this.#logs.length === 0 || !this.#isOurs(run)) return;
    this.#context.stores.handlerRuns.setLogs(run.id, this.#logs as unknown as Json);
  }
}

function toCheckpoint(prepared: Prepared, reservations: readonly Reserved[]): Checkpoint {
  return {
    reservations,
    data: prepared.data,
    ui: prepared.title === null ? {} : { title: prepared.title },
    wakeAt: prepared.wakeAt,
  };
}
