// Goes forward in a new run after the effect: the old run ends, the new one copies its prepare
// result and starts at `emitting`.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';

/** Call inside a write. */
export function continueInNewRun(context: EngineContext, run: HandlerRun, why: string): HandlerRun {
  const { handlerRuns, events, ownership } = context.stores;
  const reserved = events.reservedBy(run.id).map(({ id }) => id);
  const successor = handlerRuns.create({
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
  // In one write, so that no other run can take events that already had their effect.
  if (reserved.length > 0) {
    events.release(reserved, run.id);
    events.reserve(reserved, successor.id);
  }
  handlerRuns.moveConsumer(run.id, {
    type: 'fail',
    errorType: 'internal',
    error: `${why} Run ${successor.id} continues it.`,
    at: context.store.clock.now(),
  });
  recordRunEvent(context, run, 'run.failed', { error: why, continuedBy: successor.id });
  return successor;
}
