// The append-only history of an input's status.
import type { InputDetail } from '#shared/api/inputs.ts';
import { exactTime } from '#renderer/format/format-time.ts';
import { useDevices } from '#renderer/devices/use-devices.ts';
import { shortId } from '#renderer/format/short-id.ts';
import { inputsText } from '#renderer/text/inputs-text.ts';
import { AUTOMATION_RUN_LABELS } from '#renderer/text/status-labels.ts';
import { Panel } from '#renderer/ui/layout/panel.tsx';

const TEXT = inputsText.one;
type Entry = InputDetail['history'][number];

export function InputHistory({ history }: Pick<InputDetail, 'history'>) {
  return (
    <Panel title={TEXT.history}>
      <ol className="grid gap-2.5 border-l border-line pl-4 text-[0.8125rem]">
        {history.map((entry, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- an append-only log.
          <HistoryEntry key={index} entry={entry} />
        ))}
      </ol>
    </Panel>
  );
}

function HistoryEntry({ entry }: { readonly entry: Entry }) {
  const devices = useDevices();
  const device = devices.find(({ id }) => id === entry.deviceId)?.name ?? shortId(entry.deviceId);
  const reason = reasonOf(entry);
  return (
    <li className="relative grid gap-0.5 before:absolute before:top-1.5 before:-left-[1.28rem] before:size-2 before:rounded-full before:bg-line-strong">
      <span className="font-medium">
        {entry.to === null ? entry.type : AUTOMATION_RUN_LABELS[entry.to]}
      </span>
      <span className="text-muted">
        <time dateTime={new Date(entry.at).toISOString()}>{exactTime(entry.at)}</time> ·{' '}
        {TEXT.by(entry.actor)}
        {entry.deviceId === '' ? null : <span title={entry.deviceId}> · {device}</span>}
      </span>
      {reason === '' ? null : <span className="wrap-anywhere whitespace-pre-wrap">{reason}</span>}
    </li>
  );
}

function reasonOf({ data }: Entry): string {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) return '';
  const { reason } = data;
  return typeof reason === 'string' ? reason : '';
}
