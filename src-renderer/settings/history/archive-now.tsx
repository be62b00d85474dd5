import { useApp } from '#renderer/shell/app-context.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { DialogButton } from '#renderer/ui/buttons/dialog-button.tsx';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';

const TEXT = upkeepText.history;

interface Props {
  /** True if no retention is set, or the choice isn't saved. */
  readonly isDisabled: boolean;
  readonly onArchived: (rows: number) => void;
}

export function ArchiveNow({ isDisabled, onArchived }: Props) {
  const { client } = useApp();
  return (
    <div className="flex flex-wrap items-center gap-3">
      <DialogButton isDisabled={isDisabled} label={TEXT.now} title={TEXT.nowTitle}>
        {(close) => (
          <ConfirmAction
            warning={TEXT.nowWarning}
            submitLabel={TEXT.nowSubmit}
            action={() => client.call('retention.pass', {})}
            onDone={({ rows }) => onArchived(rows)}
            onClose={close}
          />
        )}
      </DialogButton>
      {isDisabled ? <span className="text-[0.8125rem] text-muted">{TEXT.keepFirst}</span> : null}
    </div>
  );
}
