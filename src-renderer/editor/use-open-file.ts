// A workflow's file, open for editing: loaded from the host, updated by the feed, with unsaved
// edits.
import { useCallback, useEffect, useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { WorkflowFileView } from '#shared/api/workflow-files.ts';
import {
  diskChanged,
  isDirty,
  openFile,
  typed,
  type OpenFile,
} from '#renderer/editor/open-file.ts';
import {
  forgetUnsaved,
  keepUnsaved,
  readUnsaved,
  warnBeforeLeaving,
} from '#renderer/editor/unsaved.ts';
import { useAnswer } from '#renderer/use-answer.ts';

export interface EditedFile {
  /** Null until the host replied. */
  readonly view: WorkflowFileView | null;
  readonly open: OpenFile | null;
  readonly error: ApiError | null;
  change(next: (file: OpenFile) => OpenFile): void;
  type(text: string): void;
  refresh(): void;
}

export function useOpenFile(workflowId: string): EditedFile {
  const { answer, error, refresh } = useAnswer(
    (client) => client.call('workflows.file', { workflowId }),
    { workflows: [workflowId] },
    [workflowId],
  );
  const [open, setOpen] = useState<OpenFile | null>(null);
  const [taken, setTaken] = useState<WorkflowFileView | null>(null);

  const change = useCallback(
    (next: (file: OpenFile) => OpenFile) =>
      setOpen((file) => {
        if (file === null) return null;
        const changed = next(file);
        if (isDirty(changed)) {
          keepUnsaved(workflowId, { text: changed.text, basedOn: changed.basedOn });
        } else forgetUnsaved(workflowId);
        return changed;
      }),
    [workflowId],
  );
  const type = useCallback(
    (text: string) => change((file) => (file.text === text ? file : typed(file, text))),
    [change],
  );

  // Apply the new file during render, so that no frame shows the old one.
  if (answer !== null && answer !== taken) {
    setTaken(answer);
    if (answer.path !== null) {
      setOpen(
        open === null ? openFile(answer, readUnsaved(workflowId)) : diskChanged(open, answer),
      );
    }
  }
  useEffect(() => warnBeforeLeaving(), []);

  return { view: answer, open, error, change, type, refresh };
}
