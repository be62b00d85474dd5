// After a crash: everything that was under way is brought to a state that is true. Before the
// effect a run starts over; in the middle nobody knows, and it is asked or a person is; after it
// another run goes on. Nothing is ever sent from here.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { endRun } from '#main/engine/failure.ts';
import { recordRunEvent } from '#main/engine/history.ts';
import { letGo } from '#main/engine/let-go.ts';
import type { ScriptCache } from '#main/engine/script-cache.ts';
import type { EffectCall, Mutation } from '#main/store/mutations.ts';
import type { HandlerRun } from '#main/store/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';

const CRASHED = 'Holdfast ended in the middle of this run.';

/**
 * All workflows, or one. Costs what is unfinished, not what the history holds. `toSend`: runs whose
 * effect is about to be sent again on a person's word; they were not interrupted, they have not begun.
 */
export function recover(
  context: EngineContext,
  scripts: ScriptCache,
  workflowId?: string,
  toSend: ReadonlySet<string> = new Set(),
): void {
  const { stores, store } = context;
  store.db.write(() => {
    const isOwned = new Map<string, boolean>();
    for (const run of stores.handlerRuns.open(workflowId)) {
      if (run.deviceId !== store.deviceId || toSend.has(run.id)) continue;
      const known = isOwned.get(run.workflowId);
      const isOurs = known ?? stores.ownership.epoch(run.workflowId) !== null;
      isOwned.set(run.workflowId, isOurs);
      if (isOurs) recoverRun(context, scripts, run);
      // Somebody else goes on for it; only what we know of it is still ours to say.
      else if (known === undefined) letGo(context, run.workflowId);
    }
    for (const session of stores.scriptRuns.active()) {
      const isOurs = session.deviceId === store.deviceId;
      if (!isOurs || (workflowId !== undefined && session.workflowId !== workflowId)) continue;
      stores.runContexts.finishRun({
        runId: session.id,
        status: 'failed',
        terminalEventId: `recovered:${session.id}`,
        error: 'Holdfast ended in the middle of this session.',
      });
    }
  });
}

function recoverRun(context: EngineContext, scripts: ScriptCache, run: HandlerRun): void {
  switch (run.state.phase) {
    case 'pending':
    case 'preparing':
    case 'prepared':
    case 'executing':
      startOver(context, run, CRASHED);
      return;
    case 'mutating':
      recoverEffect(context, scripts, run);
      return;
    case 'mutated':
    case 'emitting':
      goOnInAnother(context, run, CRASHED);
      return;
    case 'suspended':
      // Its question is still open; but not that of an effect which was sent again on request, or
      // of one that the outside was asked about and said no.
      if (isUnsettled(context, run)) recoverEffect(context, scripts, run);
      return;
    case 'committed':
    case 'failed':
      return;
  }
}

function isUnsettled({ stores }: EngineContext, { id, state }: HandlerRun): boolean {
  const status = stores.mutations.ofRun(id)?.state.status;
  if (status === 'in_flight') return true;
  return status === 'failed' && state.phase === 'suspended' && state.reason === 'reconciliation';
}

export function startOver(context: EngineContext, run: HandlerRun, error: string): void {
  endRun(context, run, { errorType: 'internal', error });
  const { consumerWakes } = context.stores;
  const wake = consumerWakes.get(run.workflowId, run.handlerName);
  consumerWakes.set(run.workflowId, run.handlerName, { ...wake, retryOf: run.id });
}

function recoverEffect(context: EngineContext, scripts: ScriptCache, run: HandlerRun): void {
  const { mutations, handlerRuns } = context.stores;
  const mutation = mutations.ofRun(run.id);
  switch (mutation?.state.status) {
    case undefined:
    case 'pending':
    case 'failed':
      // Nothing left this machine, or it is known that it did not happen.
      startOver(context, run, CRASHED);
      return;
    case 'applied':
      if (run.state.phase !== 'suspended') handlerRuns.moveConsumer(run.id, { type: 'settle' });
      goOnInAnother(context, handlerRuns.get(run.id) as HandlerRun, CRASHED);
      return;
    case 'in_flight':
      doubt(context, scripts, run);
      return;
    case 'needs_reconcile':
    case 'indeterminate':
      suspend(context, run);
  }
}

/** It may be out. It is asked where it can be asked; else only a person can know. */
function doubt(context: EngineContext, scripts: ScriptCache, run: HandlerRun): void {
  const { mutations, workflows, grants } = context.stores;
  const { call } = mutations.ofRun(run.id) as Mutation & { call: EffectCall };
  const scriptId = workflows.get(run.workflowId)?.scriptId;
  const uses = (scriptId && scripts.get(scriptId)?.config.uses) || {};
  const tools = context.tools.bind(run.workflowId, grants.of(run.workflowId), uses);
  const canAsk = tools.canReconcile({
    namespace: call.toolNamespace,
    method: call.toolMethod,
    params: call.params,
  });
  const error = 'Holdfast ended while this was being sent. It may have happened.';
  const id = mutationId(run.id);
  if (canAsk) {
    mutations.move(id, { type: 'doubt', error, nextAt: context.store.clock.now() });
  } else {
    mutations.move(id, { type: 'give_up', error });
    recordRunEvent(context, run, 'effect.indeterminate', { error });
  }
  suspend(context, run);
}

function suspend(context: EngineContext, run: HandlerRun): void {
  if (run.state.phase === 'suspended') return;
  context.stores.handlerRuns.moveConsumer(run.id, {
    type: 'suspend',
    reason: 'reconciliation',
    error: CRASHED,
  });
}

/** Its effect is settled. This run ends; another copies its results and goes on at emitting. */
export function goOnInAnother(context: EngineContext, run: HandlerRun, why: string): HandlerRun {
  const { handlerRuns, events, ownership } = context.stores;
  const reserved = events.reservedBy(run.id).map(({ id }) => id);
  const made = handlerRuns.create({
    scriptRunId: run.scriptRunId,
    workflowId: run.workflowId,
    handlerType: 'consumer',
    handlerName: run.handlerName,
    inputState: run.inputState,
    epoch: ownership.epoch(run.workflowId) ?? run.epoch,
    retryOf: run.id,
    causedBy: run.causedBy ?? undefined,
    begins: { phase: 'emitting', prepareResult: run.prepareResult },
  });
  const successor = made.id;
  // The events stay taken all the while: nobody else may pick up what has had its effect.
  if (reserved.length > 0) {
    events.release(reserved, run.id);
    events.reserve(reserved, successor);
  }
  handlerRuns.moveConsumer(run.id, {
    type: 'fail',
    errorType: 'internal',
    error: `${why} The run ${successor} goes on with it.`,
    at: context.store.clock.now(),
  });
  recordRunEvent(context, run, 'run.failed', { error: why, continuedBy: successor });
  return made;
}
