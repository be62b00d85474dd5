// Edits a workflow's file. The file on disk is the source of truth.
import { CircleDot, FileCheck2, FileX2, PencilLine } from 'lucide-react';
import { useRef, useState } from 'react';
import type { CallOutput, WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { DiskChanged } from '#renderer/editor/disk-changed.tsx';
import { isChangedUnderneath, isDirty, saved, takeTheirs } from '#renderer/editor/open-file.ts';
import { ReadOnly } from '#renderer/editor/read-only.tsx';
import { useOpenFile, type EditedFile } from '#renderer/editor/use-open-file.ts';
import { Workbench } from '#renderer/editor/workbench.tsx';
import { text } from '#renderer/text/text.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/button.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { useAct } from '#renderer/use-act.ts';
import { DraftNotice } from '#renderer/workflows/draft-notice.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onActed: () => void;
}

export function EditTab({ workflow, onActed }: Props) {
  const edited = useOpenFile(workflow.id);
  const { view, open, error } = edited;
  if (view?.path === null) return <ReadOnly workflow={workflow} fileName={view.fileName} />;
  return (
    <>
      <Failure error={error} />
      {workflow.draftScriptId === null || (open !== null && isDirty(open)) ? null : (
        <DraftNotice workflow={workflow} onActed={onActed} />
      )}
      {view === null || open === null ? (
        error === null ? (
          <PageSkeleton label={flowText.editor.loading} />
        ) : null
      ) : (
        <Editing workflow={workflow} edited={edited} onActed={onActed} />
      )}
    </>
  );
}

interface EditingProps extends Props {
  readonly edited: EditedFile;
}

function Editing({ workflow, edited, onActed }: EditingProps) {
  const { client } = useApp();
  const { view, open, change, type } = edited;
  const sent = useRef('');
  const [wasSaved, setSaved] = useState(false);
  const save = useAct<CallOutput<'workflows.saveFile'>>({
    idFor: 'click',
    act: () => {
      sent.current = open?.text ?? '';
      return client.call('workflows.saveFile', {
        workflowId: workflow.id,
        source: sent.current,
        basedOn: open?.basedOn ?? null,
      });
    },
    onDone: ({ sha }) => {
      change((file) => saved(file, sent.current, sha));
      setSaved(true);
      onActed();
    },
  });
  if (view === null || open === null) return null;
  const hasChanges = isDirty(open);
  const isGone = open.disk.source === null;
  const perform = (): void => {
    setSaved(false);
    if ((hasChanges || isGone) && !isChangedUnderneath(open)) save.perform();
  };
  return (
    <>
      {isChangedUnderneath(open) ? <DiskChanged file={open} onChange={change} /> : null}
      {isGone && !isChangedUnderneath(open) ? (
        <Notice tone="wait">
          <p className="font-medium">{flowText.editor.goneTitle}</p>
          <p>{view.problem ?? flowText.editor.goneHint}</p>
        </Notice>
      ) : null}
      <Note edited={edited} />
      <Failure error={save.error} />
      <Workbench
        fileName={view.fileName}
        text={open.text}
        onType={(typedText) => {
          if (typedText !== open.text) setSaved(false);
          type(typedText);
        }}
        onSave={perform}
        about={
          <>
            <span title={view.path ?? ''} className="min-w-0 truncate font-mono text-xs">
              {view.path}
            </span>
            <SaveState hasChanges={hasChanges} wasSaved={wasSaved} isGone={isGone} />
          </>
        }
        actions={
          <Button
            size="small"
            look="primary"
            isPending={save.pending}
            isDisabled={(!hasChanges && !isGone) || isChangedUnderneath(open)}
            onPress={perform}
          >
            {save.pending ? flowText.editor.saving : flowText.editor.save}
          </Button>
        }
      />
    </>
  );
}

interface SaveStateProps {
  readonly hasChanges: boolean;
  readonly wasSaved: boolean;
  readonly isGone: boolean;
}

function SaveState({ hasChanges, wasSaved, isGone }: SaveStateProps) {
  const { editor } = flowText;
  const [Icon, word, look] = isGone
    ? ([FileX2, editor.goneTitle, 'text-wait'] as const)
    : hasChanges
      ? ([PencilLine, editor.unsaved, 'text-wait'] as const)
      : wasSaved
        ? ([FileCheck2, editor.saved, 'text-good'] as const)
        : ([CircleDot, editor.saved, 'text-muted'] as const);
  return (
    <span role="status" className={`inline-flex items-center gap-1 font-medium ${look}`}>
      <Icon aria-hidden className="size-3.5" />
      {word}
    </span>
  );
}

function Note({ edited: { open, change } }: Pick<EditingProps, 'edited'>) {
  const note = open?.note ?? null;
  return (
    <div role="status" className="empty:hidden">
      {note === null ? null : (
        <Notice tone="plain">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {note === 'restored' ? flowText.editor.restored : flowText.editor.reloaded}
            {note === 'restored' ? (
              <Button size="small" onPress={() => change(takeTheirs)}>
                {flowText.editor.discard}
              </Button>
            ) : (
              <Button size="small" onPress={() => change((file) => ({ ...file, note: null }))}>
                {text.app.close}
              </Button>
            )}
          </p>
        </Notice>
      )}
    </div>
  );
}
