// Letting go of an input: what waits is skipped by the runs service; what is at work and has not
// acted yet is stopped here; what has acted goes on to its end.
import type { EngineContext } from '#main/engine/engine-context.ts';
import { DONE, type Decision } from '#main/engine/intents.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { StopAs } from '#shared/inputs/kinds.ts';

export function stopInput(
  engine: { readonly context: EngineContext; cancel(run: HandlerRun): unknown },
  inputId: string,
  as: StopAs,
  reason: string,
): Decision {
  const { inputs, stores } = engine.context;
  const stopped = inputs.stop(inputId, as, reason);
  if (stopped === null) {
    const status = stores.automationRuns.statusOf(inputId);
    if (status === undefined) return { status: 'refused', message: 'There is no such input here.' };
    return {
      status: 'superseded',
      message: `This input has ended already: it is "${status}". It stays so.`,
    };
  }
  if (stopped === 'stopping') {
    for (const { runId } of stores.inputChain.holders(inputId)) {
      const run = stores.handlerRuns.get(runId);
      if (run) engine.cancel(run);
    }
  }
  return DONE;
}
