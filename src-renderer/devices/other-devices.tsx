// Devices that aren't paired with this one, or no longer are.
import type { DeviceView } from '#shared/api/devices.ts';
import { DeviceChip } from '#renderer/devices/device-chip.tsx';
import { href } from '#renderer/navigation/router.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { deviceStatusOf } from '#renderer/text/devices-text.ts';
import { text } from '#renderer/text/text.ts';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { RelativeTime } from '#renderer/ui/display/time.tsx';

export function OtherDevices({ devices }: { readonly devices: readonly DeviceView[] }) {
  if (devices.length === 0) return null;
  return (
    <section className="grid gap-2">
      <h2 className="text-[0.8125rem] font-semibold text-muted">{text.devices.others}</h2>
      <ul className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line">
        {devices.map((device) => (
          <li
            key={device.id}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-[0.8125rem]"
          >
            <span className="font-medium wrap-anywhere">{device.name}</span>
            <DeviceChip status={deviceStatusOf(device)} />
            <span className="text-muted">
              {device.unpairedAt === null ? (
                text.devices.knownHint
              ) : (
                <>
                  {text.devices.unpairedAt} <RelativeTime at={device.unpairedAt} />
                </>
              )}
            </span>
            <code className="font-mono text-xs text-muted" title={device.id}>
              {shortId(device.id)}
            </code>
            {device.state === 'unpaired' ? (
              <TextLink to={href.pairing('link')} className="ml-auto font-medium">
                {text.devices.pairAgain}
              </TextLink>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
