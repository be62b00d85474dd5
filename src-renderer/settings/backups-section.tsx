// The list of backups, "Back up now", daily backups, and restore.
import { DatabaseBackup } from 'lucide-react';
import { useState } from 'react';
import type { BackupView } from '#shared/api/upkeep.ts';
import { useApp } from '#renderer/app-context.tsx';
import { CopyButton } from '#renderer/copy-button.tsx';
import { exactTime } from '#renderer/format-time.ts';
import { BackupChoices } from '#renderer/settings/backup-choices.tsx';
import { RestoreSteps } from '#renderer/settings/restore-steps.tsx';
import { RestoredPanel } from '#renderer/settings/restored-panel.tsx';
import { bytes } from '#renderer/text/numbers.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Panel } from '#renderer/ui/facts.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { ExactTime, RelativeTime } from '#renderer/ui/when.tsx';
import { useAct } from '#renderer/use-act.ts';
import { useCall } from '#renderer/use-call.ts';

const WORDS = upkeepText.backups;

export function BackupsSection() {
  const { answer, error, refresh } = useCall('backups.list', {});
  return (
    <>
      <RestoredPanel />
      <p className="text-muted">{WORDS.hint}</p>
      <MakeBackup onMade={refresh} />
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={WORDS.loading} /> : null}
      {answer?.backups.length === 0 ? (
        <EmptyState
          icon={DatabaseBackup}
          title={WORDS.emptyTitle}
          hint={WORDS.emptyHint(answer.isDaily)}
          isTight
        />
      ) : null}
      {answer && answer.backups.length > 0 ? <BackupList backups={answer.backups} /> : null}
      {answer ? (
        <>
          <Panel title={WORDS.folder}>
            <div className="grid justify-items-start gap-3">
              <p className="text-[0.8125rem] text-muted">{WORDS.folderHint}</p>
              <code className="font-mono text-[0.8125rem] wrap-anywhere select-all">
                {answer.folder}
              </code>
              <CopyButton
                size="small"
                content={answer.folder}
                label={WORDS.copyPath}
                done={WORDS.copied}
              />
            </div>
          </Panel>
          <BackupChoices known={answer} onChanged={refresh} />
        </>
      ) : null}
    </>
  );
}

function MakeBackup({ onMade }: { readonly onMade: () => void }) {
  const { client } = useApp();
  const [said, setSaid] = useState('');
  const make = useAct<BackupView>({
    idFor: 'click',
    act: () => client.call('backups.make', {}),
    onDone: (made) => {
      setSaid(WORDS.made(bytes(made.bytes)));
      onMade();
    },
  });
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Button look="primary" isPending={make.pending} onPress={make.perform}>
          {WORDS.make}
        </Button>
        <span role="status" className="text-[0.8125rem] text-muted">
          {make.pending ? WORDS.making : make.error === null ? said : ''}
        </span>
      </div>
      <Failure error={make.error} />
    </>
  );
}

function BackupList({ backups }: { readonly backups: readonly BackupView[] }) {
  return (
    <ul
      aria-label={WORDS.list}
      className="divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line"
    >
      {backups.map((backup) => (
        <BackupRow key={backup.file} backup={backup} />
      ))}
    </ul>
  );
}

function BackupRow({ backup }: { readonly backup: BackupView }) {
  const [isAsking, setIsAsking] = useState(false);
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
        <Button size="small" look="quiet" onPress={() => setIsAsking(true)}>
          {WORDS.restore}
          <span className="sr-only">{WORDS.of(exactTime(backup.madeAt))}</span>
        </Button>
      </span>
      <Sheet title={WORDS.restoreTitle} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <RestoreSteps backup={backup} />
      </Sheet>
    </li>
  );
}
