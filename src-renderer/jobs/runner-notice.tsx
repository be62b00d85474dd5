// Warns when the runner is off or the registry is invalid.
import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { createRunnerStore } from '#renderer/stores/runner-store.ts';
import { text } from '#renderer/text/text.ts';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export function RunnerNotice() {
  const { client } = useApp();
  const store = useOpenStore(() => createRunnerStore(client), [client]);
  const overview = useStore(store, (state) => state.overview);
  if (overview === null) return null;
  if (overview.problems.length > 0) return <Notice tone="bad">{text.jobs.broken}</Notice>;
  return overview.isEnabled ? null : <Notice tone="wait">{text.jobs.off}</Notice>;
}
