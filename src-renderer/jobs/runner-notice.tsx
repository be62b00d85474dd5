// Warns when the runner is off, the registry is invalid, or scripts can't run.
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
  if (!overview.isValid) return <Notice tone="bad">{text.jobs.broken}</Notice>;
  return (
    <>
      {overview.isEnabled ? null : <Notice tone="wait">{text.jobs.off}</Notice>}
      {overview.problems.length === 0 ? null : (
        <Notice tone="bad">
          <ul className="grid gap-1">
            {overview.problems.map((problem) => (
              <li key={problem} className="wrap-anywhere">
                {problem}
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  );
}
