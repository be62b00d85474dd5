// The owner of a workflow, its history, and the ways to change it.
import { useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { CLAIM_WORDS } from '#renderer/text/ownership-text.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Panel } from '#renderer/ui/facts.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { RelativeTime } from '#renderer/ui/when.tsx';
import type { Devices } from '#renderer/workflows/device-names.ts';
import { HandOver } from '#renderer/workflows/hand-over.tsx';
import { TakeOver } from '#renderer/workflows/take-over.tsx';
import { useAnswer } from '#renderer/use-answer.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly devices: Devices;
  readonly onActed: () => void;
}

export function OwnerPanel({ workflow, devices, onActed }: Props) {
  const { id, owner } = workflow;
  const { answer } = useAnswer(
    (client) => client.call('ownership.get', { workflowId: id }),
    { workflows: [id], handler_runs: 'any' },
    [id],
    500,
  );
  const claims = (answer?.claims ?? []).toReversed();
  return (
    <Panel title={flowText.owner.title}>
      <div className="grid gap-3 text-[0.8125rem]">
        <p className="wrap-anywhere">{ownerSentence(workflow, devices)}</p>
        <Ways workflow={workflow} devices={devices} onActed={onActed} />
        {claims.length < 2 ? null : (
          <div className="grid gap-1 border-t border-line pt-2.5">
            <h3 className="text-muted">{flowText.owner.history}</h3>
            <ul className="grid gap-1">
              {claims.map(({ epoch, deviceId, how, claimedAt }) => (
                <li key={`${epoch} ${deviceId}`} className="wrap-anywhere">
                  {flowText.owner.claim(devices.name(deviceId), CLAIM_WORDS[how], epoch)}{' '}
                  <span className="text-muted">
                    <RelativeTime at={claimedAt} />
                  </span>
                </li>
              ))}
            </ul>
          </div>
        )}
        {owner.state === 'released' ? (
          <p className="text-muted">{flowText.owner.releasedHint}</p>
        ) : null}
      </div>
    </Panel>
  );
}

function ownerSentence({ owner }: WorkflowView, devices: Devices): string {
  switch (owner.state) {
    case 'owned':
      return owner.isThisDevice
        ? flowText.owner.ownedHere
        : flowText.owner.owned(devices.name(owner.deviceId));
    case 'handing_over':
      return flowText.owner.handingOver(devices.name(owner.toDeviceId));
    case 'released':
      return flowText.owner.released(devices.name(owner.toDeviceId));
    case 'nobody':
      return flowText.owner.nobody;
  }
}

function Ways({ workflow, devices, onActed }: Props) {
  const [open, setOpen] = useState<'handOver' | 'takeOver' | null>(null);
  const { owner } = workflow;
  const close = (): void => setOpen(null);
  const acted = (): void => {
    close();
    onActed();
  };
  const isOwnedHere = owner.isThisDevice && owner.state !== 'released';
  return (
    <div className="flex flex-wrap gap-2">
      {owner.state === 'owned' ? (
        <Button size="small" onPress={() => setOpen('handOver')}>
          {flowText.owner.handOver}
        </Button>
      ) : null}
      {isOwnedHere ? null : (
        <Button size="small" onPress={() => setOpen('takeOver')}>
          {owner.isThisDevice ? flowText.owner.callBack : flowText.owner.takeOver}
        </Button>
      )}
      <Sheet title={flowText.handOver.title} isOpen={open === 'handOver'} onClose={close}>
        <HandOver workflow={workflow} devices={devices} onClose={close} onDone={acted} />
      </Sheet>
      <Sheet title={flowText.takeOver.title} isOpen={open === 'takeOver'} onClose={close}>
        <TakeOver workflow={workflow} devices={devices} onClose={close} onDone={acted} />
      </Sheet>
    </div>
  );
}
