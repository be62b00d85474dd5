// The append-only history of a run.
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import { exactTime } from '#renderer/format/format-time.ts';
import { useDevices } from '#renderer/devices/use-devices.ts';
import { historyLabel } from '#renderer/text/runs-text.ts';
import { text } from '#renderer/text/text.ts';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { shortId } from '#renderer/format/short-id.ts';

type Entry = HandlerRunDetail['history'][number];

export function RunHistory({ history }: { readonly history: readonly Entry[] }) {
  return (
    <Panel title={text.run.history}>
      {history.length === 0 ? (
        <p className="text-[0.8125rem] text-muted">{text.run.noHistory}</p>
      ) : (
        <ol className="grid gap-2.5 border-l border-line pl-4 text-[0.8125rem]">
          {history.map((entry) => (
            <HistoryEntry key={`${entry.seq} ${entry.type} ${entry.at}`} entry={entry} />
          ))}
        </ol>
      )}
    </Panel>
  );
}

function HistoryEntry({ entry }: { readonly entry: Entry }) {
  const devices = useDevices();
  const nameOf = (id: string): string => devices.find((one) => one.id === id)?.name ?? shortId(id);
  return (
    <li className="relative grid gap-0.5 before:absolute before:top-1.5 before:-left-[1.28rem] before:size-2 before:rounded-full before:bg-line-strong">
      <span className="font-medium">{historyLabel(entry.type)}</span>
      <span className="text-muted">
        <time dateTime={new Date(entry.at).toISOString()}>{exactTime(entry.at)}</time>
        {entry.deviceId === null ? null : (
          <span title={entry.deviceId}> · {nameOf(entry.deviceId)}</span>
        )}
      </span>
      {payloadLines(entry.payload).map((line) => (
        <span key={line} className="wrap-anywhere whitespace-pre-wrap">
          {line}
        </span>
      ))}
    </li>
  );
}

/** Extra fields of an entry, one line each. */
function payloadLines(payload: Json): readonly string[] {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return [];
  return Object.entries(payload)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => {
      const shown = typeof value === 'string' ? value : JSON.stringify(value);
      return name === 'error' || name === 'note' ? shown : `${name}: ${shown}`;
    });
}
