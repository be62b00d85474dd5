import { FilePen, Pause, Play } from 'lucide-react';
import type { WorkflowView } from '#shared/api/contract.ts';
import { useApp } from '#renderer/app-context.tsx';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text.ts';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { WorkflowChip } from '#renderer/ui/status-chip.tsx';
import { useAct } from '#renderer/use-act.ts';
import { ActButton } from '#renderer/workflows/act-button.tsx';
import { Producers } from '#renderer/workflows/producers.tsx';
import { workflowState } from '#renderer/workflows/workflow-state.ts';

interface Props {
  readonly workflow: WorkflowView;
  /** Something was asked of it. */
  readonly onActed: () => void;
}

export function WorkflowCard({ workflow, onActed }: Props) {
  const { id, name, statusReason, openQuestions } = workflow;
  return (
    <article
      aria-label={name}
      className="grid gap-3 rounded-lg bg-surface px-4 py-3.5 shadow-raised ring-1 ring-line"
    >
      <div className="grid gap-1">
        <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3">
          <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
            <h2 className="min-w-0 text-[0.9375rem] font-semibold">
              <Link
                to={href.runs({ workflowId: id })}
                title={text.workflows.runsOf(name)}
                className="rounded-sm wrap-anywhere hover:text-accent hover:underline"
              >
                {name}
              </Link>
            </h2>
            <WorkflowChip state={workflowState(workflow)} />
            {openQuestions === 0 ? null : (
              <Link
                to={href.inbox()}
                className="rounded-sm text-[0.8125rem] font-medium text-wait underline"
              >
                {text.workflows.waiting(openQuestions)}
              </Link>
            )}
          </div>
          <PauseOrResume workflow={workflow} onActed={onActed} />
        </div>
        <Where workflow={workflow} />
      </div>
      {statusReason === null || statusReason === '' ? null : (
        <p className="text-[0.8125rem] wrap-anywhere whitespace-pre-wrap">{statusReason}</p>
      )}
      {workflow.draftScriptId === null ? null : <Draft workflow={workflow} onActed={onActed} />}
      {workflow.scriptId === null ? (
        <p className="text-[0.8125rem] text-muted">{text.workflows.noScript}</p>
      ) : null}
      {workflow.producers.length === 0 ? null : <Producers workflow={workflow} />}
      {workflow.topics.length === 0 ? null : <Topics topics={workflow.topics} />}
    </article>
  );
}

function Where({ workflow }: { readonly workflow: WorkflowView }) {
  const { id, name, path } = workflow;
  const link = 'rounded-sm text-accent hover:underline';
  return (
    <p className="flex min-w-0 flex-wrap gap-x-3 text-[0.8125rem]">
      {path === null ? null : (
        <span title={path} className="min-w-0 truncate text-muted">
          {path}
        </span>
      )}
      <Link to={href.runs({ workflowId: id })} className={link}>
        {text.workflows.runs}
        <span className="sr-only">{text.workflows.of(name)}</span>
      </Link>
      <Link to={href.sessions({ workflowId: id })} className={link}>
        {text.workflows.sessions}
        <span className="sr-only">{text.workflows.of(name)}</span>
      </Link>
    </p>
  );
}

function PauseOrResume({ workflow, onActed }: Props) {
  const { client } = useApp();
  const isPaused = workflow.status === 'paused';
  const act = useAct<unknown>({
    idFor: 'click',
    act: () =>
      client.call(isPaused ? 'workflows.resume' : 'workflows.pause', { workflowId: workflow.id }),
    onDone: onActed,
  });
  const { pause, pausing, resume, resuming } = text.workflows;
  return (
    <>
      <ActButton
        act={act}
        word={isPaused ? resume : pause}
        pendingWord={isPaused ? resuming : pausing}
        of={workflow.name}
        icon={
          isPaused ? (
            <Play aria-hidden className="size-3.5" />
          ) : (
            <Pause aria-hidden className="size-3.5" />
          )
        }
      />
      <div className="col-span-full mt-1 empty:hidden">
        <Failure error={act.error} />
      </div>
    </>
  );
}

function Draft({ workflow, onActed }: Props) {
  const { client } = useApp();
  const act = useAct({
    idFor: 'click',
    act: () => client.call('workflows.activate', { workflowId: workflow.id }),
    onDone: onActed,
  });
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 rounded-md bg-active-tint px-3 py-2 text-[0.8125rem] text-active">
        <span className="flex items-center gap-2 font-medium">
          <FilePen aria-hidden className="size-4 shrink-0" />
          {text.workflows.draft}
        </span>
        <ActButton
          act={act}
          word={text.workflows.activate}
          pendingWord={text.workflows.activating}
          of={workflow.name}
        />
      </div>
      <Failure error={act.error} />
    </div>
  );
}

function Topics({ topics }: Pick<WorkflowView, 'topics'>) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-t border-line pt-2.5 text-[0.8125rem]">
      <span className="text-muted">{text.workflows.topics}</span>
      <ul className="flex min-w-0 flex-wrap gap-x-4 gap-y-1">
        {topics.map(({ name, pending }) => (
          <li key={name} className={`wrap-anywhere ${pending === 0 ? 'text-muted' : ''}`}>
            {name} <span className="tabular font-medium">{text.workflows.pending(pending)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
