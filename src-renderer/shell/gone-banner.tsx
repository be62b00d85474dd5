// Banner for a lost connection. The page below keeps its last data.
import { CloudOff } from 'lucide-react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { clockTime } from '#renderer/format-time.ts';
import { text } from '#renderer/text/text.ts';

export function GoneBanner() {
  const { live } = useApp();
  const connection = useStore(live.connection);
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
