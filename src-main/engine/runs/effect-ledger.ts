// Writes each step of an effect to the ledger, together with the run's phase. Nothing is sent from
// here.
import { detectIncidentsOfRun } from '#main/engine/detect-incidents.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { OWNERSHIP_LOST, type Failure } from '#main/engine/runs/failure.ts';
import { createSendGate } from '#main/engine/runs/send-gate.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import type { EffectSide, Side } from '#main/store/sqlite/guarded-update.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { EffectCall, Mutation } from '#main/store/tables/mutations.ts';
import type { Spent } from '#main/tools/call-cost.ts';
import type { EffectToMake } from '#main/tools/tool-box.ts';
import type { MutationOutcome, ReconcileOutcome, Sending } from '#main/tools/tool.ts';
import { backoffDelay } from '#shared/backoff.ts';
import { afterNegative, afterUnclear, startDoubt, type AwakeMoment } from '#shared/doubt.ts';
import { mutationId } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';
import {
  MAX_RECONCILE_ATTEMPTS,
  MAX_RETRY_AFTER_MS,
  NEGATIVES_APART_MS,
  OUTSIDE_RECHECK_MS,
  RECONCILE_BASE_MS,
  RECONCILE_MAX_MS,
  UNREACHED_ATTEMPT_MS,
} from '#shared/limits.ts';
import type { MutationState, MutationTransition } from '#shared/machines/mutation.ts';
import { unreachable } from '#shared/rejection.ts';

/** How an effect ended, as far as its run is concerned. */
export type EffectEnd = Pick<Spent, 'costProblem'> &
  (
    | { readonly type: 'applied'; readonly result: Json }
    /** The effect didn't go through. The run may start over. */
    | ({ readonly type: 'failed' } & Failure)
    /** The outcome is unknown, or a question is open. The workflow waits. */
    | { readonly type: 'suspended' }
  );

export type Begun = EffectEnd | ({ readonly type: 'send' } & Sending);

/** Nothing was sent; the new owner continues. */
const NOT_OWNER: EffectEnd = { type: 'failed', errorType: 'internal', error: OWNERSHIP_LOST };

const CHECKED = "Holdfast checked twice: it didn't go through.";
const NOT_YET =
  "The last check didn't find it, but it may still have been on its way. The outcome is unknown.";
/** Two negatives are needed, so the last two checks must be able to count. */
const CONCLUSIVE_CHECKS = 2;

export class EffectLedger {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** The state of the run's effect, as this side wrote it. */
  stateAs(side: EffectSide, run: HandlerRun): MutationState {
    const { made, stateOfMaker, state } = this.#context.stores.mutations.ofRun(run.id) as Mutation;
    return { maker: made, recovered: stateOfMaker, owner: state }[side];
  }

  /** Whether the run counts a cost of its effect. After a crash during the call, it doesn't. */
  isCounted(run: HandlerRun): boolean {
    return (this.#context.stores.mutations.ofRun(run.id)?.cost ?? 0) > 0;
  }

  /** A dry run: the effect is recorded and shown, not sent. */
  async preview(run: HandlerRun, effect: EffectToMake): Promise<EffectEnd> {
    const { stores, commits } = this.#context;
    return commits.commit((): EffectEnd => {
      stores.mutations.record(toNewMutation(run), toCall(effect));
      stores.handlerRuns.moveConsumer(run.id, { type: 'mutate' });
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
      return { type: 'applied', result: null };
    });
  }

  /** Records a question to a person and suspends the run. Nothing is sent, so nothing is in flight. */
  async ask(run: HandlerRun, effect: EffectToMake): Promise<EffectEnd> {
    const { stores, commits } = this.#context;
    return commits.commit((): EffectEnd => {
      if (!stores.ownership.holds(run.workflowId, run.epoch)) return NOT_OWNER;
      stores.mutations.record(toNewMutation(run), toCall(effect));
      stores.handlerRuns.moveConsumer(run.id, { type: 'mutate' });
      stores.handlerRuns.moveConsumer(run.id, { type: 'suspend', reason: 'approval' });
      return { type: 'suspended' };
    });
  }

  /** The durable step: before it nothing was sent, after it the effect may have gone through. */
  async begin(run: HandlerRun, effect: EffectToMake, witness?: Json): Promise<Begun> {
    const { stores, commits, probe } = this.#context;
    probe('in_flight:before');
    const begun = await commits.commitDurably((): Begun => {
      // Read the fence in the write that allows sending, and again before the first byte.
      const holdsClaim = (): boolean => stores.ownership.holds(run.workflowId, run.epoch);
      if (!holdsClaim()) return NOT_OWNER;
      const maySend = this.gate(holdsClaim);
      const moved = stores.handlerRuns.moveConsumer(run.id, { type: 'mutate' });
      if (moved.type !== 'moved') throw new Error(moved.message);
      const others = this.#othersOf(run, effect);
      const known = this.#answerFromLedger(run, effect, others);
      if (known) return known;
      const wasSentBefore = others.some(mayHaveLeft);
      const call = toCall(effect, witness);
      const marked = stores.mutations.markInFlight(toNewMutation(run), call);
      if (marked.type !== 'moved') throw new Error(marked.message);
      return { type: 'send', maySend, wasSentBefore };
    });
    probe('in_flight:after');
    return begun;
  }

  /** The time limit of the gate counts from now. */
  gate(holdsClaim: () => boolean): Sending['maySend'] {
    return createSendGate(this.#context.store.clock, holdsClaim);
  }

  async record(
    run: HandlerRun,
    outcome: MutationOutcome & Spent,
    side: EffectSide,
  ): Promise<EffectEnd> {
    const { stores, commits, probe } = this.#context;
    const id = mutationId(run.id);
    const doubted = outcome.type === 'ambiguous' ? this.#doubt(id, outcome) : undefined;
    probe('outcome:before');
    const end = await commits.commit((): EffectEnd => {
      switch (outcome.type) {
        case 'applied':
          return this.#applied(run, outcome.result, side, outcome.cost);
        case 'failed':
        case 'not_sent':
          stores.mutations.move(id, { type: 'fail', error: outcome.error }, side);
          return { ...outcome, type: 'failed' };
        case 'ambiguous': {
          const { error, cost } = outcome;
          if (doubted) stores.mutations.move(id, { ...doubted, cost }, side);
          this.#suspend(run, error, side, cost);
          return { type: 'suspended' };
        }
        case 'waiting':
          throw new Error('A question was sent as if it were an effect.');
        default:
          return unreachable(outcome);
      }
    });
    probe('outcome:after');
    return end;
  }

  async recordCheck(
    run: HandlerRun,
    outcome: ReconcileOutcome & Spent,
    side: EffectSide,
    askedAt: AwakeMoment,
  ): Promise<EffectEnd> {
    const { stores, commits } = this.#context;
    const id = mutationId(run.id);
    if (outcome.type === 'happened') {
      // If a call of this effect was counted, the check found that one.
      const cost = this.isCounted(run) ? 0 : outcome.cost;
      return commits.commit(() => this.#applied(run, outcome.result, side, cost));
    }
    const means = this.#meaningOf(run, outcome, side, askedAt);
    if (means.type === 'give_up') return this.giveUp(run, means.error, side);
    return commits.commit((): EffectEnd => {
      stores.mutations.move(id, means, side);
      if (means.type === 'reconcile_again') return { type: 'suspended' };
      return { type: 'failed', errorType: 'network', error: means.error };
    });
  }

  /** Decides what a check proves that did not find the effect. */
  #meaningOf(
    run: HandlerRun,
    outcome: Exclude<ReconcileOutcome, { type: 'happened' }>,
    side: EffectSide,
    askedAt: AwakeMoment,
  ): Extract<MutationTransition, { type: 'fail' | 'give_up' | 'reconcile_again' }> {
    const { store, random, doubtClock } = this.#context;
    const state = this.stateAs(side, run);
    const { attempts, doubt: known } =
      state.status === 'needs_reconcile' ? state.reconcile : { attempts: 0 };
    const now = doubtClock.now(mutationId(run.id));
    const at = store.clock.now();
    const backoff = { baseMs: RECONCILE_BASE_MS, maxMs: RECONCILE_MAX_MS };
    const delay = backoffDelay(attempts + 1, backoff, random());
    const isLast = attempts + 1 >= MAX_RECONCILE_ATTEMPTS;
    if (outcome.type === 'unknown') {
      const { error, waitsFor } = outcome;
      const isAttempt = this.#isAttempt(run, state, outcome);
      if (isAttempt && (outcome.isFinal || isLast)) return { type: 'give_up', error };
      if (!waitsFor) {
        const doubt = afterUnclear(known, now);
        return { type: 'reconcile_again', at, nextAt: at + delay, doubt };
      }
      const { host, until } = waitsFor;
      const nextAt = until ?? at + OUTSIDE_RECHECK_MS;
      // A check that got no answer doesn't change what earlier checks proved.
      const asked = isAttempt ? known && { doubt: known } : ({ wasAsked: false } as const);
      const waiting = until === null ? { waitsFor: host } : {};
      return { type: 'reconcile_again', at, nextAt, ...asked, ...waiting };
    }
    const negative = afterNegative(known, askedAt, now, outcome.windowMs);
    if (negative.type === 'did_not_happen') return { type: 'fail', error: CHECKED };
    if (isLast) return { type: 'give_up', error: NOT_YET };
    const { doubt, waitMs } = negative;
    // Delay the last checks until they can be conclusive, and one that would come just before that.
    const isLate = attempts + 1 >= MAX_RECONCILE_ATTEMPTS - CONCLUSIVE_CHECKS;
    const isWaitingBetter = isLate || waitMs <= NEGATIVES_APART_MS;
    const wait = isWaitingBetter ? Math.max(delay, Math.min(waitMs, MAX_RETRY_AFTER_MS)) : delay;
    return { type: 'reconcile_again', at, nextAt: at + wait, doubt };
  }

  #doubt(
    id: string,
    { error, retryAfterMs }: Extract<MutationOutcome, { type: 'ambiguous' }>,
  ): Extract<MutationTransition, { type: 'doubt' }> {
    const { doubtClock, store } = this.#context;
    const doubt = startDoubt(doubtClock.now(id));
    if (retryAfterMs === undefined) return { type: 'doubt', error, doubt };
    const wait = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
    return { type: 'doubt', error, doubt, nextAt: store.clock.now() + wait };
  }

  /**
   * A check that doesn't reach the service counts once in a few hours, so that a person is asked if the
   * service stays unreachable. It never counts while this device has no network.
   */
  #isAttempt(
    run: HandlerRun,
    state: MutationState,
    { waitsFor, isUnreached }: ReconcileOutcome & { readonly type: 'unknown' },
  ): boolean {
    const { hosts, stores, store } = this.#context;
    if (!waitsFor) return true;
    const isDown = isUnreached === true || waitsFor.until === null;
    if (!isDown || hosts.waitsForNetwork(waitsFor.host)) return false;
    const last = state.status === 'needs_reconcile' ? state.reconcile.lastAt : undefined;
    const since = last ?? stores.mutations.ofRun(run.id)?.createdAt ?? 0;
    return store.clock.now() - since >= UNREACHED_ATTEMPT_MS;
  }

  /** Leaves the outcome to a person. */
  async giveUp(run: HandlerRun, error: string, side: EffectSide): Promise<EffectEnd> {
    const { stores, commits } = this.#context;
    return commits.commit((): EffectEnd => {
      stores.mutations.move(mutationId(run.id), { type: 'give_up', error }, side);
      this.#suspend(run, error, side);
      recordRunEvent(this.#context, run, 'effect.indeterminate', { error });
      return { type: 'suspended' };
    });
  }

  /** The known outcome of the same effect, if another run made or began it. It is not sent again. */
  #answerFromLedger(
    run: HandlerRun,
    effect: EffectToMake,
    others: readonly Mutation[],
  ): EffectEnd | undefined {
    const { stores } = this.#context;
    // Applied if any device says so: sending it would knowingly repeat it.
    const applied = others
      .flatMap(({ state, made, stateOfMaker }) => [state, made, stateOfMaker])
      .find((state) => state.status === 'applied');
    if (applied?.status === 'applied') {
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
      return { type: 'applied', result: applied.result };
    }
    const recorded = stores.sideEffects.get(effect.effectId);
    if (recorded) {
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
      return { type: 'applied', result: recorded.response };
    }
    const open = others.find(({ state }) =>
      ['in_flight', 'needs_reconcile', 'indeterminate'].includes(state.status),
    );
    if (!open) return undefined;
    stores.handlerRuns.moveConsumer(run.id, {
      type: 'suspend',
      reason: 'reconciliation',
      error: `Run ${open.handlerRunId} began the same effect, and its outcome is unknown.`,
    });
    return { type: 'suspended' };
  }

  /** The rows of this effect from other runs, on any device. */
  #othersOf(run: HandlerRun, { effectId }: EffectToMake): Mutation[] {
    const rows = this.#context.stores.mutations.ofEffect(effectId);
    return rows.filter(({ handlerRunId }) => handlerRunId !== run.id);
  }

  #applied(run: HandlerRun, result: Json, side: EffectSide, cost = 0): EffectEnd {
    const { stores } = this.#context;
    stores.mutations.move(mutationId(run.id), { type: 'apply', result, cost }, side);
    this.#context.inputs.recordEffect(run.id, result, () => effectOf(this.#context, run));
    const settle = { type: 'settle', cost } as const;
    const moved = stores.handlerRuns.moveConsumer(run.id, settle, this.#runSide(run, side));
    if (moved.type !== 'moved') throw new Error(moved.message);
    detectIncidentsOfRun(this.#context, run);
    return { type: 'applied', result };
  }

  #suspend(run: HandlerRun, error: string, side: EffectSide, cost = 0): void {
    const { handlerRuns } = this.#context.stores;
    const as = this.#runSide(run, side);
    const state = as === 'maker' ? handlerRuns.asMade(run.id) : handlerRuns.get(run.id)?.state;
    // The effect was sent again. A cost is written with a phase only.
    if (state?.phase === 'suspended' && cost > 0) {
      handlerRuns.moveConsumer(run.id, { type: 'resume' }, as);
    } else if (state?.phase !== 'mutating') return;
    const suspend = { type: 'suspend', reason: 'reconciliation', error, cost } as const;
    handlerRuns.moveConsumer(run.id, suspend, as);
  }

  /** The side of the run, given the side of its effect. Undefined: the side that the store finds. */
  #runSide({ workflowId }: HandlerRun, side: EffectSide): Side | undefined {
    // The workflow was lost during a check: the new owner may have written to the run.
    const isLost = this.#context.stores.ownership.epoch(workflowId) === null;
    return side === 'maker' || (side === 'recovered' && isLost) ? 'maker' : undefined;
  }
}

/** The effect of a run whose call the ledger has. */
export function effectOf({ stores, store }: EngineContext, run: HandlerRun): EffectToMake {
  const { call } = stores.mutations.ofRun(run.id) as Mutation & { call: EffectCall };
  return {
    namespace: call.toolNamespace,
    method: call.toolMethod,
    params: call.params,
    effectId: call.idempotencyKey,
    isFromElsewhere: run.deviceId !== store.deviceId,
  };
}

/** The outcome in a row may be wrong, so every row that was ever in flight counts. */
function mayHaveLeft({ state, made }: Mutation): boolean {
  return state.status !== 'pending' || made.status !== 'pending';
}

function toNewMutation(run: HandlerRun): {
  handlerRunId: string;
  workflowId: string;
  epoch: number;
} {
  return { handlerRunId: run.id, workflowId: run.workflowId, epoch: run.epoch };
}

function toCall(effect: EffectToMake, witness?: Json): EffectCall {
  return {
    toolNamespace: effect.namespace,
    toolMethod: effect.method,
    params: effect.params,
    idempotencyKey: effect.effectId,
    ...(witness === undefined ? {} : { witness }),
  };
}
