import { useState } from 'react';
import type { CallOutput } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { upkeepText } from '#renderer/text/upkeep-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { useAct } from '#renderer/use-act.ts';

const WORDS = upkeepText.history;

interface Props {
  /** True if no retention is set, or the choice isn't saved. */
  readonly isDisabled: boolean;
  readonly onArchived: (rows: number) => void;
}

export function ArchiveNow({ isDisabled, onArchived }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  const close = (): void => setIsAsking(false);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button isDisabled={isDisabled} onPress={() => setIsAsking(true)}>
        {WORDS.now}
      </Button>
      {isDisabled ? <span className="text-[0.8125rem] text-muted">{WORDS.keepFirst}</span> : null}
      <Sheet title={WORDS.nowTitle} isOpen={isAsking} onClose={close}>
        <Archive
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

function Archive({ onClose, onArchived }: Omit<Props, 'isDisabled'> & { onClose: () => void }) {
  const { client } = useApp();
  const pass = useAct<CallOutput<'retention.pass'>>({
    idFor: 'form',
    act: () => client.call('retention.pass', {}),
    onDone: ({ rows }) => onArchived(rows),
  });
  return (
    <Confirm warning={WORDS.nowWarning} submit={WORDS.nowSubmit} act={pass} onCancel={onClose} />
  );
}
