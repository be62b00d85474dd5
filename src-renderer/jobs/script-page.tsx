// Runs a script from a form built from the registry.
import { FileQuestionMark } from 'lucide-react';
import type { RunnerScriptView } from '#shared/api/runner.ts';
import { RunScriptForm } from '#renderer/jobs/run-script-form.tsx';
import { RunnerNotice } from '#renderer/jobs/runner-notice.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

interface Props {
  readonly scriptKey: string;
  /** A job whose arguments prefill the form. */
  readonly from: string | undefined;
}

export function ScriptPage({ scriptKey, from }: Props) {
  const { answer, error } = useLiveCall('runner.overview', {});
  const script = answer?.scripts.find(({ key }) => key === scriptKey);
  const isUnknown = answer !== null && script === undefined;
  return (
    <Page
      title={isUnknown ? text.runScript.notFoundTitle : (script?.title ?? scriptKey)}
      above={<BackLink to={href.scripts()}>{text.runScript.toList}</BackLink>}
    >
      <Failure error={error} />
      {isUnknown ? (
        <EmptyState icon={FileQuestionMark} title={scriptKey} hint={text.runScript.notFoundHint} />
      ) : null}
      {answer === null && error === null ? <PageSkeleton label={text.scripts.loading} /> : null}
      {script ? (
        <>
          <RunnerNotice />
          {script.description === '' ? null : <p className="max-w-2xl">{script.description}</p>}
          {from === undefined ? (
            <RunScriptForm script={script} />
          ) : (
            <PrefilledForm script={script} from={from} />
          )}
        </>
      ) : null}
    </Page>
  );
}

function PrefilledForm({
  script,
  from,
}: {
  readonly script: RunnerScriptView;
  readonly from: string;
}) {
  const { answer, error } = useLiveCall('jobs.get', { jobId: from });
  if (error) {
    return (
      <>
        <Notice tone="wait">{text.runScript.gone}</Notice>
        <RunScriptForm script={script} />
      </>
    );
  }
  if (answer === null) return <PageSkeleton label={text.scripts.loading} />;
  return <RunScriptForm script={script} args={answer.args} repo={answer.repoKey} />;
}
