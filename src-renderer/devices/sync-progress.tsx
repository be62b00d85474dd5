// Sync progress in both directions.
import type { DeviceSyncView } from '#shared/api/devices.ts';
import { ProgressBar } from 'react-aria-components';
import { text } from '#renderer/text/text.ts';

type CatchingUp = Extract<DeviceSyncView, { state: 'catching-up' }>;

export function SyncProgress({ sync }: { readonly sync: CatchingUp }) {
  return (
    <div className="grid gap-2">
      <DirectionProgress label={text.devices.incoming} progress={sync.incoming} />
      <DirectionProgress label={text.devices.outgoing} progress={sync.outgoing} />
      <p className="text-[0.8125rem] text-muted">{text.devices.keepWorking}</p>
    </div>
  );
}

interface DirectionProps {
  readonly label: string;
  readonly progress: CatchingUp['incoming'];
}

function DirectionProgress({ label, progress }: DirectionProps) {
  const isEmpty = progress?.total === 0;
  const value = progress && !isEmpty ? (progress.done / progress.total) * 100 : 0;
  const valueText = progress
    ? text.devices.of(progress.done, progress.total)
    : text.devices.preparing;
  return (
    <ProgressBar
      aria-label={label}
      value={isEmpty ? 100 : value}
      valueLabel={valueText}
      isIndeterminate={progress === null}
      className="grid gap-1"
    >
      {({ percentage }) => (
        <>
          <div className="flex justify-between gap-4 text-[0.8125rem]">
            <span>{label}</span>
            <span className="tabular text-muted">{valueText}</span>
          </div>
          <div className="h-1.5 overflow-hidden rounded-full bg-line">
            <div
              className={`h-full rounded-full bg-accent-fill transition-[width] ${progress === null ? 'animate-pulse' : ''}`}
              style={{ width: `${percentage ?? 15}%` }}
            />
          </div>
        </>
      )}
    </ProgressBar>
  );
}
