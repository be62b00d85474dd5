import type { DeviceView } from '#shared/api/devices.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { text } from '#renderer/text/text.ts';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

interface Props {
  readonly device: DeviceView;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onUnpaired: (sentence: string) => void;
}

export function UnpairDevice({ device, isOpen, onClose, onUnpaired }: Props) {
  return (
    <Sheet title={text.devices.unpairTitle(device.name)} isOpen={isOpen} onClose={onClose}>
      <UnpairForm device={device} onClose={onClose} onUnpaired={onUnpaired} />
    </Sheet>
  );
}

function UnpairForm({ device, onClose, onUnpaired }: Omit<Props, 'isOpen'>) {
  const { client } = useApp();
  const unpair = useIdempotentAction({
    idFor: 'form',
    action: () => client.call('devices.unpair', { deviceId: device.id }),
    onDone: ({ wasLinked }) => {
      onClose();
      onUnpaired(text.devices.unpaired(device.name, wasLinked));
    },
  });
  return (
    <Confirm
      warning={text.devices.unpairWarning}
      submitLabel={text.devices.unpairSubmit}
      action={unpair}
      onCancel={onClose}
    >
      <ul className="grid list-disc gap-1.5 pl-5">
        {text.devices.unpairWhat.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </Confirm>
  );
}
