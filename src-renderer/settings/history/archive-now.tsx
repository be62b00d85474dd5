import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Confirm } from '#renderer/ui/feedback/confirm.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';

const TEXT = upkeepText.history;

interface Props {
  /** True if no retention is set, or the choice isn't saved. */
  readonly isDisabled: boolean;
  readonly onArchived: (rows: number) => void;
}

export function ArchiveNow({ isDisabled, onArchived }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const close = (): void => setIsOpen(false);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button isDisabled={isDisabled} onPress={() => setIsOpen(true)}>
        {TEXT.now}
      </Button>
      {isDisabled ? <span className="text-[0.8125rem] text-muted">{TEXT.keepFirst}</span> : null}
      <Sheet title={TEXT.nowTitle} isOpen={isOpen} onClose={close}>
        <ArchiveForm
          onClose={close}
          onArchived={(rows) => {
            close();
            onArchived(rows);
          }}
        />
      </Sheet>
    </div>
  );
}

function ArchiveForm({ onClose, onArchived }: Omit<Props, 'isDisabled'> & { onClose: () => void }) {
  const { client } = useApp();
  const pass = useIdempotentAction<CallOutput<'retention.pass'>>({
    idFor: 'form',
    action: () => client.call('retention.pass', {}),
    onDone: ({ rows }) => onArchived(rows),
  });
  return (
    <Confirm
      warning={TEXT.nowWarning}
      submitLabel={TEXT.nowSubmit}
      action={pass}
      onCancel={onClose}
    />
  );
}
