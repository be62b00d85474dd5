// The runs service of spec 004: the only place where the status of an automation run changes. Each
// change is allowed by the machine, made by who may make it, on the device that owns the workflow,
// and leaves a row in the history, all in one write. Told again, it changes nothing.
import type { Logger } from 'pino';
import { sanitize } from '#main/inputs/stages/sanitize.ts';
import type { Lease } from '#main/store/tables/automation-leases.ts';
import type { AutomationRun, Times } from '#main/store/tables/automation-runs.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { notFound, type NotFound } from '#main/store/sqlite/guarded-update.ts';
import type { NewInput } from '#main/store/tables/trigger-events.ts';
import { automationRunId, completionId } from '#shared/ids.ts';
import { follow, toTransition, type Under } from '#shared/inputs/derive-input-status.ts';
import type { StopAs } from '#shared/inputs/kinds.ts';
import type { Json, JsonObject } from '#shared/json.ts';
import { MAX_COMPLETION_BYTES } from '#shared/limits.ts';
import {
  isRepeat,
  isUnfinished,
  mayMove,
  transitionAutomationRun,
  type Actor,
  type AutomationRunState,
  type AutomationRunTransition,
} from '#shared/machines/automation-run.ts';
import { isRejection, reject, type Rejection } from '#shared/rejection.ts';

export interface RunsContext {
  readonly stores: Stores;
  readonly store: StoreContext;
  readonly log: Logger;
}

export type MoveResult =
  | { readonly type: 'moved'; readonly run: AutomationRun }
  | { readonly type: 'repeated'; readonly run: AutomationRun }
  /** Another device runs the workflow: it moves its runs. */
  | { readonly type: 'not_owner'; readonly message: string }
  /** The stage has lost its lease: somebody else works on the run now. */
  | { readonly type: 'fenced'; readonly message: string }
  | NotFound
  | Rejection;

export interface Move {
  readonly actor: Actor;
  readonly event: AutomationRunTransition;
  /** Of the stage that makes it: without it nothing is written. */
  readonly lease?: Lease;
  readonly times?: Partial<Times>;
  readonly data?: JsonObject;
}

export interface Registered {
  readonly inputId: string;
  readonly runId: string;
  readonly isNew: boolean;
}

/** On whose behalf the end is told that follows from what is under an input. */
const ACTOR_OF: { readonly [type in AutomationRunTransition['type']]?: Actor } = {
  skip: 'person',
  cancel: 'person',
  time_out: 'finalizer',
};

const EVERYTHING_DONE = 'Everything that it caused is done.';

export class AutomationRuns {
  readonly #context: RunsContext;
  /** Ended in the write of now; told in the log once it is committed. */
  #ended: AutomationRun[] = [];
  /** Told when there may be something for the dispatcher. */
  onWork: () => void = () => undefined;

  constructor(context: RunsContext) {
    this.#context = context;
    const { db } = context.store;
    db.beforeCommit(() => this.#followTouched());
    db.changes.onCommit(() => this.#logEnds());
  }

  /**
   * Input, run and first piece of work, in the write around it. The same again is the first. What
   * looks like a secret in it, or was named as one, is never written, not even here.
   */
  register(input: NewInput, payload: Json): Registered {
    const { stores } = this.#context;
    const known = stores.triggerEvents.find(input);
    if (known !== null) return { inputId: known, runId: automationRunId(known), isNew: false };
    const { value, redacted } = sanitize(input, payload);
    const id = stores.triggerEvents.insert(input, value, redacted);
    const runId = stores.automationRuns.insert(id, input);
    // Elsewhere its owner finds it by the merge, and writes its own.
    if (this.#owns(input.workflowId)) {
      stores.outbox.add(runId, 'enqueue_enrich');
      this.onWork();
    }
    return { inputId: id, runId, isNew: true };
  }

  move(runId: string, move: Move): MoveResult {
    const { stores, store } = this.#context;
    return store.db.write((): MoveResult => {
      const run = stores.automationRuns.get(runId);
      if (!run) return notFound('automation run', runId);
      const { actor, event, lease } = move;
      const refuse = (): Rejection => reject('automation run', run.state.status, event.type);
      if (!this.#owns(run.workflowId)) return notOwner();
      if (lease && !stores.automationLeases.holds(lease)) return fenced(runId);
      if (!mayMove(actor, event)) return refuse();
      if (isRepeat(run.state, event)) return { type: 'repeated', run };
      const to = transitionAutomationRun(run.state, event);
      if (isRejection(to)) return to;
      this.#write(run, to, move);
      return { type: 'moved', run: stores.automationRuns.get(runId) as AutomationRun };
    });
  }

  /**
   * `ctx.complete(result)`: told by the handler run that commits with it. The first end stands; what
   * comes after it is kept in the history as late, and changes nothing.
   */
  complete(inputId: string, cause: string, result: Json): MoveResult {
    const { stores, store } = this.#context;
    const runId = automationRunId(inputId);
    const event = { type: 'complete', completionId: completionId(runId, cause) } as const;
    return store.db.write((): MoveResult => {
      const run = stores.automationRuns.get(runId);
      if (!run) return notFound('automation run', runId);
      if (run.state.status === 'needs_human') {
        this.move(runId, { actor: 'engine', event: { type: 'go_on' } });
      }
      const moved = this.move(runId, { actor: 'engine', event });
      if (moved.type === 'moved') this.#keepCompletion(run, result);
      else if (moved.type === 'rejected') {
        const { status } = run.state;
        // Said before it is executing: kept, and it ends with it once nothing is left.
        if (isUnfinished(status)) stores.automationRuns.setCompletion(runId, result);
        else this.#append(run, 'automation.late_completion', { result: brief(result) }, run.moves);
      }
      return moved;
    });
  }

  /** Lets go of an input, as far as it can be. Null: it has ended already. */
  stop(inputId: string, as: StopAs, reason: string): 'stopped' | 'stopping' | null {
    const { stores, store } = this.#context;
    return store.db.write(() => {
      const run = stores.automationRuns.ofInput(inputId);
      if (!run || !isUnfinished(run.state.status) || !this.#owns(run.workflowId)) return null;
      if (!run.stopping) {
        const stopping = { as, reason, at: store.clock.now() };
        stores.automationRuns.setStopping(run.id, stopping);
        const actor = as === 'timed_out' ? 'finalizer' : 'person';
        this.#append(run, 'automation.stop_requested', { as, reason, actor }, 1);
      }
      this.follow(inputId);
      const after = stores.automationRuns.statusOf(inputId);
      return after !== undefined && isUnfinished(after) ? 'stopping' : 'stopped';
    });
  }

  settle(inputId: string, as: 'succeeded' | 'failed', reason: string): MoveResult {
    const runId = automationRunId(inputId);
    const event = {
      type: 'settle',
      as,
      reason,
      completionId: completionId(runId, 'person'),
    } as const;
    return this.move(runId, { actor: 'person', event, data: { reason, as } });
  }

  /** An effect under an input is known to have happened: its identity and its answer. */
  effectHappened(
    handlerRunId: string,
    response: Json,
    effectOf: () => {
      readonly effectId: string;
      readonly namespace: string;
      readonly method: string;
    },
  ): void {
    const { stores } = this.#context;
    const [inputId] = stores.inputChain.inputsOfRun(handlerRunId);
    if (inputId === undefined) return;
    const effect = effectOf();
    stores.sideEffects.record({
      effectId: effect.effectId,
      runId: automationRunId(inputId),
      handlerRunId,
      kind: `${effect.namespace}.${effect.method}`,
      provider: effect.namespace,
      response,
    });
  }

  /** The session in which the first of its events was taken. */
  sessionTook(inputId: string, sessionId: string): void {
    const { stores } = this.#context;
    const run = stores.automationRuns.ofInput(inputId);
    if (run && run.session === null && isUnfinished(run.state.status)) {
      stores.automationRuns.setSession(run.id, sessionId);
    }
  }

  /** What is unfinished in a workflow that has become ours. */
  adopt(workflowId: string): void {
    const { stores, store } = this.#context;
    store.db.write(() => {
      for (const run of stores.automationRuns.open(workflowId)) this.#takeUp(run);
    });
    this.onWork();
  }

  /** As `adopt`, for one run: a merge brought it, or nobody has looked at it for a while. */
  takeUp(runId: string): void {
    const { stores, store } = this.#context;
    store.db.write(() => {
      const run = stores.automationRuns.get(runId);
      if (run && isUnfinished(run.state.status)) this.#takeUp(run);
    });
    this.onWork();
  }

  #takeUp(run: AutomationRun): void {
    const { outbox } = this.#context.stores;
    if (!this.#owns(run.workflowId)) return outbox.drop(run.id);
    const { status } = run.state;
    if (status === 'queued' || status === 'enriching') outbox.add(run.id, 'enqueue_enrich');
    if (status === 'ready') outbox.add(run.id, 'enqueue_execute');
    this.follow(run.inputId);
  }

  /** Brings the run of an input to where what is under it says that it is. Inside a write. */
  follow(inputId: string): void {
    const { stores } = this.#context;
    for (;;) {
      const status = stores.automationRuns.statusOf(inputId);
      if (status === undefined || !isUnfinished(status)) return;
      const run = stores.automationRuns.ofInput(inputId) as AutomationRun;
      if (!this.#owns(run.workflowId)) return;
      if (run.stopping) this.#letGoOfPending(inputId);
      const followed = follow(status, run.stopping, this.#under(inputId));
      if (followed.type === 'stay') return;
      if (followed.type === 'drained' && this.#isPromptMissing(inputId)) return;
      const event = toTransition(followed, completionId(run.id, 'drained'));
      const moved = this.move(run.id, { actor: ACTOR_OF[event.type] ?? 'engine', event });
      if (moved.type !== 'moved') return;
      if (event.type === 'complete') this.#completeDrained(run, inputId);
    }
  }

  /** Its first event was never published: that nothing is left then says nothing. */
  #isPromptMissing(inputId: string): boolean {
    const { triggerEvents, inputChain } = this.#context.stores;
    const { consumed, skipped, setAside } = inputChain.ends(inputId);
    if (consumed + skipped + setAside > 0) return false;
    return triggerEvents.get(inputId)?.topic !== null;
  }

  #completeDrained(run: AutomationRun, inputId: string): void {
    const { stores } = this.#context;
    const { consumed, skipped } = stores.inputChain.ends(inputId);
    // A script may have said how it ended before it was executing.
    if (run.hasCompletion) stores.outbox.add(run.id, 'write_completion', run.queuedAt);
    else this.#keepCompletion(run, { summary: EVERYTHING_DONE, consumed, skipped });
    this.onWork();
  }

  #under(inputId: string): Under {
    const { inputChain } = this.#context.stores;
    if (inputChain.hasEventsLeft(inputId)) {
      return { ...NOTHING_DONE, isLeft: true, waitsForPerson: this.#whyPerson(inputId) };
    }
    if (inputChain.hasOpenRuns(inputId)) return { ...NOTHING_DONE, isLeft: true };
    return { isLeft: false, waitsForPerson: null, ...inputChain.ends(inputId) };
  }

  #whyPerson(inputId: string): string | null {
    for (const holder of this.#context.stores.inputChain.holders(inputId)) {
      if (holder.phase !== 'suspended') continue;
      if (holder.effect === 'indeterminate' && !holder.isResolved) {
        return `"${holder.handlerName}" made an effect whose outcome is not known. Settle it in the inbox.`;
      }
      if (holder.effect === 'pending') return `"${holder.handlerName}" asks a question.`;
      if (holder.reason === 'approval') {
        return `"${holder.handlerName}" waits for a permission: ${firstLine(holder.error)}`;
      }
      if (holder.reason === 'logic' || holder.reason === 'internal') {
        return `"${holder.handlerName}" cannot finish what it began: ${firstLine(holder.error)}`;
      }
    }
    return null;
  }

  #letGoOfPending(inputId: string): void {
    const { events, inputChain } = this.#context.stores;
    for (const id of inputChain.pending(inputId)) {
      events.move(id, { type: 'skip', reason: 'canceled' });
    }
  }

  #keepCompletion({ id, queuedAt }: AutomationRun, result: Json): void {
    const { stores } = this.#context;
    stores.automationRuns.setCompletion(id, result);
    stores.outbox.add(id, 'write_completion', queuedAt);
    this.onWork();
  }

  #write(run: AutomationRun, to: AutomationRunState, { actor, event, times, data }: Move): void {
    const { stores, store } = this.#context;
    const ends = isUnfinished(to.status) ? {} : { completed_at: store.clock.now() };
    stores.automationRuns.write(run, to, { ...times, ...ends });
    const { type, ...said } = event;
    const payload = { from: run.state.status, to: to.status, actor, by: type, ...said, ...data };
    this.#append(run, `automation.${to.status}`, payload, run.moves + 1);
    if (isUnfinished(to.status)) return;
    // Nothing is left to do for it but to keep how it ended.
    stores.outbox.drop(run.id);
    stores.automationLeases.forget(run.id);
    this.#ended.push(run);
  }

  #logEnds(): void {
    if (this.#ended.length === 0) return;
    const { stores, store, log } = this.#context;
    const ended = this.#ended;
    this.#ended = [];
    for (const { id, moves } of ended) {
      const run = stores.automationRuns.get(id);
      // Rolled back: it has not ended.
      if (run?.moves !== moves + 1) continue;
      const about = {
        run_id: id,
        trigger_event_id: run.inputId,
        session_id: run.session?.id ?? null,
        correlation_id: stores.triggerEvents.get(run.inputId)?.correlationId ?? run.inputId,
        space: store.spaceId,
        ms: (run.times.completed_at ?? run.queuedAt) - run.queuedAt,
      };
      log.info({ ...about, ...run.state }, 'an input has ended');
    }
  }

  #append(run: AutomationRun, eventType: string, payload: JsonObject, occurrence: number): void {
    const identity = {
      runId: run.id,
      eventType,
      logicalAttemptId: Math.max(1, occurrence),
      planId: run.workflowId,
      planVersion: 'inputs',
    };
    this.#context.stores.runState.record(identity, run, payload);
  }

  #owns(workflowId: string): boolean {
    return this.#context.stores.ownership.epoch(workflowId) !== null;
  }

  /** Whatever a write changed under inputs, their runs are brought along before it is committed. */
  #followTouched(): void {
    const { store, stores, log } = this.#context;
    for (
      let taken = store.db.changes.takeTouched();
      taken;
      taken = store.db.changes.takeTouched()
    ) {
      const inputs = new Set(taken.inputs);
      for (const run of taken.runs)
        for (const id of stores.inputChain.inputsOfRun(run)) inputs.add(id);
      for (const id of inputs) {
        try {
          store.db.write(() => this.follow(id));
        } catch (error) {
          // What it belongs to must not fail for it; the finalizer looks again.
          log.error({ err: error, trigger_event_id: id }, 'an input could not be followed');
        }
      }
    }
  }
}

const NOTHING_DONE: Under = {
  isLeft: false,
  waitsForPerson: null,
  consumed: 0,
  setAside: 0,
  skipped: 0,
};

function notOwner(): MoveResult {
  return {
    type: 'not_owner',
    message: 'Another device runs this workflow. Nothing was changed. It does what is to be done.',
  };
}

function fenced(runId: string): MoveResult {
  return {
    type: 'fenced',
    message: `The lease of the run ${runId} was lost: somebody else works on it. Nothing was changed.`,
  };
}

function firstLine(text: string | null): string {
  return text?.split('\n', 1)[0] ?? '';
}

/** In the history a glance is enough. */
function brief(result: Json): Json {
  const text = JSON.stringify(result);
  return text.length <= MAX_COMPLETION_BYTES ? result : `${text.slice(0, 1000)}…`;
}
