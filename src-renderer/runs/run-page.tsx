import { FileQuestionMark } from 'lucide-react';
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
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { CopyJsonButton } from '#renderer/ui/buttons/copy-json-button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { PhaseChip } from '#renderer/ui/display/status-chip.tsx';
import { useOpenStore } from '#renderer/stores/use-open-store.ts';

export function RunPage({ runId }: { readonly runId: string }) {
  const { client, feed } = useApp();
  const store = useOpenStore(() => createRunStore(client, feed, runId), [client, feed, runId]);
  const { answer: run, error } = useStore(store);
  const back = <BackLink to={href.runs()}>{text.run.back}</BackLink>;

  if (run === null && error?.type === 'not_found') {
    return (
      <Page title={text.run.notFoundTitle} above={back}>
        <EmptyState icon={FileQuestionMark} title={runId} hint={text.run.notFoundHint} />
      </Page>
    );
  }
  return (
    <Page
      title={run === null ? text.run.loading : (run.title ?? run.handlerName)}
      above={back}
      beside={run ? <PhaseChip phase={run.phase} hasTooltip /> : null}
      actions={
        run ? (
          <>
            <CopyJsonButton subject={text.run.copyAll} value={() => run} />
            {isBeforeEffect(run) ? <CancelRun run={run} onCanceled={store.refresh} /> : null}
          </>
        ) : null
      }
    >
      <Failure error={error}>
        <Button size="small" onPress={store.refresh} className="justify-self-start">
          {text.app.tryAgain}
        </Button>
      </Failure>
      {run ? (
        <>
          <RunReason run={run} />
          <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_21rem]">
            <div className="grid gap-4">
              <PhaseTimeline run={run} />
              <EffectPanel run={run} />
              <RunEvents run={run} onRerun={store.refresh} />
              <HandlerState run={run} />
              <RunLog logs={run.logs} />
            </div>
            <div className="grid gap-4">
              <RunDetails run={run} />
              <RunAttempts run={run} />
              <RunHistory history={run.history} />
            </div>
          </div>
        </>
      ) : error === null ? (
        <PageSkeleton label={text.run.loading} />
      ) : null}
    </Page>
  );
}
