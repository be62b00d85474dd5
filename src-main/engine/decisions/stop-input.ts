// Stops an input: its runs that have not sent anything are canceled, its events that are or become
// pending are skipped, and runs past their effect continue to their end. Events of other inputs that a
// canceled run held are pending again.
import type { Commands } from '#main/engine/decisions/commands.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { Stop } from '#main/input-lifecycle/input-lifecycle.ts';
import { DONE, type DecisionOutcome } from '#shared/decision.ts';

export function stopInput(
  { context, commands }: { readonly context: EngineContext; readonly commands: Commands },
  inputId: string,
  stop: Stop,
): DecisionOutcome {
  const { inputs, stores } = context;
  const stopped = inputs.stop(inputId, stop);
  if (stopped === null) {
    const status = stores.automationRuns.statusOf(inputId);
    if (status === undefined) {
      return { status: 'refused', message: "This device doesn't have that input." };
    }
    return {
      status: 'superseded',
      message: `This input has already ended as "${status}". Nothing was changed.`,
    };
  }
  if (stopped === 'stopping') {
    for (const { runId } of stores.inputChain.holders(inputId)) {
      const run = stores.handlerRuns.get(runId);
      if (run) commands.cancel(run);
    }
  }
  return DONE;
}
