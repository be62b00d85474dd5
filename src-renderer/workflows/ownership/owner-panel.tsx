// The owner of a workflow, its history, and the ways to change it.
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { CLAIM_LABELS } from '#renderer/text/ownership-text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { RelativeTime } from '#renderer/ui/display/time.tsx';
import type { DeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';
import { HandOver } from '#renderer/workflows/ownership/hand-over.tsx';
import { TakeOver } from '#renderer/workflows/ownership/take-over.tsx';
import { useOwnership } from '#renderer/workflows/ownership/use-ownership.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly devices: DeviceLabels;
  readonly onChanged: () => void;
}

export function OwnerPanel({ workflow, devices, onChanged }: Props) {
  const { id, owner } = workflow;
  const { answer } = useOwnership(id);
  const claims = (answer?.claims ?? []).toReversed();
  return (
    <Panel title={workflowText.owner.title}>
      <div className="grid gap-3 text-[0.8125rem]">
        <p className="wrap-anywhere">{ownerSentence(workflow, devices)}</p>
        <OwnershipActions workflow={workflow} devices={devices} onChanged={onChanged} />
        {claims.length < 2 ? null : (
          <div className="grid gap-1 border-t border-line pt-2.5">
            <h3 className="text-muted">{workflowText.owner.history}</h3>
            <ul className="grid gap-1">
              {claims.map(({ epoch, deviceId, how, claimedAt }) => (
                <li key={`${epoch} ${deviceId}`} className="wrap-anywhere">
                  {workflowText.owner.claim(devices.labelOf(deviceId), CLAIM_LABELS[how], epoch)}{' '}
                  <span className="text-muted">
                    <RelativeTime at={claimedAt} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        )}
        {owner.state === 'released' ? (
          <p className="text-muted">{workflowText.owner.releasedHint}</p>
        ) : null}
      </div>
    </Panel>
  );
}

function ownerSentence({ owner }: WorkflowView, devices: DeviceLabels): string {
  switch (owner.state) {
    case 'owned':
      return owner.isThisDevice
        ? workflowText.owner.ownedHere
        : workflowText.owner.owned(devices.labelOf(owner.deviceId));
    case 'handing_over':
      return workflowText.owner.handingOver(devices.labelOf(owner.toDeviceId));
    case 'released':
      return workflowText.owner.released(devices.labelOf(owner.toDeviceId));
    case 'nobody':
      return workflowText.owner.nobody;
  }
}

function OwnershipActions({ workflow, devices, onChanged }: Props) {
  const [openDialog, setOpenDialog] = useState<'handOver' | 'takeOver' | null>(null);
  const { owner } = workflow;
  const close = (): void => setOpenDialog(null);
  const acted = (): void => {
    close();
    onChanged();
  };
  const isOwnedHere = owner.isThisDevice && owner.state !== 'released';
  return (
    <div className="flex flex-wrap gap-2">
      {owner.state === 'owned' ? (
        <Button size="small" onPress={() => setOpenDialog('handOver')}>
          {workflowText.owner.handOver}
        </Button>
      ) : null}
      {isOwnedHere ? null : (
        <Button size="small" onPress={() => setOpenDialog('takeOver')}>
          {owner.isThisDevice ? workflowText.owner.callBack : workflowText.owner.takeOver}
        </Button>
      )}
      <Sheet title={workflowText.handOver.title} isOpen={openDialog === 'handOver'} onClose={close}>
        <HandOver workflow={workflow} devices={devices} onClose={close} onDone={acted} />
      </Sheet>
      <Sheet title={workflowText.takeOver.title} isOpen={openDialog === 'takeOver'} onClose={close}>
        <TakeOver workflow={workflow} devices={devices} onClose={close} onDone={onChanged} />
      </Sheet>
    </div>
  );
}
