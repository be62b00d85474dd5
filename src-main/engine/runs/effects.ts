// Sends effects and checks outcomes. The order of the steps keeps "no effect twice": in flight on
// disk, then the call, then its outcome. Only a person's decision leads to sending again.
import { EffectLedger, effectOf, type EffectEnd } from '#main/engine/runs/effect-ledger.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { OWNERSHIP_LOST } from '#main/engine/runs/failure.ts';
import type { MutationCall } from '#main/engine/runs/phase-calls.ts';
import type { HandlerToRun } from '#main/engine/runs/run-phase.ts';
import type { Side } from '#main/store/sqlite/guarded-update.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { BoundTools, EffectToMake } from '#main/tools/tool-box.ts';
import type { MutationOutcome } from '#main/tools/tool.ts';
import { effectId, mutationId } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';

export interface EffectRequest {
  readonly handler: HandlerToRun;
  readonly run: HandlerRun;
  readonly call: MutationCall;
  readonly reserved: readonly { readonly eventId: string; readonly attempt: number }[];
  readonly isPreview: boolean;
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

  async perform(request: EffectRequest): Promise<EffectEnd> {
    const { handler, run, call } = request;
    const effect: EffectToMake = {
      ...call,
      effectId: effectId(handler.workflowId, handler.name, request.reserved),
    };
    const tools = this.#toolsOf(handler);
    const isQuestion = tools.waitsForPerson(effect);
    if (request.isPreview || isQuestion) {
      // No call is made that would validate the parameters.
      const refused = tools.refusalOf(effect);
      if (refused) return { type: 'failed', ...refused };
      return request.isPreview ? this.#ledger.preview(run, effect) : this.#ledger.ask(run, effect);
    }
    const begun = await this.#ledger.begin(run, effect);
    if (begun.type !== 'send') return begun;
    return this.#send(tools, run, effect, 'maker', { onApplied: request.onApplied });
  }

  /** Sends the effect again under the same id, after a person decided so. */
  async sendAgain(handler: HandlerToRun, run: HandlerRun): Promise<EffectEnd> {
    const side = this.#sideOf(run);
    // A run of an earlier epoch acts under the present claim.
    const isOwner = this.#context.stores.ownership.epoch(run.workflowId) !== null;
    if (!isOwner) return this.#ledger.giveUp(run, OWNERSHIP_LOST, side);
    if (this.#ledger.stateAs(side, run).status !== 'in_flight') return { type: 'suspended' };
    return this.#send(this.#toolsOf(handler), run, effectOf(this.#context, run), side, {
      isResend: true,
    });
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
    const outcome = await tools.reconcile(effect, this.#sentAt(run));
    this.#context.probe('reconcile:after');
    return this.#ledger.recordCheck(run, outcome, side);
  }

  async #send(
    tools: BoundTools,
    run: HandlerRun,
    effect: EffectToMake,
    side: Side,
    { isResend = false, onApplied }: { isResend?: boolean; onApplied?: OnApplied } = {},
  ): Promise<EffectEnd> {
    this.#context.probe('send:before');
    const startedAt = this.#context.store.clock.now();
    const began = performance.now();
    const outcome = isResend
      ? afterEarlierSend(await tools.mutate(effect))
      : await tools.mutate(effect);
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
    const end = await this.#ledger.record(run, outcome, side);
    // An immediate check settles most ambiguous outcomes.
    if (outcome.type !== 'ambiguous') return end;
    return tools.canReconcile(effect)
      ? this.#ledger.recordCheck(run, await tools.reconcile(effect, this.#sentAt(run)), side)
      : this.#ledger.giveUp(run, outcome.error, side);
  }

  /** Read before the call, so that a merge during the call doesn't change which column is written. */
  #sideOf(run: HandlerRun): Side {
    return this.#context.stores.mutations.sideOf(mutationId(run.id));
  }

  #sentAt(run: HandlerRun): number {
    return this.#context.stores.mutations.ofRun(run.id)?.createdAt ?? 0;
  }

  #toolsOf({ workflowId, script }: HandlerToRun): BoundTools {
    const { tools, stores } = this.#context;
    return tools.bind(workflowId, stores.grants.of(workflowId), script.config.uses);
  }
}

/**
 * After an earlier send, a refusal proves nothing about that send: the service may refuse the second
 * request because it has carried out the first.
 */
function afterEarlierSend(outcome: MutationOutcome): MutationOutcome {
  if (outcome.type !== 'failed' && outcome.type !== 'not_sent') return outcome;
  return { type: 'ambiguous', error: outcome.error };
}
