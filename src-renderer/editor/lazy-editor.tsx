// Loads the editor and the diff on first use.
import { lazy, Suspense } from 'react';
import type { CodeDiffProps } from '#renderer/editor/code-diff.tsx';
import type { CodeEditorProps } from '#renderer/editor/code-editor.tsx';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';

const Editor = lazy(() => import('#renderer/editor/code-editor.tsx'));
const Diff = lazy(() => import('#renderer/editor/code-diff.tsx'));

export function LazyCodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<PageSkeleton label={workflowText.editor.loading} />}>
      <Editor {...props} />
    </Suspense>
  );
}

export function LazyCodeDiff(props: CodeDiffProps) {
  return (
    <Suspense fallback={<PageSkeleton label={workflowText.editor.loading} />}>
      <Diff {...props} />
    </Suspense>
  );
}
