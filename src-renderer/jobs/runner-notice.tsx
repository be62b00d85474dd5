// Warns when the runner is off or the registry is invalid.
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { createRunnerStore } from '#renderer/stores/runner.ts';
import { text } from '#renderer/text/text.ts';
import { Notice } from '#renderer/ui/notice.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

export function RunnerNotice() {
  const { client } = useApp();
  const store = useOpenStore(() => createRunnerStore(client), [client]);
  const overview = useStore(store, (state) => state.overview);
  if (overview === null) return null;
  if (overview.problems.length > 0) return <Notice tone="bad">{text.jobs.broken}</Notice>;
  return overview.isEnabled ? null : <Notice tone="wait">{text.jobs.off}</Notice>;
}
