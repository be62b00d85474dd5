// One paired device: its link state, missing changes in both directions, and any problem.
import { useState } from 'react';
import type { DeviceView } from '#shared/api/devices.ts';
import { DeviceChip } from '#renderer/devices/device-chip.tsx';
import { deviceProblemOf, problemTitle } from '#renderer/devices/device-problem.ts';
import { SyncProgress } from '#renderer/devices/sync-progress.tsx';
import { EditDeviceAddress } from '#renderer/devices/edit-device-address.tsx';
import { useApp } from '#renderer/shell/app-context.tsx';
import { shortId } from '#renderer/format/short-id.ts';
import { deviceStatusOf } from '#renderer/text/devices-text.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { ExactTime, RelativeTime } from '#renderer/ui/display/time.tsx';

interface Props {
  readonly device: DeviceView;
  readonly onUnpaired: (sentence: string) => void;
}

export function PairedDevice({ device, onUnpaired }: Props) {
  const [isReachOpen, setReachOpen] = useState(false);
  return (
    <article
      aria-label={device.name}
      className="grid gap-3 rounded-lg bg-surface px-4 py-3.5 shadow-raised ring-1 ring-line"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="min-w-0 text-[0.9375rem] font-semibold wrap-anywhere">{device.name}</h3>
        <DeviceChip status={deviceStatusOf(device)} />
        <div className="ml-auto flex flex-wrap gap-1">
          {device.state === 'away' ? (
            <Button size="small" variant="quiet" onPress={() => setReachOpen(true)}>
              {text.devices.reach}
            </Button>
          ) : null}
          <UnpairButton device={device} onUnpaired={onUnpaired} />
        </div>
      </header>
      <Problem device={device} />
      {device.sync?.state === 'catching-up' ? <SyncProgress sync={device.sync} /> : null}
      <DeviceFacts device={device} />
      <EditDeviceAddress device={device} isOpen={isReachOpen} onClose={() => setReachOpen(false)} />
    </article>
  );
}

function UnpairButton({ device, onUnpaired }: Props) {
  const { client } = useApp();
  return (
    <DialogButton
      size="small"
      variant="quiet"
      label={text.devices.unpair}
      title={text.devices.unpairTitle(device.name)}
    >
      {(close) => (
        <ConfirmAction
          warning={text.devices.unpairWarning}
          submitLabel={text.devices.unpairSubmit}
          action={() => client.call('devices.unpair', { deviceId: device.id })}
          onDone={({ wasLinked }) => onUnpaired(text.devices.unpaired(device.name, wasLinked))}
          onClose={close}
        >
          <ul className="grid list-disc gap-1.5 pl-5">
            {text.devices.unpairWhat.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </ConfirmAction>
      )}
    </DialogButton>
  );
}

function Problem({ device }: { readonly device: DeviceView }) {
  const problem = deviceProblemOf(device);
  if (problem === null) return null;
  return (
    <Notice tone={problem.kind === 'sync' ? 'bad' : 'wait'}>
      <p>
        <span className="font-semibold">{problemTitle(problem)}</span> {problem.message}
      </p>
      {problem.nextStep === null ? null : (
        <p>
          <span className="font-semibold">{text.devices.nextStep}</span> {problem.nextStep}
        </p>
      )}
      <p className="font-mono text-xs">{text.devices.reason(problem.name)}</p>
    </Notice>
  );
}

function DeviceFacts({ device }: { readonly device: DeviceView }) {
  const { addresses, lastSeenAt, pairedAt, pending, state, syncedAt } = device;
  return (
    <Facts columns="always">
      <Fact name={text.devices.lastSeen}>
        {state === 'linked' ? text.devices.now : <TimeOrNever at={lastSeenAt} />}
      </Fact>
      <Fact name={text.devices.synced}>
        {isInSync(device) ? text.devices.now : <TimeOrNever at={syncedAt} />}
      </Fact>
      <Fact name={text.devices.toSend}>{outgoingLabel(pending)}</Fact>
      <Fact name={text.devices.toReceive}>{incomingLabel(pending, state)}</Fact>
      <Fact name={text.devices.pairedSince}>
        {pairedAt === null ? '–' : <ExactTime at={pairedAt} />}
      </Fact>
      <Fact name={text.devices.addresses}>
        {addresses.length === 0 ? text.devices.noAddresses : addresses.join(', ')}
      </Fact>
      <Fact name={text.devices.id} title={device.id}>
        <code className="font-mono text-xs">{shortId(device.id)}</code>
      </Fact>
    </Facts>
  );
}

/** True if neither side is missing changes, as far as either knows. */
function isInSync({ sync, pending }: DeviceView): boolean {
  return sync?.state === 'live' && pending?.outgoing?.changes === 0 && pending.incoming === 0;
}

function TimeOrNever({ at }: { readonly at: number | null }) {
  return at === null ? text.devices.never : <RelativeTime at={at} />;
}

function outgoingLabel(pending: DeviceView['pending']): string {
  if (!pending?.outgoing) return text.devices.notMet;
  const { changes, isMore } = pending.outgoing;
  return changes === 0 ? text.devices.nothing : text.devices.changes(changes, isMore);
}

function incomingLabel(pending: DeviceView['pending'], state: DeviceView['state']): string {
  const incoming = pending?.incoming ?? null;
  if (incoming === null) {
    return state === 'linked' ? text.devices.whenLinked : text.devices.onlyItKnows;
  }
  return incoming === 0 ? text.devices.nothing : text.devices.changes(incoming, false);
}
