// Handlers of ownership, intents and incidents.
import { notFound } from '#main/api/not-found.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import { requireDevice } from '#main/api/handlers/require-device.ts';
import { openRunsElsewhere, toOpenRunView, toOwnerView } from '#main/api/views/ownership-views.ts';
import { requireWorkflow } from '#main/api/views/workflow-views.ts';
import type { Engine } from '#main/engine/engine.ts';
import { deviceLabel, knownDevices } from '#main/store/queries/known-devices.ts';
import type { Intent } from '#main/store/tables/intents.ts';
import type { CallOutput } from '#shared/api/contract.ts';
import { ApiError, type ApiErrorType } from '#shared/api/errors.ts';
import type { IntentView, ownershipContract } from '#shared/api/ownership.ts';
import type { IntentRequest } from '#shared/intents.ts';

export function createOwnershipHandlers(
  engine: Engine,
): Pick<Handlers, keyof typeof ownershipContract> {
  const { stores } = engine.context;
  return {
    'ownership.get': ({ workflowId }) => {
      requireWorkflow(stores, workflowId);
      return {
        owner: toOwnerView(engine, workflowId),
        claims: stores.ownership.claims(workflowId).map((claim) => ({
          epoch: claim.epoch,
          deviceId: claim.deviceId,
          how: claim.how,
          claimedAt: claim.claimedAt,
          releasedTo: claim.release?.toDeviceId ?? null,
        })),
        open: openRunsElsewhere(engine, workflowId),
      };
    },
    'workflows.handover': ({ workflowId, toDeviceId }) => handOver(engine, workflowId, toDeviceId),
    'workflows.takeover': ({ workflowId }) => takeOver(engine, workflowId),
    'intents.list': (page) => {
      const { intents, next } = stores.intents.list(page);
      return { intents: intents.map(toIntentView), next };
    },
    'incidents.acknowledge': ({ incidentId, note }) => {
      if (!stores.incidents.get(incidentId)) throw notFound('incident', incidentId);
      stores.incidents.acknowledge(incidentId, note);
      return {};
    },
  };
}

/**
 * Submits an intent to the owner of the workflow, which may be this device. Returns true if it waits
 * for another device. Throws an `ApiError` of type `errorType` if it was refused.
 */
export function submitIntent(
  engine: Engine,
  workflowId: string,
  request: IntentRequest,
  errorType: ApiErrorType,
  id?: string,
): boolean {
  const intent = engine.decisions.submit(workflowId, request, id);
  if (intent.status === 'waiting') return true;
  if (intent.status === 'done') return false;
  throw new ApiError({
    type: errorType,
    message: intent.message ?? 'The request was refused. Nothing was changed.',
  });
}

function handOver(
  engine: Engine,
  workflowId: string,
  device: string,
): CallOutput<'workflows.handover'> {
  const { stores } = engine.context;
  requireWorkflow(stores, workflowId);
  // A device that never gets the workflow would leave it without an owner.
  const devices = knownDevices(stores).filter(({ isUnpaired }) => !isUnpaired);
  const { id: toDeviceId } = requireDevice(devices, device, 'device');
  const owner = toOwnerView(engine, workflowId);
  if (owner.state === 'nobody' || owner.state === 'released') {
    throw new ApiError({
      type: 'conflict',
      message:
        owner.state === 'released'
          ? `This workflow is already being handed over to "${deviceLabel(stores, owner.toDeviceId ?? '')}", which has not claimed it yet. Nothing was changed. To run it here, take it over.`
          : 'No known device runs this workflow. Nothing was changed. To run it here, take it over.',
    });
  }
  const intent = { kind: 'handover', toDeviceId, epoch: owner.epoch } as const;
  const isWaiting = submitIntent(engine, workflowId, intent, 'conflict');
  return {
    owner: toOwnerView(engine, workflowId),
    ...(isWaiting && !owner.isThisDevice ? { waiting: true } : {}),
  };
}

function takeOver(engine: Engine, workflowId: string): CallOutput<'workflows.takeover'> {
  requireWorkflow(engine.context.stores, workflowId);
  const adopted = engine.ownership.takeOver(workflowId);
  if (adopted === null) {
    throw new ApiError({
      type: 'conflict',
      message: 'This device already runs the workflow. Nothing was changed.',
    });
  }
  return {
    owner: toOwnerView(engine, workflowId),
    open: adopted.map((run) => toOpenRunView(engine, run)),
  };
}

function toIntentView(intent: Intent): IntentView {
  const { kind } = (intent.wish ?? {}) as { kind?: unknown };
  return { ...intent, kind: typeof kind === 'string' ? kind : 'unknown' };
}
