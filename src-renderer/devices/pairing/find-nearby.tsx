// Devices that are discoverable on this network, or one at a typed address.
import { Radar } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { MAX_ADDRESS_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { PairingFailure } from '#renderer/devices/pairing/pairing-failure.tsx';
import { shortId } from '#renderer/format/short-id.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import {
  useIdempotentAction,
  type IdempotentAction,
} from '#renderer/client/use-idempotent-action.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

type NearbyDevice = CallOutput<'devices.nearby'>['devices'][number];

export function FindNearby({ onStarted }: { readonly onStarted: () => void }) {
  const { answer, error, refresh } = useLiveCall('devices.nearby', {});
  return (
    <section className="grid gap-3">
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="font-semibold">{text.pairing.look}</h2>
        <Button size="small" onPress={refresh}>
          <Radar aria-hidden className="size-3.5" />
          {text.pairing.lookAgain}
        </Button>
      </header>
      <PairingFailure error={error} />
      <p role="status" className="text-[0.8125rem] text-muted empty:hidden">
        {answer === null ? text.pairing.looking : ''}
        {answer?.devices.length === 0 ? text.pairing.nobody : ''}
      </p>
      {answer && answer.devices.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line">
          {answer.devices.map((device) => (
            <NearbyDeviceRow key={device.deviceId} device={device} onStarted={onStarted} />
          ))}
        </ul>
      ) : null}
      <CompareByAddress onStarted={onStarted} />
    </section>
  );
}

/** Pending until the digits are known. */
function useCompareWith(addresses: readonly string[], onStarted: () => void): IdempotentAction {
  const { client } = useApp();
  return useIdempotentAction({
    idFor: 'click',
    action: () => client.call('devices.compare.start', { addresses: [...addresses] }),
    onDone: onStarted,
  });
}

interface NearbyDeviceRowProps {
  readonly device: NearbyDevice;
  readonly onStarted: () => void;
}

function NearbyDeviceRow({ device, onStarted }: NearbyDeviceRowProps) {
  const compare = useCompareWith(device.addresses, onStarted);
  return (
    <li className="grid gap-2 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium wrap-anywhere">{device.name}</span>
        <code className="font-mono text-xs text-muted">{shortId(device.deviceId)}</code>
        {device.isPaired || !device.isWaiting ? (
          <span className="text-[0.8125rem] text-muted">
            {device.isPaired ? text.pairing.alreadyPaired : text.pairing.notWaiting}
          </span>
        ) : (
          <Button
            size="small"
            className="ml-auto"
            aria-label={text.pairing.compareWith(device.name)}
            isPending={compare.isPending}
            onPress={compare.perform}
          >
            {compare.isPending ? text.pairing.connecting : text.pairing.compare}
          </Button>
        )}
      </div>
      <PairingFailure error={compare.error} />
    </li>
  );
}

function CompareByAddress({ onStarted }: { readonly onStarted: () => void }) {
  const [address, setAddress] = useState('');
  const compare = useCompareWith([address.trim()], onStarted);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (address.trim() !== '') compare.perform();
  };
  return (
    <form onSubmit={submit} className="grid justify-items-start gap-3">
      <div className="w-full">
        <TextInput
          label={text.pairing.byAddress}
          hint={text.pairing.byAddressHint}
          value={address}
          onChange={setAddress}
          maxLength={MAX_ADDRESS_LENGTH}
          isInvalid={compare.error !== null}
        />
      </div>
      <PairingFailure error={compare.error} />
      <Button type="submit" isPending={compare.isPending}>
        {compare.isPending ? text.pairing.connecting : text.pairing.compare}
      </Button>
    </form>
  );
}
