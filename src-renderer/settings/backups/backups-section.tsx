// The list of backups, "Back up now", daily backups, and restore.
import { DatabaseBackup } from 'lucide-react';
import { useState } from 'react';
import type { BackupView } from '#shared/api/upkeep.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { CopyButton } from '#renderer/ui/buttons/copy-button.tsx';
import { exactTime } from '#renderer/format/format-time.ts';
import { BackupSettings } from '#renderer/settings/backups/backup-settings.tsx';
import { RestoreSteps } from '#renderer/settings/backups/restore-steps.tsx';
import { RestoredPanel } from '#renderer/settings/backups/restored-panel.tsx';
import { bytes } from '#renderer/text/numbers.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { ExactTime, RelativeTime } from '#renderer/ui/display/time.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = upkeepText.backups;

export function BackupsSection() {
  const { answer, error, refresh } = useLiveCall('backups.list', {});
  return (
    <>
      <RestoredPanel />
      <p className="text-muted">{TEXT.hint}</p>
      <MakeBackup onMade={refresh} />
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer?.backups.length === 0 ? (
        <EmptyState
          icon={DatabaseBackup}
          title={TEXT.emptyTitle}
          hint={TEXT.emptyHint(answer.isDaily)}
          isCompact
        />
      ) : null}
      {answer && answer.backups.length > 0 ? <BackupList backups={answer.backups} /> : null}
      {answer ? (
        <>
          <Panel title={TEXT.folder}>
            <div className="grid justify-items-start gap-3">
              <p className="text-[0.8125rem] text-muted">{TEXT.folderHint}</p>
              <code className="font-mono text-[0.8125rem] wrap-anywhere select-all">
                {answer.folder}
              </code>
              <CopyButton
                size="small"
                content={answer.folder}
                label={TEXT.copyPath}
                copiedLabel={TEXT.copied}
              />
            </div>
          </Panel>
          <BackupSettings known={answer} onChanged={refresh} />
        </>
      ) : null}
    </>
  );
}

function MakeBackup({ onMade }: { readonly onMade: () => void }) {
  const { client } = useApp();
  const [message, setMessage] = useState('');
  const make = useIdempotentAction<BackupView>({
    idFor: 'click',
    action: () => client.call('backups.make', {}),
    onDone: (made) => {
      setMessage(TEXT.made(bytes(made.bytes)));
      onMade();
    },
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Button variant="primary" isPending={make.isPending} onPress={make.perform}>
          {TEXT.make}
        </Button>
        <span role="status" className="text-[0.8125rem] text-muted">
          {make.isPending ? TEXT.making : make.error === null ? message : ''}
        </span>
      </div>
      <Failure error={make.error} />
    </>
  );
}

function BackupList({ backups }: { readonly backups: readonly BackupView[] }) {
  return (
    <ul
      aria-label={TEXT.list}
      className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line"
    >
      {backups.map((backup) => (
        <BackupRow key={backup.file} backup={backup} />
      ))}
    </ul>
  );
}

function BackupRow({ backup }: { readonly backup: BackupView }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2">
      <span className="tabular min-w-0 font-medium">
        <ExactTime at={backup.madeAt} />
      </span>
      <span className="text-[0.8125rem] text-muted">
        <RelativeTime at={backup.madeAt} />
      </span>
      <span className="ml-auto flex items-center gap-x-3">
        <span className="tabular text-[0.8125rem] text-muted">{bytes(backup.bytes)}</span>
        <DialogButton
          size="small"
          variant="quiet"
          label={TEXT.restore}
          subject={TEXT.of(exactTime(backup.madeAt))}
          title={TEXT.restoreTitle}
        >
          {() => <RestoreSteps backup={backup} />}
        </DialogButton>
      </span>
    </li>
  );
}
