// Edits a workflow's file. The file on disk is the source of truth.
import { CircleDot, FileCheck2, FileX2, PencilLine } from 'lucide-react';
import { useRef, useState } from 'react';
import type { CallOutput, WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { FileConflict } from '#renderer/editor/file-conflict.tsx';
import { hasConflict, isDirty, afterSave, takeTheirs } from '#renderer/editor/open-file.ts';
import { ReadOnlyEditor } from '#renderer/editor/read-only-editor.tsx';
import { useOpenFile, type EditedFile } from '#renderer/editor/use-open-file.ts';
import { Workbench } from '#renderer/editor/workbench.tsx';
import { text } from '#renderer/text/text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { DraftNotice } from '#renderer/workflows/versions/draft-notice.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onChanged: () => void;
}

export function EditTab({ workflow, onChanged }: Props) {
  const edited = useOpenFile(workflow.id);
  const { view, open, error } = edited;
  if (view?.path === null) return <ReadOnlyEditor workflow={workflow} fileName={view.fileName} />;
  return (
    <>
      <Failure error={error} />
      {workflow.draftScriptId === null || (open !== null && isDirty(open)) ? null : (
        <DraftNotice workflow={workflow} onChanged={onChanged} />
      )}
      {view === null || open === null ? (
        error === null ? (
          <PageSkeleton label={workflowText.editor.loading} />
        ) : null
      ) : (
        <FileEditor workflow={workflow} edited={edited} onChanged={onChanged} />
      )}
    </>
  );
}

interface FileEditorProps extends Props {
  readonly edited: EditedFile;
}

function FileEditor({ workflow, edited, onChanged }: FileEditorProps) {
  const { client } = useApp();
  const { view, open, change, type } = edited;
  const sent = useRef('');
  const [wasSaved, setSaved] = useState(false);
  const save = useIdempotentAction<CallOutput<'workflows.saveFile'>>({
    idFor: 'click',
    action: () => {
      sent.current = open?.text ?? '';
      return client.call('workflows.saveFile', {
        workflowId: workflow.id,
        source: sent.current,
        basedOn: open?.basedOn ?? null,
      });
    },
    onDone: ({ sha }) => {
      change((file) => afterSave(file, sent.current, sha));
      setSaved(true);
      onChanged();
    },
  });
  if (view === null || open === null) return null;
  const hasChanges = isDirty(open);
  const isGone = open.disk.source === null;
  const perform = (): void => {
    setSaved(false);
    if ((hasChanges || isGone) && !hasConflict(open)) save.perform();
  };
  return (
    <>
      {hasConflict(open) ? <FileConflict file={open} onChange={change} /> : null}
      {isGone && !hasConflict(open) ? (
        <Notice tone="wait">
          <p className="font-medium">{workflowText.editor.goneTitle}</p>
          <p>{view.problem ?? workflowText.editor.goneHint}</p>
        </Notice>
      ) : null}
      <FileNote edited={edited} />
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
            variant="primary"
            isPending={save.isPending}
            isDisabled={(!hasChanges && !isGone) || hasConflict(open)}
            onPress={perform}
          >
            {save.isPending ? workflowText.editor.saving : workflowText.editor.save}
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
  const { editor } = workflowText;
  const [Icon, label, className] = isGone
    ? ([FileX2, editor.goneTitle, 'text-wait'] as const)
    : hasChanges
      ? ([PencilLine, editor.unsaved, 'text-wait'] as const)
      : wasSaved
        ? ([FileCheck2, editor.saved, 'text-good'] as const)
        : ([CircleDot, editor.saved, 'text-muted'] as const);
  return (
    <span role="status" className={`inline-flex items-center gap-1 font-medium ${className}`}>
      <Icon aria-hidden className="size-3.5" />
      {label}
    </span>
  );
}

function FileNote({ edited: { open, change } }: Pick<FileEditorProps, 'edited'>) {
  const note = open?.note ?? null;
  return (
    <div role="status" className="empty:hidden">
      {note === null ? null : (
        <Notice tone="plain">
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            {note === 'restored' ? workflowText.editor.restored : workflowText.editor.reloaded}
            {note === 'restored' ? (
              <Button size="small" onPress={() => change(takeTheirs)}>
                {workflowText.editor.discard}
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
