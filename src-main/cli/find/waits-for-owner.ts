// Says that a request waits for the device that runs a workflow.
import { loadDeviceLabels, type DeviceLabels } from '#main/cli/find/device-labels.ts';
import type { HostClient } from '#main/cli/host-client.ts';
import type { OwnerView } from '#shared/api/ownership.ts';

export async function waitsForOwner(host: HostClient, workflowId: string): Promise<string> {
  const { owner } = await host.call('workflows.get', { workflowId });
  return describeWaiting(owner, await loadDeviceLabels(host));
}

export function describeWaiting(owner: OwnerView, labelOf: DeviceLabels): string {
  const device = owner.state === 'released' ? owner.toDeviceId : owner.deviceId;
  if (owner.state === 'owned' && owner.isThisDevice) {
    return 'This device carries it out once a host is running and the time to undo it has passed.';
  }
  if (device === null) {
    return 'No known device runs this workflow, so this waits until one does. To run it here, use "holdfast takeover".';
  }
  return `This waits for ${labelOf(device)}, which runs the workflow, and takes effect when it gets there.`;
}
