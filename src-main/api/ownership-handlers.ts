// The calls about owners, intents and incidents.
import type { Handlers } from '#main/api/dispatch.ts';
import { openElsewhere, toOpenThere, toOwnerView } from '#main/api/ownership-views.ts';
import type { Engine } from '#main/engine/engine.ts';
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
      requireWorkflow(engine, workflowId);
      return {
        owner: toOwnerView(engine, workflowId),
        claims: stores.ownership.claims(workflowId).map((claim) => ({
          epoch: claim.epoch,
          deviceId: claim.deviceId,
          how: claim.how,
          claimedAt: claim.claimedAt,
          releasedTo: claim.release?.toDeviceId ?? null,
        })),
        open: openElsewhere(engine, workflowId),
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
 * Asks for something, here or of the device that runs the workflow. True: it waits for that device.
 * Throws where it was refused, as the kind of error that it is.
 */
export function askOrThrow(
  engine: Engine,
  workflowId: string,
  wish: IntentRequest,
  refusedAs: ApiErrorType,
  id?: string,
): boolean {
  const intent = engine.ask(workflowId, wish, id);
  if (intent.status === 'waiting') return true;
  if (intent.status === 'done') return false;
  throw new ApiError({ type: refusedAs, message: intent.message ?? 'It was not done.' });
}

function handOver(
  engine: Engine,
  workflowId: string,
  toDeviceId: string,
): CallOutput<'workflows.handover'> {
  requireWorkflow(engine, workflowId);
  requireDevice(engine, toDeviceId);
  const owner = toOwnerView(engine, workflowId);
  if (owner.state === 'nobody' || owner.state === 'released') {
    throw new ApiError({
      type: 'conflict',
      message:
        owner.state === 'released'
          ? `It was handed over to ${owner.toDeviceId} already, which has not taken it up yet. Nothing was done. Take it over to run it here.`
          : 'No device that is known here runs this workflow. Nothing was done. Take it over to run it here.',
    });
  }
  const wish = { kind: 'handover', toDeviceId, epoch: owner.epoch } as const;
  const isWaiting = askOrThrow(engine, workflowId, wish, 'conflict');
  return {
    owner: toOwnerView(engine, workflowId),
    ...(isWaiting && !owner.isThisDevice ? { waiting: true } : {}),
  };
}

function takeOver(engine: Engine, workflowId: string): CallOutput<'workflows.takeover'> {
  requireWorkflow(engine, workflowId);
  const adopted = engine.takeOver(workflowId);
  if (adopted === null) {
    throw new ApiError({
      type: 'conflict',
      message: 'This device runs the workflow already. Nothing was done.',
    });
  }
  return {
    owner: toOwnerView(engine, workflowId),
    open: adopted.map((one) => toOpenThere(engine, one)),
  };
}

function toIntentView(intent: Intent): IntentView {
  const { kind } = (intent.wish ?? {}) as { kind?: unknown };
  return { ...intent, kind: typeof kind === 'string' ? kind : 'unknown' };
}

/** A workflow let go of for a device that nobody knows would be run by nobody. */
function requireDevice(engine: Engine, deviceId: string): void {
  const { devices, peers } = engine.context.stores;
  // One that was just paired may not have described itself yet.
  if (devices.get(deviceId) ?? peers.get(deviceId)) return;
  throw new ApiError({
    type: 'not_found',
    message: `None of your devices has the id "${deviceId}". Nothing was handed over. See which there are under Devices, or with "holdfast devices".`,
  });
}

function requireWorkflow(engine: Engine, workflowId: string): void {
  if (!engine.context.stores.workflows.get(workflowId)) throw notFound('workflow', workflowId);
}

function notFound(kind: string, id: string): ApiError {
  return new ApiError({ type: 'not_found', message: `There is no ${kind} with the id "${id}".` });
}
