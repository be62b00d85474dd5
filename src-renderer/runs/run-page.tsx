import { useStore } from 'zustand';
import { useApp } from '#renderer/shell/app-context.tsx';
import { href } from '#renderer/navigation/router.ts';
import { CancelRun, isBeforeEffect } from '#renderer/runs/cancel-run.tsx';
import { EffectPanel } from '#renderer/runs/effect-panel.tsx';
import { PhaseTimeline } from '#renderer/runs/phase-timeline.tsx';
import { RunAttempts } from '#renderer/runs/run-attempts.tsx';
import { RunDetails } from '#renderer/runs/run-details.tsx';
import { RunEvents } from '#renderer/runs/run-events.tsx';
import { RunHistory } from '#renderer/runs/run-history.tsx';
import { RunLog } from '#renderer/runs/run-log.tsx';
import { RunReason } from '#renderer/runs/run-reason.tsx';
import { HandlerState } from '#renderer/runs/handler-state.tsx';
import { createRunStore } from '#renderer/stores/run-store.ts';
import { text } from '#renderer/text/text.ts';
import { CopyJsonButton } from '#renderer/ui/buttons/copy-json-button.tsx';
import { PhaseChip } from '#renderer/ui/display/status-chip.tsx';
import { RecordPage } from '#renderer/ui/layout/record-page.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export function RunPage({ runId }: { readonly runId: string }) {
  const { client, feed } = useApp();
  const store = useOpenStore(() => createRunStore(client, feed, runId), [client, feed, runId]);
  const { answer: run, error } = useStore(store);
  return (
    <RecordPage
      id={runId}
      record={run}
      error={error}
      onRetry={store.refresh}
      text={text.run}
      backTo={href.runs()}
      title={run?.title ?? run?.handlerName}
      beside={run ? <PhaseChip status={run.phase} hasTooltip /> : null}
      actions={
        run ? (
          <>
            <CopyJsonButton subject={text.run.copyAll} value={() => run} />
            {isBeforeEffect(run) ? <CancelRun run={run} onCanceled={store.refresh} /> : null}
          </>
        ) : null
      }
    >
      {(shown) => (
        <>
          <RunReason run={shown} />
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div className="grid gap-4">
              <PhaseTimeline run={shown} />
              <EffectPanel run={shown} />
              <RunEvents run={shown} onRerun={store.refresh} />
              <HandlerState run={shown} />
              <RunLog logs={shown.logs} />
            </div>
            <div className="grid gap-4">
              <RunDetails run={shown} />
              <RunAttempts run={shown} />
              <RunHistory history={shown.history} />
            </div>
          </div>
        </>
      )}
    </RecordPage>
  );
}
