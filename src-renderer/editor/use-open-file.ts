// A workflow's file, open for editing: loaded from the host, updated by the feed, with unsaved
// edits.
import { useCallback, useEffect, useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { WorkflowFileView } from '#shared/api/workflow-files.ts';
import {
  afterDiskChange,
  isDirty,
  openFile,
  withText,
  type OpenFile,
} from '#renderer/editor/open-file.ts';
import {
  removeUnsaved,
  storeUnsaved,
  readUnsaved,
  warnBeforeLeaving,
} from '#renderer/editor/unsaved-changes.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

export interface EditedFile {
  /** Null until the host replied. */
  readonly view: WorkflowFileView | null;
  readonly open: OpenFile | null;
  readonly error: ApiError | null;
  change(next: (file: OpenFile) => OpenFile): void;
  type(text: string): void;
}

export function useOpenFile(workflowId: string): EditedFile {
  const { answer, error } = useLiveCall(
    'workflows.file',
    { workflowId },
    { workflows: [workflowId] },
  );
  const [open, setOpen] = useState<OpenFile | null>(null);
  const [lastAnswer, setLastAnswer] = useState<WorkflowFileView | null>(null);

  const change = useCallback(
    (next: (file: OpenFile) => OpenFile) =>
      setOpen((file) => {
        if (file === null) return null;
        const changed = next(file);
        if (isDirty(changed)) {
          storeUnsaved(workflowId, { text: changed.text, basedOn: changed.basedOn });
        } else removeUnsaved(workflowId);
        return changed;
      }),
    [workflowId],
  );
  const type = useCallback(
    (text: string) => change((file) => (file.text === text ? file : withText(file, text))),
    [change],
  );

  // Apply the new file during render, so that no frame shows the old one.
  if (answer !== null && answer !== lastAnswer) {
    setLastAnswer(answer);
    if (answer.path !== null) {
      setOpen(
        open === null ? openFile(answer, readUnsaved(workflowId)) : afterDiskChange(open, answer),
      );
    }
  }
  useEffect(() => warnBeforeLeaving(), []);

  return { view: answer, open, error, change, type };
}
