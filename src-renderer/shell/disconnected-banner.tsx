// Banner for a lost connection. The page below keeps its last data.
import { CloudOff } from 'lucide-react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { clockTime } from '#renderer/format/format-time.ts';
import { text } from '#renderer/text/text.ts';

export function DisconnectedBanner() {
  const { feed } = useApp();
  const connection = useStore(feed.connection);
  return (
    <div role="status">
      {connection.state !== 'gone' ? null : (
        <p className="flex items-center gap-2 border-b border-line bg-wait-tint px-4 py-2 text-[0.8125rem] font-medium text-wait md:px-7">
          <CloudOff aria-hidden className="size-4 shrink-0" />
          {connection.since === null
            ? text.gone.never
            : text.gone.since(clockTime(connection.since))}
        </p>
      )}
    </div>
  );
}
