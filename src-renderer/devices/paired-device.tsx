// One paired device: its link state, missing changes in both directions, and any problem.
import { useState } from 'react';
import type { DeviceView } from '#shared/api/devices.ts';
import { DeviceChip } from '#renderer/devices/device-chip.tsx';
import { problemOf, problemTitle } from '#renderer/devices/device-problem.ts';
import { SyncProgress } from '#renderer/devices/progress.tsx';
import { ReachDevice } from '#renderer/devices/reach-device.tsx';
import { UnpairDevice } from '#renderer/devices/unpair-device.tsx';
import { shortId } from '#renderer/short-id.ts';
import { standingOf } from '#renderer/text/devices-text.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Fact, Facts } from '#renderer/ui/facts.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { ExactTime, RelativeTime } from '#renderer/ui/when.tsx';

interface Props {
  readonly device: DeviceView;
  readonly onUnpaired: (sentence: string) => void;
}

export function PairedDevice({ device, onUnpaired }: Props) {
  const [asks, setAsks] = useState<'unpair' | 'reach' | null>(null);
  const close = (): void => setAsks(null);
  return (
    <article
      aria-label={device.name}
      className="grid gap-3 rounded-lg bg-surface px-4 py-3.5 shadow-raised ring-1 ring-line"
    >
      <header className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <h3 className="min-w-0 text-[0.9375rem] font-semibold wrap-anywhere">{device.name}</h3>
        <DeviceChip standing={standingOf(device)} />
        <div className="ml-auto flex flex-wrap gap-1">
          {device.state === 'away' ? (
            <Button size="small" look="quiet" onPress={() => setAsks('reach')}>
              {text.devices.reach}
            </Button>
          ) : null}
          <Button size="small" look="quiet" onPress={() => setAsks('unpair')}>
            {text.devices.unpair}
          </Button>
        </div>
      </header>
      <Problem device={device} />
      {device.sync?.state === 'catching-up' ? <SyncProgress sync={device.sync} /> : null}
      <DeviceFacts device={device} />
      <UnpairDevice
        device={device}
        isOpen={asks === 'unpair'}
        onClose={close}
        onUnpaired={onUnpaired}
      />
      <ReachDevice device={device} isOpen={asks === 'reach'} onClose={close} />
    </article>
  );
}

function Problem({ device }: { readonly device: DeviceView }) {
  const problem = problemOf(device);
  if (problem === null) return null;
  return (
    <Notice tone={problem.kind === 'sync' ? 'bad' : 'wait'}>
      <p>
        <span className="font-semibold">{problemTitle(problem)}</span> {problem.message}
      </p>
      {problem.next === null ? null : (
        <p>
          <span className="font-semibold">{text.devices.nextStep}</span> {problem.next}
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
        {state === 'linked' ? text.devices.now : <When at={lastSeenAt} />}
      </Fact>
      <Fact name={text.devices.synced}>
        {isInSync(device) ? text.devices.now : <When at={syncedAt} />}
      </Fact>
      <Fact name={text.devices.toSend}>{outgoingWords(pending)}</Fact>
      <Fact name={text.devices.toReceive}>{incomingWords(pending, state)}</Fact>
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

function When({ at }: { readonly at: number | null }) {
  return at === null ? text.devices.never : <RelativeTime at={at} />;
}

function outgoingWords(pending: DeviceView['pending']): string {
  if (!pending?.outgoing) return text.devices.notMet;
  const { changes, isMore } = pending.outgoing;
  return changes === 0 ? text.devices.nothing : text.devices.changes(changes, isMore);
}

function incomingWords(pending: DeviceView['pending'], state: DeviceView['state']): string {
  const incoming = pending?.incoming ?? null;
  if (incoming === null) {
    return state === 'linked' ? text.devices.whenLinked : text.devices.onlyItKnows;
  }
  return incoming === 0 ? text.devices.nothing : text.devices.changes(incoming, false);
}
