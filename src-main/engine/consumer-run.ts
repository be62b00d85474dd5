// One run of one consumer: prepare → mutate → next, with a commit at each place where a crash must
// find a known state. What happened before the effect may start over; what comes after goes forward.
import { allOrNothing } from '#main/engine/all-or-nothing.ts';
import { Effects, type EffectEnd } from '#main/engine/effects.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { handleFailure } from '#main/engine/failure.ts';
import { recordRunEvent } from '#main/engine/history.ts';
import { eventView } from '#main/engine/phase-calls.ts';
import { parsePrepared, type Prepared } from '#main/engine/prepare-result.ts';
import { keepState, publishAll } from '#main/engine/publish.ts';
import { runPhase, type HandlerToRun } from '#main/engine/run-phase.ts';
import type { Session } from '#main/engine/session.ts';
import type { LogLine } from '#main/sandbox/sandbox.ts';
import type { HandlerRun } from '#main/store/handler-runs.ts';
import { effectId, topicId } from '#shared/ids.ts';
import type { Json, JsonObject } from '#shared/json.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';

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
  #logs: LogLine[] = [];

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
    let row: HandlerRun | undefined;
    const create = (
      begins: 'preparing' | { prepareResult: Json },
      causedBy?: string,
    ): HandlerRun => {
      const id = stores.handlerRuns.create({
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
      return stores.handlerRuns.get(id) as HandlerRun;
    };
    const callOff = store.clock.wakeAt(startedAt + SHOW_PREPARING_AFTER_MS, () => {
      row ??= create('preparing');
    });

    const runName = `${this.#session.runId}:${this.#session.nextSeq()}`;
    const phase = await runPhase(this.#context, this.#handler, 'prepare', runName, [inputState]);
    callOff();
    this.#logs.push(...phase.logs);
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

    const checkpoint = await this.#checkpoint(parsed.prepared, row, create);
    if (checkpoint.type === 'failed') {
      row ??= create('preparing');
      return this.#fail(row, { errorType: 'logic', error: checkpoint.error }, []);
    }
    this.hadReservations = checkpoint.checkpoint.reservations.length > 0;
    return this.#mutate(checkpoint.run, checkpoint.checkpoint);
  }

  /** From after the effect: it was settled, or this run goes on for one that crashed. */
  async goOn(run: HandlerRun): Promise<RunEnd> {
    this.#logs = [...(run.logs as unknown as LogLine[])];
    return this.#next(run, run.prepareResult as unknown as Checkpoint, this.#outcomeOf(run));
  }

  /** A person chose to send it again; the ledger has it in flight. */
  async sendAgain(run: HandlerRun): Promise<RunEnd> {
    const checkpoint = run.prepareResult as unknown as Checkpoint;
    return this.#settle(run, checkpoint, await this.#effects.sendAgain(this.#handler, run));
  }

  async reconcile(run: HandlerRun): Promise<RunEnd> {
    const checkpoint = run.prepareResult as unknown as Checkpoint;
    return this.#settle(run, checkpoint, await this.#effects.reconcile(this.#handler, run));
  }

  /** Commit 1: run row, result, reservations and events, together. */
  async #checkpoint(
    prepared: Prepared,
    row: HandlerRun | undefined,
    create: (begins: { prepareResult: Json }, causedBy?: string) => HandlerRun,
  ): Promise<
    | { readonly type: 'ok'; readonly run: HandlerRun; readonly checkpoint: Checkpoint }
    | { readonly type: 'failed'; readonly error: string }
  > {
    const { stores, commits, probe } = this.#context;
    const reserved = this.#lookUp(prepared.reservations);
    if (typeof reserved === 'string') return { type: 'failed', error: reserved };
    const checkpoint: Checkpoint = {
      reservations: reserved,
      data: prepared.data,
      ui: prepared.title === null ? {} : { title: prepared.title },
      wakeAt: prepared.wakeAt,
    };
    const first = reserved[0] && stores.events.get(reserved[0].eventId);
    probe('prepare:before');
    try {
      const run = await commits.commit(() => {
        this.#session.accept();
        const prepareResult = checkpoint as unknown as Json;
        if (row) stores.handlerRuns.checkpoint(row.id, prepareResult);
        const made = row ?? create({ prepareResult }, first?.causedBy ?? undefined);
        if (reserved.length > 0) {
          const taken = stores.events.reserve(
            reserved.map(({ eventId }) => eventId),
            made.id,
          );
          if (taken.type !== 'moved') throw new ReservationRefused(taken.message);
        }
        return stores.handlerRuns.get(made.id) as HandlerRun;
      });
      probe('prepare:after');
      return { type: 'ok', run, checkpoint };
    } catch (error) {
      if (error instanceof ReservationRefused) return { type: 'failed', error: error.message };
      throw error;
    }
  }

  /** The events by their ids, or why they cannot be reserved. */
  #lookUp(ids: readonly string[]): Reserved[] | string {
    const { stores } = this.#context;
    const { workflowId, script, name } = this.#handler;
    const topics = new Map(
      (script.config.consumers[name]?.subscribes ?? []).map((topic) => [
        topicId(workflowId, topic),
        topic,
      ]),
    );
    const reserved: Reserved[] = [];
    for (const id of ids) {
      const event = stores.events.get(id);
      const topic = event && topics.get(event.topicId);
      if (!event || topic === undefined) {
        return `prepare() reserved "${id}", which is no event of a topic that this consumer subscribes to.`;
      }
      reserved.push({ eventId: id, attempt: event.state.attempt, topic });
    }
    return reserved;
  }

  async #mutate(run: HandlerRun, checkpoint: Checkpoint): Promise<RunEnd> {
    const consumer = this.#handler.script.config.consumers[this.#handler.name];
    if (checkpoint.reservations.length === 0 || !consumer?.hasMutate) {
      return this.#next(run, checkpoint, { status: 'none' });
    }
    const phase = await runPhase(this.#context, this.#handler, 'mutate', run.id, [
      this.#preparedView(checkpoint),
    ]);
    this.#logs.push(...phase.logs);
    if (phase.type === 'failed') return this.#fail(run, phase, []);
    const call = phase.calls.mutation;
    if (!call) return this.#next(run, checkpoint, { status: 'none' });
    const stop = this.#shouldStop(run.id);
    if (stop !== null) return this.#fail(run, { errorType: 'internal', error: stop }, []);
    const end = await this.#effects.perform({
      handler: this.#handler,
      run,
      call,
      reserved: checkpoint.reservations,
      isPreview: this.#session.flags.sandboxPreview,
    });
    return this.#settle(run, checkpoint, end);
  }

  async #settle(run: HandlerRun, checkpoint: Checkpoint, end: EffectEnd): Promise<RunEnd> {
    switch (end.type) {
      case 'applied':
        return this.#next(run, checkpoint, { status: 'applied', result: end.result });
      case 'failed':
        return this.#fail(run, end, []);
      case 'suspended':
        this.#keepLogs(run);
        return 'suspended';
    }
  }

  async #next(run: HandlerRun, checkpoint: Checkpoint, outcome: JsonObject): Promise<RunEnd> {
    const consumer = this.#handler.script.config.consumers[this.#handler.name];
    if (!consumer?.hasNext) return this.#commit(run, checkpoint, outcome, run.inputState, []);
    const phase = await runPhase(this.#context, this.#handler, 'next', run.id, [
      this.#preparedView(checkpoint),
      outcome,
    ]);
    this.#logs.push(...phase.logs);
    if (phase.type === 'failed') {
      // Before any effect it may start over; after it there is only the way forward.
      const isAfterEffect = outcome['status'] !== 'none';
      return isAfterEffect ? this.#holdAfterEffect(run, phase) : this.#fail(run, phase, []);
    }
    const state = phase.value ?? run.inputState;
    return this.#commit(run, checkpoint, outcome, state, phase.calls.published);
  }

  /** Commit 5: events consumed, events emitted, state, run. */
  async #commit(
    run: HandlerRun,
    checkpoint: Checkpoint,
    outcome: JsonObject,
    state: Json,
    published: Parameters<typeof publishAll>[2],
  ): Promise<RunEnd> {
    const { stores, store, commits, probe } = this.#context;
    probe('commit:before');
    const problem = await commits.commit(() => {
      this.#session.accept();
      const refused = allOrNothing(
        store.db,
        () =>
          publishAll(this.#context, run, published, checkpoint.reservations) ??
          keepState(this.#context, run, state),
      );
      if (refused !== null) return refused;
      this.#finishEvents(run, outcome);
      if (stores.handlerRuns.get(run.id)?.state.phase !== 'emitting') {
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
      this.#afterSuccess(checkpoint);
      return null;
    });
    if (problem !== null) {
      return this.#holdAfterEffect(run, { errorType: 'logic', error: problem });
    }
    probe('commit:after');
    return 'committed';
  }

  #finishEvents(run: HandlerRun, outcome: JsonObject): void {
    const { events } = this.#context.stores;
    // A person may have skipped them already; what is still ours is consumed.
    const ours = events.reservedBy(run.id).map(({ id }) => id);
    if (ours.length === 0) return;
    if (outcome['status'] === 'skipped') {
      for (const id of ours) events.move(id, { type: 'skip', reason: 'by_person' });
    } else events.consume(ours, run.id);
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
      const reason = failure.errorType === 'internal' ? 'internal' : 'logic';
      const { phase } = stores.handlerRuns.get(run.id)?.state ?? {};
      if (phase === 'mutated' || phase === 'prepared') {
        stores.handlerRuns.moveConsumer(run.id, { type: 'emit' });
      }
      stores.handlerRuns.moveConsumer(run.id, { type: 'suspend', reason, error: failure.error });
      stores.workflows.setStatus(
        run.workflowId,
        'paused',
        `"${run.handlerName}" cannot finish what it began: ${firstLine(failure.error)}`,
      );
      recordRunEvent(this.#context, run, 'run.suspended', { reason, error: failure.error });
      this.#keepLogs(run);
      return 'suspended';
    });
  }

  #outcomeOf(run: HandlerRun): JsonObject {
    const { reservations } = run.prepareResult as unknown as Checkpoint;
    // By effect, not by run: it may have been made by the run that this one goes on for.
    const effect = effectId(run.workflowId, run.handlerName, reservations);
    const rows = this.#context.stores.mutations.ofEffect(effect).map(({ state }) => state);
    const applied = rows.find((state) => state.status === 'applied');
    if (applied?.status === 'applied') return { status: 'applied', result: applied.result };
    const isSkipped = rows.some((state) => state.status === 'indeterminate' && state.resolved);
    return { status: isSkipped ? 'skipped' : 'none' };
  }

  #preparedView(checkpoint: Checkpoint): JsonObject {
    const { events } = this.#context.stores;
    const reservations = checkpoint.reservations.flatMap(({ eventId, topic }) => {
      const event = events.get(eventId);
      return event ? [eventView(event, topic)] : [];
    });
    return { reservations, data: checkpoint.data, ui: { ...checkpoint.ui } };
  }

  #keepLogs(run: HandlerRun): void {
    if (this.#logs.length === 0) return;
    this.#context.stores.handlerRuns.setLogs(run.id, this.#logs as unknown as Json);
  }
}

class ReservationRefused extends Error {}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
