// Connection state, device and version of the host.
import { Cable, Unplug } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { shortId } from '#renderer/format/short-id.ts';
import { text } from '#renderer/text/text.ts';

const CONNECTION_LABELS = {
  connecting: text.app.connecting,
  open: text.app.connected,
  gone: text.app.gone,
} as const;

export function HostStatus() {
  const { client, feed } = useApp();
  const state = useStore(feed.connection, (connection) => connection.state);
  const [info, setInfo] = useState<CallOutput<'host.info'> | null>(null);
  useEffect(() => {
    // After a restart the host may have another version.
    if (state !== 'open') return;
    client.call('host.info', {}).then(setInfo, () => undefined);
  }, [client, state]);
  const Icon = state === 'open' ? Cable : Unplug;

  return (
    <div className="grid gap-0.5 text-xs text-muted md:px-2">
      <span className={`flex items-center gap-1.5 ${state === 'gone' ? 'text-bad' : ''}`}>
        <Icon aria-hidden className="size-3.5" />
        {/* On narrow screens the icon and the banner are enough. */}
        <span className="max-sm:sr-only">{CONNECTION_LABELS[state]}</span>
      </span>
      {info === null ? null : (
        <span className="max-md:hidden" title={info.deviceId}>
          {text.app.device(shortId(info.deviceId))} · {info.version}
        </span>
      )}
    </div>
  );
}
