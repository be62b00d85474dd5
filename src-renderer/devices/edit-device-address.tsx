// A form for a device's new address.
import { useState, type FormEvent } from 'react';
import type { DeviceView } from '#shared/api/devices.ts';
import { MAX_ADDRESS_LENGTH } from '#shared/limits.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { PairingFailure } from '#renderer/devices/pairing/pairing-failure.tsx';
import { text } from '#renderer/text/text.ts';
import { FormButtons } from '#renderer/ui/buttons/form-buttons.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { TextInput } from '#renderer/ui/fields/text-input.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly device: DeviceView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function EditDeviceAddress({ device, isOpen, onClose }: Props) {
  return (
    <Sheet title={text.devices.reachTitle(device.name)} isOpen={isOpen} onClose={onClose}>
      <AddressForm device={device} onClose={onClose} />
    </Sheet>
  );
}

function AddressForm({ device, onClose }: Omit<Props, 'isOpen'>) {
  const { client } = useApp();
  const [address, setAddress] = useState(device.addresses[0] ?? '');
  const reach = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('devices.reach', { deviceId: device.id, address: address.trim() }),
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
      <FormButtons
        submitLabel={text.devices.reachSubmit}
        isPending={reach.isPending}
        onCancel={onClose}
      />
    </form>
  );
}
