// Steps to restore a backup. A running host can't do it, because it has the database open.
import type { BackupView } from '#shared/api/upkeep.ts';
import { CopyButton } from '#renderer/ui/buttons/copy-button.tsx';
import { restoreCommand } from '#renderer/settings/backups/restore-command.ts';
import { bytes } from '#renderer/text/numbers.ts';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { ExactTime } from '#renderer/ui/display/time.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = upkeepText.backups;
const [QUIT, REPLACE, START, GO_ON] = TEXT.steps;

/** Use inside a `Sheet`. */
export function RestoreSteps({ backup }: { readonly backup: BackupView }) {
  const { answer, error } = useLiveCall('host.info', {});
  const command = answer ? restoreCommand(backup.file, answer.dataDir) : null;
  return (
    <div className="grid gap-3 px-5 pt-3 pb-5">
      <p className="font-medium">
        <ExactTime at={backup.madeAt} /> · {bytes(backup.bytes)}
      </p>
      <p className="text-muted">{TEXT.restoreHint}</p>
      <Failure error={error} />
      <ol className="grid list-decimal gap-2 pl-5">
        <li>{QUIT}</li>
        <li>
          {REPLACE}
          {command === null ? null : (
            <div className="mt-1.5 grid justify-items-start gap-2">
              <code className="rounded-md bg-sunken px-2.5 py-2 font-mono text-[0.8125rem] wrap-anywhere select-all">
                {command}
              </code>
              <CopyButton
                size="small"
                content={command}
                label={TEXT.copyCommand}
                copiedLabel={TEXT.copied}
              />
            </div>
          )}
        </li>
        <li>{START}</li>
        <li>{GO_ON}</li>
      </ol>
    </div>
  );
}
