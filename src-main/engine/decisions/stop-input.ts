// Stops an input: its runs that have not sent anything are canceled, its events that are or become
// pending are skipped, and runs past their effect continue to their end. Events of other inputs that a
// canceled run held are pending again.
import type { Commands } from '#main/engine/decisions/commands.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { DONE, type DecisionOutcome } from '#shared/decision.ts';
import type { StopAs } from '#shared/inputs/kinds.ts';

export function stopInput(
  { context, commands }: { readonly context: EngineContext; readonly commands: Commands },
  inputId: string,
  as: StopAs,
  reason: string,
): DecisionOutcome {
  const { inputs, stores } = context;
  const stopped = inputs.stop(inputId, as, reason);
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
