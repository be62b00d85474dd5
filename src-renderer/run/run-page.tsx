import { FileQuestionMark } from 'lucide-react';
import { useStore } from 'zustand';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { CancelRun, isBeforeEffect } from '#renderer/run/cancel-run.tsx';
import { EffectPanel } from '#renderer/run/effect-panel.tsx';
import { Phases } from '#renderer/run/phases.tsx';
import { RunChain } from '#renderer/run/run-chain.tsx';
import { RunDetails } from '#renderer/run/run-details.tsx';
import { RunEvents } from '#renderer/run/run-events.tsx';
import { RunHistory } from '#renderer/run/run-history.tsx';
import { RunLog } from '#renderer/run/run-log.tsx';
import { RunReason } from '#renderer/run/run-reason.tsx';
import { RunState } from '#renderer/run/run-state.tsx';
import { createRunStore } from '#renderer/stores/run.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/back-link.tsx';
import { Button } from '#renderer/ui/button.tsx';
import { CopyJson } from '#renderer/ui/copy-json.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { PhaseChip } from '#renderer/ui/status-chip.tsx';
import { useOpenStore } from '#renderer/use-open-store.ts';

export function RunPage({ runId }: { readonly runId: string }) {
  const { client, live } = useApp();
  const store = useOpenStore(() => createRunStore(client, live, runId), [client, live, runId]);
  const { run, error } = useStore(store);
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
      beside={run ? <PhaseChip phase={run.phase} isExplained /> : null}
      actions={
        run ? (
          <>
            <CopyJson what={text.run.copyAll} value={() => run} />
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
              <Phases run={run} />
              <EffectPanel run={run} />
              <RunEvents run={run} onRerun={store.refresh} />
              <RunState run={run} />
              <RunLog logs={run.logs} />
            </div>
            <div className="grid gap-4">
              <RunDetails run={run} />
              <RunChain run={run} />
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
