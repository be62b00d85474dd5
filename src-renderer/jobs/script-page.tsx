// Runs a script from a form built from the registry.
import { FileQuestionMark } from 'lucide-react';
import type { RunnerScriptView } from '#shared/api/runner.ts';
import { useApp } from '#renderer/app-context.tsx';
import { RunForm } from '#renderer/jobs/run-form.tsx';
import { RunnerNotice } from '#renderer/jobs/runner-notice.tsx';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/back-link.tsx';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { Page } from '#renderer/ui/page.tsx';
import { useCall } from '#renderer/use-call.ts';

interface Props {
  readonly scriptKey: string;
  /** A job whose arguments prefill the form. */
  readonly from: string | undefined;
}

export function ScriptPage({ scriptKey, from }: Props) {
  const { answer, error } = useCall('runner.overview', {});
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
          {from === undefined ? <Form script={script} /> : <FormFrom script={script} from={from} />}
        </>
      ) : null}
    </Page>
  );
}

function FormFrom({ script, from }: { readonly script: RunnerScriptView; readonly from: string }) {
  const { answer, error } = useCall('jobs.get', { jobId: from });
  if (error) {
    return (
      <>
        <Notice tone="wait">{text.runScript.gone}</Notice>
        <Form script={script} />
      </>
    );
  }
  if (answer === null) return <PageSkeleton label={text.scripts.loading} />;
  return <Form script={script} args={answer.args} repo={answer.repoKey} />;
}

interface FormProps {
  readonly script: RunnerScriptView;
  readonly args?: { readonly [name: string]: unknown };
  readonly repo?: string;
}

const NO_ARGS = {};

function Form({ script, args = NO_ARGS, repo }: FormProps) {
  const { router } = useApp();
  return (
    <RunForm
      script={script}
      args={args}
      repo={repo !== undefined && script.repos.includes(repo) ? repo : (script.repos[0] ?? '')}
      onStarted={(jobId) => router.navigate(href.job(jobId))}
    />
  );
}
