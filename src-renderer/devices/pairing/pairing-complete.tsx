// The last step of pairing: the new peer, and progress of the first sync.
import { CircleCheck } from 'lucide-react';
import { DeviceChip } from '#renderer/devices/device-chip.tsx';
import { SyncProgress } from '#renderer/devices/sync-progress.tsx';
import { href } from '#renderer/navigation/router.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { deviceStatusOf } from '#renderer/text/devices-text.ts';
import { text } from '#renderer/text/text.ts';
import { LinkButton } from '#renderer/ui/buttons/link-button.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

export function PairingComplete({ deviceId }: { readonly deviceId: string }) {
  const { answer } = useLiveCall('devices.list', {}, { devices: 'any' });
  const device = answer?.devices.find(({ id }) => id === deviceId);
  return (
    <section
      role="status"
      className="grid justify-items-start gap-3 rounded-lg bg-surface p-5 shadow-raised ring-1 ring-line"
    >
      <h2 className="flex items-center gap-2 text-[0.9375rem] font-semibold">
        <CircleCheck aria-hidden className="size-5 text-good" />
        {text.pairing.done(device?.name ?? shortId(deviceId))}
      </h2>
      <p className="text-muted">{text.pairing.doneHint}</p>
      {device ? <DeviceChip status={deviceStatusOf(device)} /> : null}
      {device?.sync?.state === 'catching-up' ? (
        <div className="w-full">
          <SyncProgress sync={device.sync} />
        </div>
      ) : null}
      <LinkButton to={href.devices()}>{text.pairing.toDevices}</LinkButton>
    </section>
  );
}
