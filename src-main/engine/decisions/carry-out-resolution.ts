// Carries out a person's decision about an effect whose outcome is unknown. The first decision
// wins; later ones are recorded as superseded. Nothing is sent from here: a resend is left to the
// lane.
import { continueRun } from '#main/engine/continuation/continue-run.ts';
import { detectIncidents } from '#main/engine/detect-incidents.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { recordRunEvent } from '#main/engine/runs/record-run-event.ts';
import { canCheck } from '#main/engine/runs/effect-call.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import type { ResolutionRow } from '#main/store/tables/resolutions.ts';
import { whyNotSettled } from '#shared/decision-words.ts';
import { DONE, type DecisionOutcome } from '#shared/decision.ts';
import { positionOf } from '#shared/machines/continuation.ts';
import { MAX_GRACE_MS } from '#shared/limits.ts';
import { unreachable } from '#shared/rejection.ts';
import { waitUntil } from '#shared/stored-time.ts';

export interface CarriedOut {
  readonly outcome: DecisionOutcome;
  /** The lane's next step after the commit. */
  readonly continuation?:
    | { readonly type: 'wake' }
    | { readonly type: 'resend'; readonly handlerRunId: string };
}

/**
 * When the undo period of a decision ends. Null if it is carried out now, which is always the case on
 * other devices than the one that wrote it, because their clocks may differ.
 */
export function graceEnd({ store }: EngineContext, row: ResolutionRow): number | null {
  if (row.notBefore === null || row.deviceId !== store.deviceId) return null;
  return waitUntil(row.notBefore, store.clock.now(), MAX_GRACE_MS);
}

/** Undoes a decision. Null if the decision has not arrived here yet. */
export function withdraw({ stores }: EngineContext, resolutionId: string): DecisionOutcome | null {
  const row = stores.resolutions.get(resolutionId);
  if (!row) return null;
  if (row.status !== 'waiting') {
    return {
      status: 'superseded',
      message: 'Too late to undo: the owner had already handled this decision.',
    };
  }
  stores.resolutions.decide(resolutionId, { status: 'superseded', message: 'Undone.' });
  return DONE;
}

/** Call inside a durable write. */
export function carryOutResolution(context: EngineContext, resolution: ResolutionRow): CarriedOut {
  const { stores } = context;
  const mutation = stores.mutations.get(resolution.mutationId);
  const run = mutation && stores.handlerRuns.get(mutation.handlerRunId);
  if (!mutation || !run) {
    return { outcome: { status: 'refused', message: "The owner doesn't have that effect." } };
  }
  const { state } = mutation;
  if (state.status !== 'indeterminate' || state.resolved) {
    return { outcome: { status: 'superseded', message: whySuperseded(context, mutation) } };
  }
  if (hasGoneOn(run, resolution)) {
    const message = `The run of this effect has already continued and is "${run.state.phase}" now, so this decision no longer applies. Nothing was changed or sent.`;
    return { outcome: { status: 'superseded', message } };
  }
  const canReconcile = canCheck(context, mutation.id);
  if (isBlindResend(context, resolution, canReconcile)) {
    return {
      outcome: {
        status: 'refused',
        message:
          "The owner can't check the outcome, and you didn't confirm sending it again. Nothing was sent.",
      },
    };
  }
  const isResend = settle(context, resolution, mutation, run, canReconcile);
  // The settled outcome may show that two devices made the same effect.
  detectIncidents(context, { mutationIds: [mutation.id], eventIds: [], claimedWorkflowIds: [] });
  recordRunEvent(
    context,
    run,
    'effect.resolved',
    {
      resolution: resolution.resolution,
      decidedOn: resolution.deviceId,
      ...(resolution.note === null ? {} : { note: resolution.note }),
    },
    stores.resolutions.ofMutation(mutation.id).length,
  );
  return {
    outcome: DONE,
    continuation: isResend ? { type: 'resend', handlerRunId: run.id } : { type: 'wake' },
  };
}

/**
 * True if the run doesn't need this decision any more, or must not repeat its effect: another device
 * knew the outcome, and its rows arrived in parts.
 */
function hasGoneOn({ state }: HandlerRun, { resolution }: ResolutionRow): boolean {
  const position = positionOf(state);
  if (position === 'ended') return true;
  const actsAgain = resolution === 'user_assert_failed' || resolution === 'user_retry';
  return actsAgain && (position === 'after_effect' || position === 'suspended_after');
}

/** Writes the decision to the ledger and continues the run. True if the effect is sent again. */
function settle(
  context: EngineContext,
  resolution: ResolutionRow,
  mutation: Mutation,
  run: HandlerRun,
  canReconcile: boolean,
): boolean {
  const { stores, store } = context;
  const at = store.clock.now();
  switch (resolution.resolution) {
    case 'user_assert_applied':
      stores.mutations.move(mutation.id, {
        type: 'resolve',
        as: 'user_assert_applied',
        at,
        result: resolution.result,
      });
      recordSideEffect(context, mutation, run, resolution);
      break;
    case 'user_skip':
      stores.mutations.move(mutation.id, { type: 'resolve', as: 'user_skip', at });
      for (const event of stores.events.reservedBy(run.id)) {
        stores.events.move(event.id, { type: 'skip', reason: 'by_person' });
      }
      break;
    case 'user_assert_failed':
      stores.mutations.move(mutation.id, { type: 'resolve', as: 'user_assert_failed', at });
      break;
    case 'user_retry':
      stores.mutations.move(mutation.id, { type: 'resolve', as: 'user_retry', at, canReconcile });
      break;
    default:
      return unreachable(resolution.resolution);
  }
  return continueRun(context, run, 'settled') === 'resend';
}

function recordSideEffect(
  { inputs }: EngineContext,
  { call }: Mutation,
  run: HandlerRun,
  { result }: ResolutionRow,
): void {
  if (!call) return;
  const { idempotencyKey: effectId, toolNamespace, toolMethod } = call;
  inputs.recordEffect(run.id, result, () => ({
    effectId,
    namespace: toolNamespace,
    method: toolMethod,
  }));
}

/** The deciding device offered a check. This device can only send again, which nobody confirmed. */
function isBlindResend(
  { store }: EngineContext,
  { resolution, deviceId, isConfirmed }: ResolutionRow,
  canReconcile: boolean,
): boolean {
  const isOurOwn = deviceId === store.deviceId;
  return resolution === 'user_retry' && !canReconcile && !isConfirmed && !isOurOwn;
}

function whySuperseded({ stores }: EngineContext, mutation: Mutation): string {
  const first = stores.resolutions.ofMutation(mutation.id).find(({ status }) => status === 'done');
  return whyNotSettled(mutation.state.status, first?.resolution);
}
