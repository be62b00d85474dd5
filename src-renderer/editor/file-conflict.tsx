// Shown when the file changed on disk while there are unsaved edits. Offers both texts.
import { useState } from 'react';
import { LazyCodeDiff } from '#renderer/editor/lazy-editor.tsx';
import { keepMine, takeTheirs, type OpenFile } from '#renderer/editor/open-file.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';

interface Props {
  readonly file: OpenFile;
  readonly onChange: (next: (file: OpenFile) => OpenFile) => void;
}

export function FileConflict({ file, onChange }: Props) {
  const [isComparing, setComparing] = useState(false);
  const { editor } = workflowText;
  const isGone = file.disk.source === null;
  return (
    <div role="alert" className="grid shrink-0 gap-2">
      <Notice tone="wait">
        <p className="font-medium">{isGone ? editor.goneTitle : editor.changedTitle}</p>
        <p>{editor.changedHint}</p>
        <div className="flex flex-wrap gap-2">
          {isGone ? null : (
            <Button size="small" onPress={() => setComparing(!isComparing)}>
              {isComparing ? editor.hideCompare : editor.compare}
            </Button>
          )}
          <Button size="small" onPress={() => onChange(keepMine)}>
            {editor.keepMine}
          </Button>
          {isGone ? null : (
            <Button size="small" onPress={() => onChange(takeTheirs)}>
              {editor.takeTheirs}
            </Button>
          )}
        </div>
      </Notice>
      {isComparing ? (
        <div className="h-72 overflow-hidden rounded-lg ring-1 ring-line">
          <LazyCodeDiff
            label={editor.compareLabel}
            before={file.disk.source ?? ''}
            after={file.text}
          />
        </div>
      ) : null}
    </div>
  );
}
