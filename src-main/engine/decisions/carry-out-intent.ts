// Carries out one intent as the owner. Maps each kind of intent to a command; the rules live in the
// commands.
import type { EngineParts } from '#main/engine/decisions/engine-parts.ts';
import { stopInput } from '#main/engine/decisions/stop-input.ts';
import { withdraw } from '#main/engine/decisions/carry-out-resolution.ts';
import { DONE, type DecisionOutcome } from '#shared/decision.ts';
import { intentRequestSchema, type IntentRequest } from '#shared/intents.ts';
import { isUnfinished, type AutomationRunStatus } from '#shared/machines/automation-run.ts';
import { isRejection, unreachable, type Rejection } from '#shared/rejection.ts';

/** Null if that isn't possible now, and the intent waits. Another device may have written `given`. */
export function carryOutIntent(
  parts: EngineParts,
  workflowId: string,
  given: unknown,
): DecisionOutcome | null {
  const parsed = intentRequestSchema.safeParse(given);
  if (parsed.success) return perform(parts, workflowId, parsed.data);
  return {
    status: 'refused',
    message: "The owner's version of Holdfast doesn't know this request. Update Holdfast there.",
  };
}

function perform(
  parts: EngineParts,
  workflowId: string,
  request: IntentRequest,
): DecisionOutcome | null {
  const { context, commands, ownership } = parts;
  switch (request.kind) {
    case 'pause':
      commands.pause(workflowId, request.reason);
      return DONE;
    case 'resume':
      commands.resume(workflowId);
      return DONE;
    case 'run_now':
      return commands.runNow(workflowId, request.producer, request.requestId) ? DONE : null;
    case 'cancel':
      return cancel(parts, request.handlerRunId);
    case 'rerun': {
      const result = commands.rerunEvent(request.eventId, request.payload);
      return result.type === 'moved' ? DONE : superseded(whyNotRerun(result));
    }
    case 'answer':
      return commands.answer(request.mutationId, request.answer)
        ? DONE
        : superseded("This question isn't open any more. Your answer was not used.");
    case 'stop_input':
      return stopInput(parts, request.inputId, { as: request.as, reason: request.reason });
    case 'settle_input': {
      const settled = context.inputs.settle(request.inputId, request.as, request.reason);
      const isDone = settled.type === 'moved' || settled.type === 'repeated';
      return isDone ? DONE : superseded(whyNotSettled(settled));
    }
    case 'activate':
      return commands.activate(workflowId, request);
    case 'skip_left_behind':
      return commands.skipLeftBehind(workflowId, request.topic);
    case 'withdraw':
      return withdraw(context, request.resolutionId);
    case 'handover':
      return ownership.handOver(workflowId, request.toDeviceId, request.epoch);
    default:
      return unreachable(request);
  }
}

function cancel({ context, commands }: EngineParts, handlerRunId: string): DecisionOutcome {
  const run = context.stores.handlerRuns.get(handlerRunId);
  if (!run) return { status: 'refused', message: "This device doesn't have that run." };
  if (commands.cancel(run) !== null) return DONE;
  return superseded(
    `This run is "${run.state.phase}" and can't be canceled any more. Nothing was changed.`,
  );
}

/** The expected refusals in a sentence; each other one has its own. */
type Refused = { readonly message: string } | Rejection;

function whyNotRerun(refused: Refused): string {
  if (!isRejection(refused)) return refused.message;
  return refused.from === 'reserved'
    ? 'A run is processing this event. Nothing was changed. Wait until that run has ended.'
    : 'This event is still pending: the workflow takes it when it runs. Nothing was changed.';
}

function whyNotSettled(refused: Refused): string {
  if (!isRejection(refused)) return refused.message;
  const status = refused.from as AutomationRunStatus;
  return isUnfinished(status)
    ? `This input is "${status}" and has not ended yet. Nothing was changed. Skip or cancel it, or wait until it ends.`
    : `This input has already ended as "${status.replaceAll('_', ' ')}", and that is final. Nothing was changed.`;
}

function superseded(message: string): DecisionOutcome {
  return { status: 'superseded', message };
}
