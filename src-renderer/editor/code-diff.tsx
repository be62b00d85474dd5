// A side-by-side or inline diff of one file, or a single text if there is nothing to compare.
import { useEffect, useRef } from 'react';
import { EDITOR_OPTIONS } from '#renderer/editor/code-editor.tsx';
import { monaco } from '#renderer/editor/monaco.ts';

export interface CodeDiffProps {
  readonly label: string;
  readonly before: string | null;
  readonly after: string;
}

export default function CodeDiff({ label, before, after }: CodeDiffProps) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!container.current) return undefined;
    const modified = monaco.editor.createModel(after, 'typescript');
    if (before === null) {
      const alone = monaco.editor.create(container.current, {
        ...EDITOR_OPTIONS,
        readOnly: true,
        // Read-only, so don't mark problems.
        renderValidationDecorations: 'off',
        ariaLabel: label,
        model: modified,
      });
      return () => {
        alone.dispose();
        modified.dispose();
      };
    }
    const original = monaco.editor.createModel(before, 'typescript');
    const diff = monaco.editor.createDiffEditor(container.current, {
      ...EDITOR_OPTIONS,
      readOnly: true,
      originalEditable: false,
      renderSideBySide: true,
      useInlineViewWhenSpaceIsLimited: true,
      hideUnchangedRegions: { enabled: true },
      originalAriaLabel: label,
      modifiedAriaLabel: label,
      renderOverviewRuler: false,
    });
    diff.setModel({ original, modified });
    // Monaco doesn't pass the label on to the inner editors that get the focus.
    diff.getOriginalEditor().updateOptions({ ariaLabel: label });
    diff.getModifiedEditor().updateOptions({ ariaLabel: label });
    return () => {
      diff.dispose();
      original.dispose();
      modified.dispose();
    };
  }, [label, before, after]);
  return <div ref={container} className="h-full min-h-0" />;
}
