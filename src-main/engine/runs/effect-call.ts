// The tools and the call behind an effect, to check it or to describe it to a person.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { EffectCall } from '#main/store/tables/mutations.ts';
import type { BoundTools, EffectCallee } from '#main/tools/tool-box.ts';

export interface BoundCall {
  readonly tools: BoundTools;
  readonly call: EffectCallee;
}

/** Undefined if this device doesn't have the effect, or no call was recorded. */
export function boundCall(context: EngineContext, mutationId: string): BoundCall | undefined {
  const { stores, tools, store, scripts } = context;
  const mutation = stores.mutations.get(mutationId);
  if (!mutation?.call) return undefined;
  const { workflowId } = mutation;
  const { toolNamespace, toolMethod, params }: EffectCall = mutation.call;
  const scriptId = stores.workflows.get(workflowId)?.scriptId;
  const uses = (scriptId && scripts.get(scriptId)?.config.uses) || {};
  return {
    tools: tools.bind(workflowId, stores.grants.of(workflowId), uses),
    call: {
      namespace: toolNamespace,
      method: toolMethod,
      params,
      isFromElsewhere: mutation.deviceId !== store.deviceId,
    },
  };
}

/** Whether Holdfast can check the outcome with the outside. */
export function canCheck(context: EngineContext, mutationId: string): boolean {
  const bound = boundCall(context, mutationId);
  return bound ? bound.tools.canReconcile(bound.call) : false;
}
