// Grants by workflow and tool.
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { AskedGrant, GrantableTool, GrantView, WorkflowGrants } from '#shared/api/settings.ts';
import { useApp } from '#renderer/shell/app-context.tsx';
import { GrantForm, type GrantDraft } from '#renderer/settings/grants/grant-form.tsx';
import { useWorkflowNames } from '#renderer/workflows/use-workflow-names.ts';
import { RevokeGrant } from '#renderer/settings/grants/revoke-grant.tsx';
import { text } from '#renderer/text/text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { useIdempotentAction } from '#renderer/client/use-idempotent-action.ts';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';

const TEXT = text.settings.grants;

export function GrantsSection() {
  const { answer, error, refresh } = useLiveCall('grants.list', {}, { workflows: 'any' });
  const names = new Map(useWorkflowNames().map(({ id, name }) => [id, name]));
  return (
    <>
      <p className="text-muted">{TEXT.hint}</p>
      <Failure error={error} />
      {answer === null && error === null ? <PageSkeleton label={TEXT.loading} /> : null}
      {answer?.workflows.length === 0 ? (
        <EmptyState icon={ShieldCheck} title={TEXT.emptyTitle} hint={TEXT.emptyHint} isCompact />
      ) : null}
      {answer?.workflows.map((workflow) => (
        <WorkflowGrantsCard
          key={workflow.workflowId}
          workflow={{ ...workflow, name: names.get(workflow.workflowId) ?? workflow.name }}
          tools={answer.tools}
          onChanged={refresh}
        />
      ))}
    </>
  );
}

interface WorkflowProps {
  readonly workflow: WorkflowGrants;
  readonly tools: readonly GrantableTool[];
  readonly onChanged: () => void;
}

function WorkflowGrantsCard({ workflow, tools, onChanged }: WorkflowProps) {
  const { name, grants, missing, isRunHere } = workflow;
  const [draft, setDraft] = useState<GrantDraft | null>(null);
  const [revoked, setRevoked] = useState<GrantView | null>(null);
  return (
    <article
      aria-label={name}
      className="grid gap-3 rounded-lg bg-surface px-4 py-3.5 shadow-raised ring-1 ring-line"
    >
      <header className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-[0.9375rem] font-semibold wrap-anywhere">{name}</h2>
        <Button size="small" variant="quiet" onPress={() => setDraft({ tool: null, scope: {} })}>
          {TEXT.grantMore}
          <span className="sr-only"> {name}</span>
        </Button>
      </header>
      {isRunHere ? null : <p className="text-[0.8125rem] text-muted">{TEXT.elsewhere}</p>}
      {missing.length === 0 ? null : (
        <Notice tone="wait">
          <p className="font-semibold">{TEXT.missing}</p>
          <ul className="grid gap-1.5">
            {missing.map((asked) => (
              <MissingGrant
                key={asked.tool}
                workflow={workflow}
                asked={asked}
                onGranted={onChanged}
              />
            ))}
          </ul>
        </Notice>
      )}
      <ul className="grid gap-2">
        {grants.map((grant) => (
          <li key={grant.tool} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <code className="w-14 shrink-0 font-mono text-[0.8125rem] font-medium">
              {grant.tool}
            </code>
            <span className="min-w-0 flex-1 basis-52 text-[0.8125rem] wrap-anywhere">
              {grant.description}
              {grant.isAsked ? null : <span className="text-muted"> · {TEXT.changed}</span>}
            </span>
            <span className="flex gap-1">
              <Button
                size="small"
                variant="quiet"
                onPress={() => setDraft({ tool: grant.tool, scope: grant.scope })}
              >
                {TEXT.change}
                <span className="sr-only">{TEXT.of(grant.tool, name)}</span>
              </Button>
              <Button size="small" variant="quiet" onPress={() => setRevoked(grant)}>
                {TEXT.revoke}
                <span className="sr-only">{TEXT.of(grant.tool, name)}</span>
              </Button>
            </span>
          </li>
        ))}
      </ul>
      <GrantForm
        workflow={workflow}
        tools={tools}
        draft={draft}
        onClose={() => setDraft(null)}
        onGranted={onChanged}
      />
      <RevokeGrant
        workflow={workflow}
        grant={revoked}
        onClose={() => setRevoked(null)}
        onRevoked={onChanged}
      />
    </article>
  );
}

interface MissingGrantProps {
  readonly workflow: WorkflowGrants;
  readonly asked: AskedGrant;
  readonly onGranted: () => void;
}

function MissingGrant({ workflow, asked, onGranted }: MissingGrantProps) {
  const { client } = useApp();
  const grant = useIdempotentAction({
    idFor: 'click',
    action: () =>
      client.call('workflows.grant', {
        workflowId: workflow.workflowId,
        tool: asked.tool,
        scope: asked.scope,
      }),
    onDone: onGranted,
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <code className="font-mono font-medium">{asked.tool}</code>
      <span>{asked.description}</span>
      <Button size="small" isPending={grant.isPending} onPress={grant.perform}>
        {TEXT.grant}
        <span className="sr-only">{TEXT.to(asked.tool, workflow.name)}</span>
      </Button>
      <Failure error={grant.error} />
    </li>
  );
}
