// The runs service of spec 004: the only place that changes the status of an automation run. Each
// change is checked against the state machine, the actor, the lease and the owner of the workflow,
// and appends to the history, in one write. A repeated change does nothing.
import { automationRunFields, InputLog } from '#main/input-lifecycle/input-log.ts';
import type { LifecycleContext } from '#main/input-lifecycle/lifecycle-context.ts';
import { sanitize } from '#main/input-lifecycle/sanitize.ts';
import { needsHumanOf } from '#main/input-lifecycle/needs-human-rule.ts';
import {
  describeOpenWork,
  whyWithoutEvents,
  workUnderInput,
} from '#main/input-lifecycle/work-under-input.ts';
import type { Lease } from '#main/store/tables/automation-leases.ts';
import { REMINDED, type AutomationRun, type Times } from '#main/store/tables/automation-runs.ts';
import { notFound, type NotFound } from '#main/store/sqlite/guarded-update.ts';
import type { PendingEvent } from '#main/store/queries/input-chain.ts';
import type { SealedPayload } from '#main/store/tables/raw-payloads.ts';
import type { NewInput } from '#main/store/tables/trigger-events.ts';
import { automationRunId, completionId } from '#shared/ids.ts';
import {
  deriveStep,
  stepOfStop,
  toTransition,
  type Completes,
} from '#shared/inputs/derive-input-status.ts';
import { parseDuration } from '#shared/authoring/duration.ts';
import { STOPS, type StopAs } from '#shared/inputs/kinds.ts';
import type { NeedsHuman } from '#shared/inputs/needs-human.ts';
import type { Json, JsonObject } from '#shared/json.ts';
import { MAX_COMPLETION_BYTES, MAX_REMINDERS } from '#shared/limits.ts';
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

export type MoveResult =
  | { readonly type: 'moved'; readonly run: AutomationRun }
  | { readonly type: 'repeated'; readonly run: AutomationRun }
  /** Another device owns the workflow. */
  | { readonly type: 'not_owner'; readonly message: string }
  /** Another worker holds the lease. */
  | { readonly type: 'fenced'; readonly message: string }
  | NotFound
  | Rejection;

export interface Move {
  readonly actor: Actor;
  readonly event: AutomationRunTransition;
  /** The lease of the stage that moves the run; refused when it is lost. */
  readonly lease?: Lease;
  readonly times?: Partial<Times> & { readonly wait?: NeedsHuman };
  readonly data?: JsonObject;
}

export interface Registered {
  readonly inputId: string;
  readonly runId: string;
  readonly isNew: boolean;
}

/** The actor of a derived transition; the engine for the others. */
const ACTOR_OF: { readonly [type in AutomationRunTransition['type']]?: Actor } = {
  skip: 'person',
  cancel: 'person',
  time_out: 'finalizer',
};

/** A stage asks only for what its lease still allows. */
export interface Stop {
  readonly as: StopAs;
  readonly reason: string;
  readonly lease?: Lease;
}

const WITHOUT_EVENT = 'The workflow registered this input without an event. Nothing was done.';
const ALL_DONE = 'All events of this input were processed.';

export class InputLifecycle {
  readonly #context: LifecycleContext;
  readonly #log: InputLog;
  /** Called when the outbox may have work. */
  onWork: () => void = () => undefined;
  /** Seals a payload as it was received; null when it is not stored. */
  sealRaw: (inputId: string, raw: Uint8Array) => SealedPayload | null = () => null;

  constructor(context: LifecycleContext) {
    this.#context = context;
    this.#log = new InputLog(context);
    context.store.db.beforeCommit(() => this.#deriveTouched());
  }

  /**
   * Saves an input with its run and its first outbox row; call inside a write. A repeated input
   * returns the first one. Secrets are removed from `payload` before anything is written; `raw`, the
   * payload as it was received, is sealed.
   */
  register(input: NewInput, payload: Json, raw?: Uint8Array): Registered {
    const { stores } = this.#context;
    const known = stores.triggerEvents.find(input);
    if (known !== null) return { inputId: known, runId: automationRunId(known), isNew: false };
    const { value, redacted } = sanitize(input, payload);
    const id = stores.triggerEvents.insert(input, value, redacted);
    const runId = stores.automationRuns.insert(id, input);
    const sealed = raw ? this.sealRaw(id, raw) : null;
    if (sealed) stores.rawPayloads.insert(id, sealed);
    const { kind, source, bytes } = input;
    this.#log.add(runId, 0, 'input received', { kind, source, bytes });
    // The outbox is local: another owner adds its own row when the merge brings the run.
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
   * `ctx.complete(result)`, in the commit of the handler run that called it. The first end counts; a
   * later completion is recorded in the history and changes nothing.
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
      if (moved.type === 'moved') this.#saveCompletion(run, result);
      else if (moved.type === 'rejected') {
        const { status } = run.state;
        // Completed before the run was executing: the run ends with this result once it is drained.
        if (isUnfinished(status)) stores.automationRuns.setCompletion(runId, result);
        else {
          this.#append(run, 'automation.late_completion', { result: brief(result) }, run.moves);
          this.#log.add(runId, run.moves, 'late completion ignored');
        }
      }
      return moved;
    });
  }

  /** Skips pending events and stops the run once nothing is in progress. Null: it ended before. */
  stop(inputId: string, { as, reason, lease }: Stop): 'stopped' | 'stopping' | null {
    const { stores, store } = this.#context;
    return store.db.write(() => {
      const run = stores.automationRuns.ofInput(inputId);
      if (!run || !isUnfinished(run.state.status) || !this.#owns(run.workflowId)) return null;
      if (lease && !stores.automationLeases.holds(lease)) return null;
      if (!run.stopping) {
        const at = store.clock.now();
        const { within } = needsHumanOf(stores, run.workflowId);
        const stopping = { as, reason, at, until: at + parseDuration(within) };
        stores.automationRuns.setStopping(run.id, stopping);
        const actor = isStop(as) ? 'person' : 'finalizer';
        this.#append(run, 'automation.stop_requested', { as, reason, actor }, 1);
        this.#log.add(run.id, run.moves, 'stop requested', { as, reason, actor });
      }
      this.deriveStatus(inputId);
      const after = stores.automationRuns.statusOf(inputId);
      return after !== undefined && isUnfinished(after) ? 'stopping' : 'stopped';
    });
  }

  /**
   * The finalizer ends a run whose time is up, whatever is left. Open effects stay in the ledger, where
   * they can still be settled; what follows from them is skipped.
   */
  end(runId: string, { as, reason, lease }: Stop & { readonly lease: Lease }): MoveResult {
    const { stores, store } = this.#context;
    return store.db.write((): MoveResult => {
      const run = stores.automationRuns.get(runId);
      if (!run) return notFound('automation run', runId);
      const { inputId } = run;
      const said = /[^.!?]$/.test(reason) ? `${reason}.` : reason;
      const full = `${said} ${describeOpenWork(stores, inputId)}`.trim();
      const step = stepOfStop(
        { as, reason: full },
        { hasSent: stores.inputChain.hasSent(inputId) },
      );
      const event = toTransition(step, completionId(runId, 'drained'));
      const moved = this.move(runId, { actor: 'finalizer', event, lease });
      if (moved.type !== 'moved') return moved;
      const asked = run.stopping ?? { as, reason, at: store.clock.now() };
      const held = stores.inputChain.reservedAttempts(inputId);
      stores.automationRuns.setStopping(runId, { ...asked, held });
      return moved;
    });
  }

  /** Records a reminder. Devices that merge it notify their person as well. */
  remind(run: AutomationRun, number: number, lease: Lease): void {
    const { stores, store } = this.#context;
    store.db.write(() => {
      if (!stores.automationLeases.holds(lease)) return;
      const payload = { number, at: store.clock.now(), moves: run.moves, actor: 'finalizer' };
      this.#append(run, REMINDED, payload, run.moves * MAX_REMINDERS + number);
      store.db.changes.record('automation_runs', run.id);
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

  /** Records an applied effect with all inputs that it serves. `effectOf` is called if there are any. */
  recordEffect(
    handlerRunId: string,
    response: Json,
    effectOf: () => {
      readonly effectId: string;
      readonly namespace: string;
      readonly method: string;
    },
  ): void {
    const { stores } = this.#context;
    const inputs = stores.inputChain.inputsOfRun(handlerRunId);
    if (inputs.length === 0) return;
    const effect = effectOf();
    stores.sideEffects.record({
      effectId: effect.effectId,
      runIds: inputs.map(automationRunId),
      handlerRunId,
      kind: `${effect.namespace}.${effect.method}`,
      provider: effect.namespace,
      response,
    });
  }

  /** Records the session that reserved the input's first event. */
  recordSession(inputId: string, sessionId: string): void {
    const { stores } = this.#context;
    const run = stores.automationRuns.ofInput(inputId);
    if (run && run.session === null && isUnfinished(run.state.status)) {
      stores.automationRuns.setSession(run.id, sessionId);
      this.#log.add(run.id, run.moves, 'session recorded');
    }
  }

  /** Adopts the unfinished runs of a workflow that this device now owns. */
  adopt(workflowId: string): void {
    const { stores, store } = this.#context;
    store.db.write(() => {
      for (const run of stores.automationRuns.open(workflowId)) this.#adopt(run);
    });
    this.onWork();
  }

  /** Adopts one run: after a merge, or when the finalizer finds it. */
  adoptRun(runId: string): void {
    const { stores, store } = this.#context;
    store.db.write(() => {
      const run = stores.automationRuns.get(runId);
      if (run && isUnfinished(run.state.status)) this.#adopt(run);
    });
    this.onWork();
  }

  #adopt(run: AutomationRun): void {
    const { outbox } = this.#context.stores;
    if (!this.#owns(run.workflowId)) return outbox.drop(run.id);
    const { status } = run.state;
    if (status === 'queued' || status === 'enriching') outbox.add(run.id, 'enqueue_enrich');
    if (status === 'ready') outbox.add(run.id, 'enqueue_execute');
    this.deriveStatus(run.inputId);
  }

  /** Moves the run of an input to the status that its events and runs imply. Call inside a write. */
  deriveStatus(inputId: string): void {
    const { stores } = this.#context;
    for (;;) {
      const status = stores.automationRuns.statusOf(inputId);
      if (status === undefined) return;
      if (!isUnfinished(status)) return this.#afterEnd(inputId);
      const run = stores.automationRuns.ofInput(inputId) as AutomationRun;
      if (!this.#owns(run.workflowId)) return;
      if (run.stopping) this.#skipPending(inputId);
      const completes = (): Completes =>
        stores.workflows.inputRules(run.workflowId).completes ?? 'drained';
      const step = deriveStep(status, run.stopping, workUnderInput(stores, run), completes);
      if (step.type === 'stay') return;
      const why = step.type === 'drained' ? whyWithoutEvents(stores, inputId) : null;
      if (why === 'first_event_missing') return;
      if (why === 'none_published') {
        const event = { type: 'skip', reason: WITHOUT_EVENT } as const;
        this.move(run.id, { actor: 'engine', event });
        return;
      }
      const event = toTransition(step, completionId(run.id, 'drained'));
      const times =
        event.type === 'need_human' ? { wait: needsHumanOf(stores, run.workflowId) } : {};
      const moved = this.move(run.id, { actor: ACTOR_OF[event.type] ?? 'engine', event, times });
      if (moved.type !== 'moved') return;
      if (event.type === 'complete') this.#completeDrained(run, inputId);
    }
  }

  #completeDrained(run: AutomationRun, inputId: string): void {
    const { stores } = this.#context;
    const { consumed, skipped } = stores.inputChain.ends(inputId);
    // A handler may have called `ctx.complete` before the run was executing.
    if (run.hasCompletion) stores.outbox.add(run.id, 'write_completion', run.queuedAt);
    else this.#saveCompletion(run, { summary: ALL_DONE, consumed, skipped });
    this.onWork();
  }

  /** An event that other inputs led to as well is theirs until they are stopped, too. */
  #skipPending(inputId: string, isLate = (_event: PendingEvent): boolean => true): void {
    const { events, inputChain, automationRuns } = this.#context.stores;
    const isStopped = (other: string): boolean => {
      const run = automationRuns.ofInput(other);
      return Boolean(run?.stopping ?? run?.held);
    };
    for (const event of inputChain.pending(inputId)) {
      if (!isLate(event) || !event.otherInputs.every(isStopped)) continue;
      events.move(event.id, { type: 'skip', reason: 'canceled' });
    }
  }

  /** Work that was left at the end goes on, but nothing new follows from it unless a person reruns it. */
  #afterEnd(inputId: string): void {
    const { stores } = this.#context;
    if (!stores.automationRuns.hasStopping(inputId)) return;
    const run = stores.automationRuns.ofInput(inputId);
    if (!run?.held || !this.#owns(run.workflowId)) return;
    const { held } = run;
    this.#skipPending(inputId, ({ id, attempt }) => attempt === (held[id] ?? 1));
    const { isLeft, consumed, skipped } = workUnderInput(stores, run);
    if (!isLeft) this.#append(run, 'automation.late_end', { consumed, skipped }, run.moves);
  }

  #saveCompletion({ id, queuedAt }: AutomationRun, result: Json): void {
    const { stores } = this.#context;
    stores.automationRuns.setCompletion(id, result);
    stores.outbox.add(id, 'write_completion', queuedAt);
    this.onWork();
  }

  #write(run: AutomationRun, to: AutomationRunState, { actor, event, times, data }: Move): void {
    const { stores, store } = this.#context;
    // A person may settle an end; the time of the first one stays.
    const isEnd = isUnfinished(run.state.status) && !isUnfinished(to.status);
    const now = store.clock.now();
    const ends = isEnd ? { completed_at: now } : {};
    stores.automationRuns.write(run, to, { ...times, ...ends, ...waitedOf(run, now) });
    const { type, ...details } = event;
    const payload = { from: run.state.status, to: to.status, actor, by: type, ...details, ...data };
    this.#append(run, `automation.${to.status}`, payload, run.moves + 1);
    const move = { from: run.state.status, actor, ...to };
    if (isUnfinished(to.status)) {
      this.#log.add(run.id, run.moves + 1, 'input moved', move);
      return;
    }
    stores.outbox.drop(run.id);
    const ms = store.clock.now() - run.queuedAt;
    this.#log.add(run.id, run.moves + 1, 'input ended', { ...move, ms });
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

  /** Before each commit: derives the status of every input that the write touched. */
  #deriveTouched(): void {
    const { store, stores, log } = this.#context;
    for (
      let touched = store.db.changes.takeTouched();
      touched;
      touched = store.db.changes.takeTouched()
    ) {
      const inputs = new Set(touched.inputs);
      for (const run of touched.runs)
        for (const id of stores.inputChain.inputsOfRun(run)) inputs.add(id);
      for (const id of inputs) {
        try {
          store.db.write(() => this.deriveStatus(id));
        } catch (error) {
          // Must not fail the surrounding write; the finalizer derives the status again.
          const ids = automationRunFields(this.#context, automationRunId(id));
          log.error({ ...ids, err: error }, 'could not derive the status of an input');
        }
      }
    }
  }
}

/** Time that a person took doesn't count against the deadline. */
function waitedOf({ state, times }: AutomationRun, now: number): Pick<Times, 'waited_ms'> {
  if (state.status !== 'needs_human') return {};
  return { waited_ms: (times.waited_ms ?? 0) + Math.max(0, now - times.last_activity_at) };
}

const isStop = (as: StopAs): boolean => (STOPS as readonly string[]).includes(as);

function notOwner(): MoveResult {
  return {
    type: 'not_owner',
    message: 'Another device owns this workflow and processes its inputs. Nothing was changed.',
  };
}

function fenced(runId: string): MoveResult {
  return {
    type: 'fenced',
    message: `The lease of the run ${runId} was lost to another worker. Nothing was changed.`,
  };
}

/** Shortens a large result for the history. */
function brief(result: Json): Json {
  const text = JSON.stringify(result);
  return text.length <= MAX_COMPLETION_BYTES ? result : `${text.slice(0, 1000)}…`;
}
