// Actions on the selected runs, each with a confirmation.
import { Ban, RotateCw, SkipForward, X, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '#renderer/app-context.tsx';
import {
  actOnAll,
  BULK_ACTS,
  createBulkMemory,
  type BulkAct,
  type BulkResult,
} from '#renderer/runs/bulk-acts.ts';
import type { Selection } from '#renderer/runs/use-selection.ts';
import { useActions } from '#renderer/shell/actions.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Confirm } from '#renderer/ui/confirm.tsx';
import { Sheet } from '#renderer/ui/sheet.tsx';
import { say } from '#renderer/ui/toast.ts';
import { useAct } from '#renderer/use-act.ts';

const ICONS: Readonly<Record<BulkAct, LucideIcon>> = {
  rerun: RotateCw,
  cancel: Ban,
  skip: SkipForward,
};

interface Props {
  readonly selection: Selection;
  readonly onDone: () => void;
}

export function BulkBar({ selection, onDone }: Props) {
  const [asked, setAsked] = useState<BulkAct | null>(null);
  const chosen = selection.ids.size;
  const { clear } = selection;
  useActions(
    () =>
      chosen === 0
        ? []
        : [
            ...BULK_ACTS.map((act) => ({
              id: `runs.${act}`,
              name: text.bulk.ofChosen(text.bulk.acts[act], chosen),
              group: 'page' as const,
              icon: ICONS[act],
              run: () => setAsked(act),
            })),
            {
              id: 'runs.clear',
              name: text.bulk.clear,
              group: 'page' as const,
              keys: 'Escape',
              run: clear,
            },
          ],
    // `clear` does the same on every render.
    [chosen],
  );
  if (chosen === 0) return null;
  return (
    <div
      role="toolbar"
      aria-label={text.bulk.label}
      className="flex flex-wrap items-center gap-2 rounded-lg bg-surface px-3 py-2 shadow-raised ring-1 ring-accent"
    >
      <span className="tabular mr-2 font-medium">{text.bulk.chosen(chosen)}</span>
      {BULK_ACTS.map((act) => {
        const Icon = ICONS[act];
        return (
          <Button key={act} size="small" onPress={() => setAsked(act)}>
            <Icon aria-hidden className="size-3.5" />
            {text.bulk.acts[act]}…
          </Button>
        );
      })}
      <Button look="quiet" size="small" onPress={clear} className="ml-auto">
        <X aria-hidden className="size-3.5" />
        {text.bulk.clear}
      </Button>
      <Sheet
        title={asked === null ? '' : text.bulk.ofChosen(text.bulk.acts[asked], chosen)}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
      >
        {asked === null ? null : (
          <ConfirmBulk
            act={asked}
            runIds={[...selection.ids]}
            onClose={() => setAsked(null)}
            onDone={() => {
              setAsked(null);
              clear();
              onDone();
            }}
          />
        )}
      </Sheet>
    </div>
  );
}

interface ConfirmBulkProps {
  readonly act: BulkAct;
  readonly runIds: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function ConfirmBulk({ act, runIds, onClose, onDone }: ConfirmBulkProps) {
  const { client } = useApp();
  const [seen, setSeen] = useState(0);
  const [memory] = useState(createBulkMemory);
  const acting = useAct<BulkResult>({
    idFor: 'form',
    act: (orderId) => actOnAll({ client, act, runIds, orderId, memory, onProgress: setSeen }),
    onDone: (result) => {
      const { done, unfit, problems } = result;
      say({
        sentence: [text.bulk.result(act, done, unfit), ...problems].join(' '),
        tone: problems.length > 0 ? 'bad' : 'plain',
      });
      onDone();
    },
  });
  return (
    <Confirm
      warning={text.bulk.warnings[act]}
      submit={
        acting.pending
          ? text.bulk.progress(seen, runIds.length)
          : text.bulk.submit(act, runIds.length)
      }
      act={acting}
      onCancel={onClose}
    />
  );
}
