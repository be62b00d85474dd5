// Actions on the selected runs, each with a confirmation.
import { Ban, RotateCw, SkipForward, X, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '#renderer/shell/app-context.tsx';
import {
  runBulkAction,
  BULK_ACTIONS,
  createBulkMemory,
  type BulkAction,
  type BulkResult,
} from '#renderer/runs/bulk-actions.ts';
import type { RunSelection } from '#renderer/runs/use-run-selection.ts';
import { useCommands } from '#renderer/commands/command-registry.ts';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Sheet } from '#renderer/ui/layout/sheet.tsx';
import { showToast } from '#renderer/ui/feedback/toast.ts';
import { ConfirmAction } from '#renderer/ui/feedback/confirm-action.tsx';

const ICONS: Readonly<Record<BulkAction, LucideIcon>> = {
  rerun: RotateCw,
  cancel: Ban,
  skip: SkipForward,
};

interface Props {
  readonly selection: RunSelection;
  readonly onDone: () => void;
}

export function BulkActionsBar({ selection, onDone }: Props) {
  const [openAction, setOpenAction] = useState<BulkAction | null>(null);
  const chosen = selection.ids.size;
  const { clear } = selection;
  useCommands(
    () =>
      chosen === 0
        ? []
        : [
            ...BULK_ACTIONS.map((act) => ({
              id: `runs.${act}`,
              name: text.bulk.ofChosen(text.bulk.acts[act], chosen),
              group: 'page' as const,
              icon: ICONS[act],
              run: () => setOpenAction(act),
            })),
            {
              id: 'runs.clear',
              name: text.bulk.clear,
              group: 'page' as const,
              keys: 'Escape',
              isHarmless: true,
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
      {BULK_ACTIONS.map((act) => {
        const Icon = ICONS[act];
        return (
          <Button key={act} size="small" onPress={() => setOpenAction(act)}>
            <Icon aria-hidden className="size-3.5" />
            {text.bulk.acts[act]}…
          </Button>
        );
      })}
      <Button variant="quiet" size="small" onPress={clear} className="ml-auto">
        <X aria-hidden className="size-3.5" />
        {text.bulk.clear}
      </Button>
      <Sheet
        title={openAction === null ? '' : text.bulk.ofChosen(text.bulk.acts[openAction], chosen)}
        isOpen={openAction !== null}
        onClose={() => setOpenAction(null)}
      >
        {openAction === null ? null : (
          <ConfirmBulk
            action={openAction}
            runIds={[...selection.ids]}
            onClose={() => setOpenAction(null)}
            onDone={() => {
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
  readonly action: BulkAction;
  readonly runIds: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function ConfirmBulk({ action, runIds, onClose, onDone }: ConfirmBulkProps) {
  const { client } = useApp();
  const [finished, setFinished] = useState(0);
  const [memory] = useState(createBulkMemory);
  const report = ({ done, notApplicable, problems }: BulkResult): void => {
    showToast({
      text: [text.bulk.result(action, done, notApplicable), ...problems].join(' '),
      tone: problems.length > 0 ? 'bad' : 'plain',
    });
    onDone();
  };
  return (
    <ConfirmAction
      warning={text.bulk.warnings[action]}
      submitLabel={text.bulk.submit(action, runIds.length)}
      pendingLabel={text.bulk.progress(finished, runIds.length)}
      action={(requestId) =>
        runBulkAction({ client, action, runIds, requestId, memory, onProgress: setFinished })
      }
      onDone={report}
      onClose={onClose}
    />
  );
}
