// The status of a workflow in one line of `holdfast list`.
import type { DeviceLabels } from '#main/cli/find/device-labels.ts';
import { showTime } from '#main/cli/print.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { OwnerView } from '#shared/api/ownership.ts';

export function describeWorkflowStatus(workflow: WorkflowView, labelOf: DeviceLabels): string {
  const {
    status,
    statusReason,
    isBusy,
    openQuestions,
    draftScriptId,
    leftBehind,
    waitsFor,
    heldBecause,
    owner,
  } = workflow;
  const isOurs = owner.state === 'owned' && owner.isThisDevice;
  const draft = draftScriptId === null ? '' : ', has a draft';
  if (owner.state === 'released') return `${describeOwner(owner, labelOf)}${draft}`;
  if (status === 'paused') {
    const where = isOurs ? '' : ` (${describeOwner(owner, labelOf)})`;
    const why = statusReason ? `: ${statusReason}` : '';
    return `${isBusy ? 'pausing' : 'paused'}${where}${why}${draft}`;
  }
  if (heldBecause !== null) return `held (holdfast inbox)${draft}`;
  if (openQuestions > 0 || leftBehind.length > 0) return `needs you (holdfast inbox)${draft}`;
  if (!isOurs) return `${describeOwner(owner, labelOf)}${draft}`;
  const [wait] = waitsFor;
  if (wait && !isBusy) return `${describeWait(wait)}${draft}`;
  return `${isBusy ? 'running' : 'active'}${draft}`;
}

function describeWait({ host, until, since, isNetwork }: WorkflowView['waitsFor'][number]): string {
  if (until !== null) return `waiting for ${host} until ${showTime(until)}`;
  if (isNetwork) return `waiting for network since ${showTime(since)}`;
  return `waiting for ${host} since ${showTime(since)}`;
}

/** Call for a workflow that is not active on this device. */
function describeOwner({ state, deviceId, toDeviceId }: OwnerView, labelOf: DeviceLabels): string {
  switch (state) {
    case 'owned':
      return `run by ${labelOf(deviceId)}`;
    case 'handing_over':
      return `run by ${labelOf(deviceId)}, handing over to ${labelOf(toDeviceId)}`;
    case 'released':
      return `run by no device: waits for ${labelOf(toDeviceId)}`;
    case 'nobody':
      return 'run by no known device';
  }
}
