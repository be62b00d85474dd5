// Sends effects and checks outcomes. The order of the steps keeps "no effect twice": in flight on
// disk, then the call, then its outcome. Only a person's decision leads to sending again.
import { EffectLedger, effectOf, type EffectEnd } from '#main/engine/runs/effect-ledger.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { OWNERSHIP_LOST } from '#main/engine/runs/failure.ts';
import type { MutationCall } from '#main/engine/runs/phase-calls.ts';
import type { HandlerToRun } from '#main/engine/runs/run-phase.ts';
import type { EffectSide } from '#main/store/sqlite/guarded-update.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import type { Spent } from '#main/tools/call-cost.ts';
import type { HostVisit } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { BoundTools, EffectToMake, Turn } from '#main/tools/tool-box.ts';
import type { MutationOutcome, ReconcileOutcome, Sending } from '#main/tools/tool.ts';
import type { AwakeMoment } from '#shared/doubt.ts';
import { effectId, mutationId } from '#shared/ids.ts';
import { NO_POLICY, type PolicyInForce } from '#shared/inputs/policy.ts';
import type { Json } from '#shared/json.ts';

export interface EffectRequest {
  readonly handler: HandlerToRun;
  readonly run: HandlerRun;
  readonly call: MutationCall;
  readonly reserved: readonly { readonly eventId: string; readonly attempt: number }[];
  readonly policy: PolicyInForce;
  readonly isPreview: boolean;
  /** The turn of the effect at its host. The caller leaves it. */
  readonly visit: HostVisit | null;
  /** Called with the result as soon as it is known, before it is written. */
  readonly onApplied: (result: Json) => void;
}

type OnApplied = EffectRequest['onApplied'];

export class Effects {
  readonly #context: EngineContext;
  readonly #ledger: EffectLedger;

  constructor(context: EngineContext) {
    this.#context = context;
    this.#ledger = new EffectLedger(context);
  }

  /** Waits for the turn of the effect at its host, before anything is in flight. */
  async turnOf(
    handler: HandlerToRun,
    call: MutationCall,
    { isPreview, policy }: Pick<EffectRequest, 'isPreview' | 'policy'>,
  ): Promise<Turn> {
    return isPreview ? { type: 'turn', visit: null } : this.#toolsOf(handler, policy).turnOf(call);
  }

  async perform(request: EffectRequest): Promise<EffectEnd> {
    const { handler, run, call } = request;
    const effect: EffectToMake = {
      ...call,
      effectId: effectId(handler.workflowId, handler.name, request.reserved),
    };
    const tools = this.#toolsOf(handler, request.policy);
    const isQuestion = tools.waitsForPerson(effect);
    const { isPreview } = request;
    if (isPreview || isQuestion) {
      // No call is made that would validate the parameters.
      const refused = tools.refusalOf(effect);
      if (refused) return { type: 'failed', ...refused };
      return isPreview ? this.#ledger.preview(run, effect) : this.#ledger.ask(run, effect);
    }
    const witness = tools.hasWitness(effect) ? await tools.witness(effect) : undefined;
    const begun = await this.#ledger.begin(run, effect, witness);
    if (begun.type !== 'send') return begun;
    // Bound again: a grant that was revoked during the commit is not used.
    const now = this.#toolsOf(handler, request.policy);
    return this.#send(now, run, effect, 'maker', { ...request, ...begun });
  }

  /** Sends the effect again under the same id, after a person decided so. */
  async sendAgain(handler: HandlerToRun, run: HandlerRun): Promise<EffectEnd> {
    const side = this.#sideOf(run);
    const { policies, stores } = this.#context;
    // A run of an earlier epoch acts under the present claim.
    const epoch = stores.ownership.epoch(run.workflowId);
    const maySend = this.#ledger.gate(
      () => epoch !== null && stores.ownership.holds(run.workflowId, epoch),
    );
    const found = await policies.require(stores.inputChain.inputsOfRun(run.id));
    if (found.type === 'unusable') return this.#ledger.giveUp(run, found.error, side);
    const tools = this.#toolsOf(handler, found.policy);
    const turn = await tools.turnOf(effectOf(this.#context, run));
    if (turn.type === 'waits') return this.#ledger.giveUp(run, turn.error, side);
    try {
      return await this.#sendAgain(tools, run, side, { visit: turn.visit, maySend });
    } finally {
      turn.visit?.leave({ type: 'unanswered' });
    }
  }

  async #sendAgain(
    tools: BoundTools,
    run: HandlerRun,
    side: EffectSide,
    how: { visit: HostVisit | null; maySend: Sending['maySend'] },
  ): Promise<EffectEnd> {
    const isOwner = this.#context.stores.ownership.epoch(run.workflowId) !== null;
    if (!isOwner) return this.#ledger.giveUp(run, OWNERSHIP_LOST, side);
    if (this.#ledger.stateAs(side, run).status !== 'in_flight') return { type: 'suspended' };
    const resend = { ...how, isResend: true, wasSentBefore: true };
    return this.#send(tools, run, effectOf(this.#context, run), side, resend);
  }

  /** Checks the outcome with the outside and records it, or the time of the next check. */
  async check(handler: HandlerToRun, run: HandlerRun): Promise<EffectEnd> {
    const effect = effectOf(this.#context, run);
    const tools = this.#toolsOf(handler);
    const side = this.#sideOf(run);
    if (!tools.canReconcile(effect)) {
      const error = effect.isFromElsewhere
        ? "Another device sent this, and this device can't check the outcome."
        : "This tool can't check the outcome.";
      return this.#ledger.giveUp(run, error, side);
    }
    this.#context.probe('reconcile:before');
    const checked = await this.#ask(tools, run, effect, side);
    this.#context.probe('reconcile:after');
    return checked();
  }

  /** Returns how to record the answer. */
  async #ask(
    tools: BoundTools,
    run: HandlerRun,
    effect: EffectToMake,
    side: EffectSide,
  ): Promise<() => Promise<EffectEnd>> {
    const { stores, doubtClock } = this.#context;
    const askedAt = doubtClock.now(mutationId(run.id));
    const { createdAt, call, state } = stores.mutations.ofRun(run.id) as Mutation;
    const wasResent = 'resolved' in state && state.resolved?.resent === true;
    const sent = { sentAt: createdAt, witness: call?.witness, wasResent };
    const outcome = await tools.reconcile(effect, sent);
    return () => this.#recordCheck(run, effect, outcome, side, askedAt);
  }

  async #recordCheck(
    run: HandlerRun,
    effect: EffectToMake,
    outcome: ReconcileOutcome & Spent,
    side: EffectSide,
    askedAt: AwakeMoment,
  ): Promise<EffectEnd> {
    if (outcome.type !== 'happened' || this.#ledger.isCounted(run)) {
      return this.#ledger.recordCheck(run, outcome, side, askedAt);
    }
    this.#observeCost(effect, outcome);
    return withProblem(await this.#ledger.recordCheck(run, outcome, side, askedAt), outcome);
  }

  #observeCost({ namespace: tool }: EffectToMake, { cost = 0 }: Spent): void {
    if (cost > 0) this.#context.observer?.spent({ tool, microdollars: cost });
  }

  async #send(
    tools: BoundTools,
    run: HandlerRun,
    effect: EffectToMake,
    side: EffectSide,
    how: Sending & { isResend?: boolean; visit: HostVisit | null; onApplied?: OnApplied },
  ): Promise<EffectEnd> {
    this.#context.probe('send:before');
    const startedAt = this.#context.store.clock.now();
    const began = performance.now();
    const sent = await tools.mutate(effect, how.visit, how);
    const outcome = how.isResend ? afterEarlierSend(sent) : sent;
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
    this.#observeCost(effect, outcome);
    if (outcome.type === 'applied') how.onApplied?.(outcome.result);
    const end = withProblem(await this.#ledger.record(run, outcome, side), outcome);
    if (outcome.type !== 'ambiguous') return end;
    if (!tools.canReconcile(effect)) {
      return withProblem(await this.#ledger.giveUp(run, outcome.error, side), outcome);
    }
    if (outcome.retryAfterMs !== undefined) return end;
    // An immediate check settles most ambiguous outcomes.
    const checked = await (await this.#ask(tools, run, effect, side))();
    return checked.costProblem === undefined ? withProblem(checked, outcome) : checked;
  }

  /** Read before the call, so that a merge during the call doesn't change which column is written. */
  #sideOf(run: HandlerRun): EffectSide {
    return this.#context.stores.mutations.sideOf(mutationId(run.id));
  }

  /** A check is made with the grants of the moment alone: it changes nothing outside. */
  #toolsOf(
    { workflowId, script }: HandlerToRun,
    { grants }: PolicyInForce = NO_POLICY,
  ): BoundTools {
    const { tools, stores } = this.#context;
    return tools.bind(workflowId, stores.grants.of(workflowId), script.config.uses, grants);
  }
}

function withProblem(end: EffectEnd, { costProblem }: Spent): EffectEnd {
  return costProblem === undefined ? end : { ...end, costProblem };
}

/**
 * After an earlier send, a refusal proves nothing about that send: the service may refuse the second
 * request because it has carried out the first.
 */
function afterEarlierSend(outcome: MutationOutcome & Spent): MutationOutcome & Spent {
  if (outcome.type !== 'failed' && outcome.type !== 'not_sent') return outcome;
  return { type: 'ambiguous', error: outcome.error };
}
