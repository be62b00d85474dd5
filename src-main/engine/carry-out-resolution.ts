// Carrying out what a person decided about an effect whose outcome is unknown. Each decision is a
// row; the first one wins, the others are kept as superseded.
import { continueRun } from '#main/engine/continue-run.ts';
import { detect } from '#main/engine/detect-incidents.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { recordRunEvent } from '#main/engine/record-run-event.ts';
import { DONE, type Decision } from '#main/engine/intents.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import type { ResolutionRow } from '#main/store/tables/resolutions.ts';
import { MAX_GRACE_MS } from '#shared/limits.ts';
import { unreachable } from '#shared/rejection.ts';

/** What the lane has to do once this is committed. */
export type Carried = 'wake' | 'resend';

/**
 * Until when it can be taken back; null: it is carried out now. Only on the device that wrote it:
 * elsewhere its way took long enough, and the clocks may differ.
 */
export function graceEnd({ store }: EngineContext, row: ResolutionRow): number | null {
  if (row.notBefore === null || row.deviceId !== store.deviceId) return null;
  const now = store.clock.now();
  // A clock that was set back must not hold it up for hours.
  const isSane = row.notBefore > now && row.notBefore <= now + MAX_GRACE_MS;
  return isSane ? row.notBefore : null;
}

/** Null: the decision has not come here yet. Written by the owner alone, like every outcome. */
export function withdraw({ stores }: EngineContext, resolutionId: string): Decision | null {
  const row = stores.resolutions.get(resolutionId);
  if (!row) return null;
  if (row.status !== 'waiting') {
    return {
      status: 'superseded',
      message: 'It was carried out before it was taken back. What it did stands.',
    };
  }
  stores.resolutions.decide(resolutionId, 'superseded', 'It was taken back.');
  return DONE;
}

/** Null: it was not carried out, and its row says why. To be called inside a durable write. */
export function carryOut(
  context: EngineContext,
  resolution: ResolutionRow,
  canReconcile: boolean,
): Carried | null {
  const { stores } = context;
  const mutation = stores.mutations.get(resolution.mutationId);
  const run = mutation && stores.handlerRuns.get(mutation.handlerRunId);
  if (!mutation || !run) {
    stores.resolutions.decide(resolution.id, 'refused', 'There is no such effect here.');
    return null;
  }
  const { state } = mutation;
  if (state.status !== 'indeterminate' || state.resolved) {
    stores.resolutions.decide(resolution.id, 'superseded', supersededBy(context, mutation));
    return null;
  }
  if (isBlindResend(context, resolution, canReconcile)) {
    stores.resolutions.decide(
      resolution.id,
      'refused',
      'The outside cannot be asked from the device that runs this workflow, and sending it again was not confirmed.',
    );
    return null;
  }
  const carried = settle(context, resolution, mutation, run, canReconcile);
  stores.resolutions.decide(resolution.id, 'carried_out');
  // What is known now may be that another device did it, too.
  detect(context, { mutationIds: [mutation.id], eventIds: [], claimedWorkflowIds: [] });
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
  return carried;
}

/** Writes the decision into the ledger; the continuation table says what it means for the run. */
function settle(
  context: EngineContext,
  resolution: ResolutionRow,
  mutation: Mutation,
  run: HandlerRun,
  canReconcile: boolean,
): Carried {
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
  return continueRun(context, run, 'settled') === 'resend' ? 'resend' : 'wake';
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

/** Elsewhere it looked as if it could be asked; here it would be sent, which nobody confirmed. */
function isBlindResend(
  { store }: EngineContext,
  { resolution, deviceId, isConfirmed }: ResolutionRow,
  canReconcile: boolean,
): boolean {
  const isOurOwn = deviceId === store.deviceId;
  return resolution === 'user_retry' && !canReconcile && !isConfirmed && !isOurOwn;
}

function supersededBy({ stores }: EngineContext, mutation: Mutation): string {
  const first = stores.resolutions
    .ofMutation(mutation.id)
    .find(({ status }) => status === 'carried_out');
  return first
    ? `It was settled before, as "${first.resolution}".`
    : `Its outcome is known by now: ${mutation.state.status}.`;
}
