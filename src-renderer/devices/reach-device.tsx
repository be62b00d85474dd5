// A form for a device's new address.
import { useState, type FormEvent } from 'react';
import type { DeviceView } from '#shared/api/devices.ts';
import { MAX_ADDRESS_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/app-context.tsx';
import { PairingFailure } from '#renderer/devices/pairing-failure.tsx';
import { text } from '#renderer/text/text.ts';
import { FormButtons } from '#renderer/ui/form-buttons.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { TextInput } from '#renderer/ui/text-input.tsx';
import { useAct } from '#renderer/use-act.ts';

interface Props {
  readonly device: DeviceView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function ReachDevice({ device, isOpen, onClose }: Props) {
  return (
    <Sheet title={text.devices.reachTitle(device.name)} isOpen={isOpen} onClose={onClose}>
      <ReachForm device={device} onClose={onClose} />
    </Sheet>
  );
}

function ReachForm({ device, onClose }: Omit<Props, 'isOpen'>) {
  const { client } = useApp();
  const [address, setAddress] = useState(device.addresses[0] ?? '');
  const reach = useAct({
    idFor: 'form',
    act: () => client.call('devices.reach', { deviceId: device.id, address: address.trim() }),
    onDone: onClose,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (address.trim() !== '') reach.perform();
  };
  return (
    <form onSubmit={submit} className="grid gap-4 px-5 pt-3 pb-5">
      <TextInput
        label={text.devices.reachAddress}
        hint={text.devices.reachHint}
        value={address}
        onChange={setAddress}
        maxLength={MAX_ADDRESS_LENGTH}
        isInvalid={reach.error !== null}
        isRequired
        takesFocus
      />
      <PairingFailure error={reach.error} />
      <FormButtons submit={text.devices.reachSubmit} pending={reach.pending} onCancel={onClose} />
    </form>
  );
}
