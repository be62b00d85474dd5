// The ledger at work. The order of these steps is what keeps "no effect twice":
// in flight on disk, then the call, then what came of it. Nothing here ever sends again by itself.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { detectAround } from '#main/engine/detect-incidents.ts';
import { recordRunEvent } from '#main/engine/record-run-event.ts';
import { OWNERSHIP_LOST } from '#main/engine/failure.ts';
import type { MutationCall } from '#main/engine/phase-calls.ts';
import type { HandlerToRun } from '#main/engine/run-phase.ts';
import type { EffectCall, Mutation } from '#main/store/tables/mutations.ts';
import type { Side } from '#main/store/sqlite/guarded-update.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { BoundTools, EffectToMake } from '#main/tools/tool-box.ts';
import type { MutationOutcome, ReconcileOutcome } from '#main/tools/tool.ts';
import { backoffDelay } from '#shared/backoff.ts';
import { effectId } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';
import { MAX_RECONCILE_ATTEMPTS, RECONCILE_BASE_MS, RECONCILE_MAX_MS } from '#shared/limits.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';
import type { MutationState } from '#shared/machines/mutation.ts';
import { mutationId } from '#shared/ids.ts';
import { unreachable } from '#shared/rejection.ts';

/** What the run does next. */
export type EffectEnd =
  | { readonly type: 'applied'; readonly result: Json }
  /** It did not happen: the run may start over. */
  | { readonly type: 'failed'; readonly errorType: ErrorType; readonly error: string }
  /** The outcome is not known, or a person is asked: the workflow stops here. */
  | { readonly type: 'suspended' };

export interface EffectRequest {
  readonly handler: HandlerToRun;
  readonly run: HandlerRun;
  readonly call: MutationCall;
  readonly reserved: readonly { readonly eventId: string; readonly attempt: number }[];
  readonly isPreview: boolean;
  /** Told of the result when it is known, before it is written down. */
  readonly onApplied: (result: Json) => void;
}

export class Effects {
  readonly #context: EngineContext;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  async perform(request: EffectRequest): Promise<EffectEnd> {
    const { handler, run, call } = request;
    const effect: EffectToMake = {
      ...call,
      effectId: effectId(handler.workflowId, handler.name, request.reserved),
    };
    const tools = this.#toolsOf(handler);
    const isQuestion = tools.waitsForPerson(effect);
    if (request.isPreview || isQuestion) {
      // Nothing is called, so nothing else would look at what was asked for.
      const refused = tools.refusalOf(effect);
      if (refused) return { type: 'failed', ...refused };
      return request.isPreview ? this.#preview(run, effect) : this.#ask(run, effect);
    }
    const begun = await this.#begin(run, effect);
    if (begun.type !== 'send') return begun;
    return this.#send(tools, run, effect, 'maker', request.onApplied);
  }

  /** A person said "send again": the same effect id, after the ledger has it in flight again. */
  async sendAgain(handler: HandlerToRun, run: HandlerRun): Promise<EffectEnd> {
    const side = this.#sideOf(run);
    if (!this.#mayAct(run)) {
      return this.#context.commits.commit((): EffectEnd => {
        this.#context.stores.mutations.move(
          mutationId(run.id),
          { type: 'fail', error: OWNERSHIP_LOST },
          side,
        );
        return { type: 'failed', errorType: 'internal', error: OWNERSHIP_LOST };
      });
    }
    // Nothing leaves that the ledger does not have in flight.
    if (this.#stateAs(side, run).status !== 'in_flight') return { type: 'suspended' };
    return this.#send(this.#toolsOf(handler), run, this.effectOf(run), side);
  }

  /** What the ledger says of its effect, as this side wrote it. */
  #stateAs(side: Side, run: HandlerRun): MutationState {
    const { made, state } = this.#context.stores.mutations.ofRun(run.id) as Mutation;
    return side === 'maker' ? made : state;
  }

  effectOf(run: HandlerRun): EffectToMake {
    const { call } = this.#context.stores.mutations.ofRun(run.id) as Mutation & {
      call: EffectCall;
    };
    return {
      namespace: call.toolNamespace,
      method: call.toolMethod,
      params: call.params,
      effectId: call.idempotencyKey,
      isFromElsewhere: run.deviceId !== this.#context.store.deviceId,
    };
  }

  /** Asks the outside what became of an effect; afterwards the ledger knows more, or when to ask. */
  async reconcile(handler: HandlerToRun, run: HandlerRun): Promise<EffectEnd> {
    const effect = this.effectOf(run);
    const tools = this.#toolsOf(handler);
    const side = this.#sideOf(run);
    if (!tools.canReconcile(effect)) {
      const error = effect.isFromElsewhere
        ? 'It was sent by another device, and what became of it cannot be looked up from here.'
        : 'This tool cannot ask the outside what became of it.';
      return this.#giveUp(run, error, side);
    }
    this.#context.probe('reconcile:before');
    const outcome = await tools.reconcile(effect, this.#sentAt(run));
    this.#context.probe('reconcile:after');
    return this.#learn(run, outcome, side);
  }

  /** Whose word an outcome is: fixed when it is begun, whatever a merge brings meanwhile. */
  #sideOf(run: HandlerRun): Side {
    return this.#context.stores.mutations.sideOf(mutationId(run.id));
  }

  /** The fence. A run that was made in an earlier epoch acts by the claim of now. */
  #mayAct({ workflowId }: HandlerRun): boolean {
    return this.#context.stores.ownership.epoch(workflowId) !== null;
  }

  #toolsOf({ workflowId, script }: HandlerToRun): BoundTools {
    const { tools, stores } = this.#context;
    return tools.bind(workflowId, stores.grants.of(workflowId), script.config.uses);
  }

  /** A dry run: recorded and shown, not sent. */
  async #preview(run: HandlerRun, effect: EffectToMake): Promise<EffectEnd> {
    const { stores, commits } = this.#context;
    return commits.commit((): EffectEnd => {
      stores.mutations.record(toNewMutation(run), toCall(effect));
      stores.handlerRuns.moveConsumer(run.id, { type: 'mutate' });
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
      return { type: 'applied', result: null };
    });
  }

  /** Nothing goes out, so nothing is in flight: the question is recorded, the run waits. */
  async #ask(run: HandlerRun, effect: EffectToMake): Promise<EffectEnd> {
    const { stores, commits } = this.#context;
    return commits.commit((): EffectEnd => {
      if (!stores.ownership.holds(run.workflowId, run.epoch)) return lost();
      stores.mutations.record(toNewMutation(run), toCall(effect));
      stores.handlerRuns.moveConsumer(run.id, { type: 'mutate' });
      stores.handlerRuns.moveConsumer(run.id, { type: 'suspend', reason: 'approval' });
      return { type: 'suspended' };
    });
  }

  #sentAt(run: HandlerRun): number {
    return this.#context.stores.mutations.ofRun(run.id)?.createdAt ?? 0;
  }

  /** The durable step. After it the effect may be out; before it, it certainly is not. */
  async #begin(
    run: HandlerRun,
    effect: EffectToMake,
  ): Promise<EffectEnd | { readonly type: 'send' }> {
    const { stores, commits, probe } = this.#context;
    probe('in_flight:before');
    const begun = await commits.commitDurably((): EffectEnd | { readonly type: 'send' } => {
      // The fence stands in the very write that makes it possible to send.
      if (!stores.ownership.holds(run.workflowId, run.epoch)) return lost();
      const moved = stores.handlerRuns.moveConsumer(run.id, { type: 'mutate' });
      if (moved.type !== 'moved') throw new Error(moved.message);
      const known = this.#answerFromLedger(run, effect);
      if (known) return known;
      const marked = stores.mutations.markInFlight(toNewMutation(run), toCall(effect));
      if (marked.type !== 'moved') throw new Error(marked.message);
      return { type: 'send' };
    });
    probe('in_flight:after');
    return begun;
  }

  /** This very effect was made, or begun, by another run: it is not sent again. */
  #answerFromLedger(run: HandlerRun, effect: EffectToMake): EffectEnd | undefined {
    const { stores } = this.#context;
    const others = stores.mutations
      .ofEffect(effect.effectId)
      .filter(({ handlerRunId }) => handlerRunId !== run.id);
    // Whoever says that it happened: to send it all the same would be to do it twice, knowingly.
    const applied = others
      .flatMap(({ state, made }) => [state, made])
      .find((state) => state.status === 'applied');
    if (applied?.status === 'applied') {
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
      return { type: 'applied', result: applied.result };
    }
    const kept = stores.sideEffects.get(effect.effectId);
    if (kept) {
      stores.handlerRuns.moveConsumer(run.id, { type: 'settle' });
      return { type: 'applied', result: kept.response };
    }
    const open = others.find(({ state }) =>
      ['in_flight', 'needs_reconcile', 'indeterminate'].includes(state.status),
    );
    if (!open) return undefined;
    stores.handlerRuns.moveConsumer(run.id, {
      type: 'suspend',
      reason: 'reconciliation',
      error: `The same effect was begun by the run ${open.handlerRunId}, and its outcome is not known.`,
    });
    return { type: 'suspended' };
  }

  async #send(
    tools: BoundTools,
    run: HandlerRun,
    effect: EffectToMake,
    side: Side,
    onApplied?: EffectRequest['onApplied'],
  ): Promise<EffectEnd> {
    this.#context.probe('send:before');
    const startedAt = this.#context.store.clock.now();
    const began = performance.now();
    const outcome = await tools.mutate(effect);
    this.#context.observer?.effect({
      workflowId: run.workflowId,
      handlerName: run.handlerName,
      runId: run.id,
      tool: effect.namespace,
      effectId: effect.effectId,
      outcome: outcome.type,
      startedAt,
      ms: performance.now() - began,
    });
    this.#context.probe('send:after');
    if (outcome.type === 'applied') onApplied?.(outcome.result);
    const end = await this.#record(run, outcome, side);
    // Asked at once where it can be asked: most doubts end here, before anyone has to wait.
    if (outcome.type !== 'ambiguous') return end;
    return tools.canReconcile(effect)
      ? this.#learn(run, await tools.reconcile(effect, this.#sentAt(run)), side)
      : this.#giveUp(run, outcome.error, side);
  }

  async #record(run: HandlerRun, outcome: MutationOutcome, side: Side): Promise<EffectEnd> {
    const { stores, commits, probe } = this.#context;
    const id = mutationId(run.id);
    probe('outcome:before');
    const end = await commits.commit((): EffectEnd => {
      switch (outcome.type) {
        case 'applied':
          return this.#applied(run, outcome.result, side);
        case 'failed':
        case 'not_sent':
          stores.mutations.move(id, { type: 'fail', error: outcome.error }, side);
          return { type: 'failed', errorType: outcome.errorType, error: outcome.error };
        case 'ambiguous':
          stores.mutations.move(id, { type: 'doubt', error: outcome.error }, side);
          this.#suspend(run, outcome.error, side);
          return { type: 'suspended' };
        case 'waiting':
          throw new Error('A question was sent as if it were an effect.');
        default:
          return unreachable(outcome);
      }
    });
    probe('outcome:after');
    return end;
  }

  async #learn(run: HandlerRun, outcome: ReconcileOutcome, side: Side): Promise<EffectEnd> {
    const { stores, commits, store, random } = this.#context;
    const id = mutationId(run.id);
    const state = this.#stateAs(side, run);
    const attempts = state.status === 'needs_reconcile' ? state.reconcile.attempts + 1 : 1;
    const isLast = outcome.type === 'unknown' && outcome.isFinal === true;
    if (outcome.type === 'unknown' && (isLast || attempts >= MAX_RECONCILE_ATTEMPTS)) {
      return this.#giveUp(run, outcome.error, side);
    }
    return commits.commit((): EffectEnd => {
      switch (outcome.type) {
        case 'happened':
          return this.#applied(run, outcome.result, side);
        case 'did_not_happen': {
          const error = 'The outside was asked, and it did not happen.';
          stores.mutations.move(id, { type: 'fail', error }, side);
          return { type: 'failed', errorType: 'network', error };
        }
        case 'unknown': {
          const at = store.clock.now();
          const backoff = { baseMs: RECONCILE_BASE_MS, maxMs: RECONCILE_MAX_MS };
          const nextAt = at + backoffDelay(attempts, backoff, random());
          stores.mutations.move(id, { type: 'reconcile_again', at, nextAt }, side);
          return { type: 'suspended' };
        }
        default:
          return unreachable(outcome);
      }
    });
  }

  #applied(run: HandlerRun, result: Json, side: Side): EffectEnd {
    const { stores } = this.#context;
    stores.mutations.move(mutationId(run.id), { type: 'apply', result }, side);
    this.#context.inputs.recordEffect(run.id, result, () => this.effectOf(run));
    const moved = stores.handlerRuns.moveConsumer(run.id, { type: 'settle' }, side);
    if (moved.type !== 'moved') throw new Error(moved.message);
    detectAround(this.#context, run);
    return { type: 'applied', result };
  }

  /** Nobody but a person can know now. */
  async #giveUp(run: HandlerRun, error: string, side: Side): Promise<EffectEnd> {
    const { stores, commits } = this.#context;
    return commits.commit((): EffectEnd => {
      stores.mutations.move(mutationId(run.id), { type: 'give_up', error }, side);
      this.#suspend(run, error, side);
      recordRunEvent(this.#context, run, 'effect.indeterminate', { error });
      return { type: 'suspended' };
    });
  }

  #suspend(run: HandlerRun, error: string, side: Side): void {
    const { handlerRuns } = this.#context.stores;
    const state = side === 'maker' ? handlerRuns.asMade(run.id) : handlerRuns.get(run.id)?.state;
    if (state?.phase !== 'mutating') return;
    handlerRuns.moveConsumer(run.id, { type: 'suspend', reason: 'reconciliation', error }, side);
  }
}

/** Nothing was sent; whoever runs the workflow now does what there is to do. */
function lost(): EffectEnd {
  return { type: 'failed', errorType: 'internal', error: OWNERSHIP_LOST };
}

function toNewMutation(run: HandlerRun): {
  handlerRunId: string;
  workflowId: string;
  epoch: number;
} {
  return { handlerRunId: run.id, workflowId: run.workflowId, epoch: run.epoch };
}

function toCall(effect: EffectToMake): EffectCall {
  return {
    toolNamespace: effect.namespace,
    toolMethod: effect.method,
    params: effect.params,
    idempotencyKey: effect.effectId,
  };
}
