// The allowed scripts.
import { ScrollText } from 'lucide-react';
import type { RunnerScriptView } from '#shared/api/runner.ts';
import { RunnerNotice } from '#renderer/jobs/runner-notice.tsx';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { BackLink } from '#renderer/ui/layout/back-link.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { LinkButton } from '#renderer/ui/buttons/link-button.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { Page } from '#renderer/ui/layout/page.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

export function ScriptsPage() {
  const { answer, error } = useLiveCall('runner.overview', {});
  return (
    <Page
      title={text.scripts.title}
      above={<BackLink to={href.jobs()}>{text.job.back}</BackLink>}
      actions={<LinkButton to={href.registry()}>{text.runScript.toRegistry}</LinkButton>}
    >
      <Failure error={error} />
      <RunnerNotice />
      {answer === null && error === null ? <PageSkeleton label={text.scripts.loading} /> : null}
      {answer?.scripts.length === 0 ? (
        <EmptyState
          icon={ScrollText}
          title={text.runScript.emptyTitle}
          hint={text.runScript.emptyHint}
        >
          <LinkButton to={href.registry()}>{text.runScript.toRegistry}</LinkButton>
        </EmptyState>
      ) : null}
      {answer && answer.scripts.length > 0 ? (
        <ul
          aria-label={text.runScript.list}
          className="max-w-4xl divide-y divide-line rounded-lg bg-surface shadow-raised ring-1 ring-line"
        >
          {answer.scripts.map((script) => (
            <ScriptRow key={script.key} script={script} />
          ))}
        </ul>
      ) : null}
    </Page>
  );
}

function ScriptRow({ script }: { readonly script: RunnerScriptView }) {
  const takes = script.args.map(({ name, spec }) =>
    spec.required ? name : text.runScript.optional(name),
  );
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="grid min-w-0 flex-1 basis-72 gap-0.5">
        <span className="font-medium wrap-anywhere">
          {script.title}{' '}
          <code className="font-mono text-xs font-normal text-muted">{script.key}</code>
        </span>
        {script.description === '' ? null : (
          <span className="text-[0.8125rem] wrap-anywhere">{script.description}</span>
        )}
        <span className="text-[0.8125rem] wrap-anywhere text-muted">
          {text.runScript.repo} {script.repos.join(', ')} · {text.runScript.takes}{' '}
          {takes.length === 0 ? text.runScript.takesNothing : takes.join(', ')}
          {script.network === 'none' ? ` · ${text.runScript.withoutNetwork}` : ''}
        </span>
      </div>
      <LinkButton size="small" to={href.script(script.key)}>
        {text.runScript.run}
        <span className="sr-only">{text.runScript.runOf(script.title)}</span>
      </LinkButton>
    </li>
  );
}
