import { MonitorSmartphone, PencilLine } from 'lucide-react';
import { describeLeftBehind } from '#shared/left-behind.ts';
import type { WorkflowView } from '#shared/api/contract.ts';
import { hasUnsaved } from '#renderer/editor/unsaved-changes.ts';
import { href } from '#renderer/navigation/router.ts';
import { RetryHosts } from '#renderer/settings/hosts/retry-hosts.tsx';
import { hostsText } from '#renderer/text/hosts-text.ts';
import { text } from '#renderer/text/text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { WorkflowChip } from '#renderer/ui/display/status-chip.tsx';
import type { DeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';
import { DraftNotice } from '#renderer/workflows/versions/draft-notice.tsx';
import { PauseOrResume } from '#renderer/workflows/pause-or-resume.tsx';
import { Producers } from '#renderer/workflows/producers.tsx';
import { Sparkline } from '#renderer/workflows/sparkline.tsx';
import { workflowState } from '#renderer/workflows/workflow-state.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly devices: DeviceLabels;
  /** Called after an action. */
  readonly onChanged: () => void;
}

export function WorkflowCard({ workflow, devices, onChanged }: Props) {
  const { id, name } = workflow;
  return (
    <article
      aria-label={name}
      className="grid gap-3 rounded-lg bg-surface px-4 py-3.5 shadow-raised ring-1 ring-line"
    >
      <div className="grid gap-1.5">
        <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3">
          <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
            <h2 className="min-w-0 text-[0.9375rem] font-semibold">
              <Link
                to={href.workflow(id)}
                title={workflowText.card.open(name)}
                className="rounded-sm wrap-anywhere hover:text-accent hover:underline"
              >
                {name}
              </Link>
            </h2>
            <WorkflowChip status={workflowState(workflow)} />
            <OpenQuestions workflow={workflow} />
            <Sparkline recent={workflow.recent} />
          </div>
          <PauseOrResume workflow={workflow} onChanged={onChanged} />
        </div>
        <WorkflowMeta workflow={workflow} devices={devices} />
      </div>
      <Reasons workflow={workflow} />
      {workflow.draftScriptId === null ? null : (
        <DraftNotice workflow={workflow} onChanged={onChanged} />
      )}
      {workflow.scriptId === null ? (
        <p className="text-[0.8125rem] text-muted">{text.workflows.noScript}</p>
      ) : null}
      {workflow.producers.length === 0 ? null : <Producers workflow={workflow} />}
      {workflow.topics.length === 0 ? null : <Topics topics={workflow.topics} />}
    </article>
  );
}

export function OpenQuestions({ workflow }: Pick<Props, 'workflow'>) {
  if (workflow.openQuestions === 0) return null;
  return (
    <Link to={href.inbox()} className="rounded-sm text-[0.8125rem] font-medium text-wait underline">
      {text.workflows.waiting(workflow.openQuestions)}
    </Link>
  );
}

/** Why the workflow doesn't just run: left behind, held, paused, waiting or failing. */
export function Reasons({ workflow }: Pick<Props, 'workflow'>) {
  const { statusReason, failing, waitsFor, leftBehind, heldBecause } = workflow;
  return (
    <>
      {leftBehind.map((left) => {
        const sentence = describeLeftBehind(left, text.leftBehind.version);
        return (
          <p key={sentence} className="text-[0.8125rem] wrap-anywhere text-wait">
            {sentence}
          </p>
        );
      })}
      {heldBecause === null ? null : (
        <p className="text-[0.8125rem] wrap-anywhere text-bad">{heldBecause}</p>
      )}
      {statusReason === null || statusReason === '' ? null : (
        <p className="text-[0.8125rem] wrap-anywhere whitespace-pre-wrap">{statusReason}</p>
      )}
      {waitsFor.map((wait) => (
        <p key={wait.handler} className="text-[0.8125rem] wrap-anywhere text-wait">
          {hostsText.waiting(wait)}
        </p>
      ))}
      {waitsFor.some(({ until }) => until === null) ? <RetryHosts /> : null}
      {failing.length === 0 ? null : (
        <p className="text-[0.8125rem] wrap-anywhere text-bad">
          {workflowText.card.failing(failing)}
        </p>
      )}
    </>
  );
}

function WorkflowMeta({ workflow, devices }: Pick<Props, 'workflow' | 'devices'>) {
  const { id, name, path, owner } = workflow;
  return (
    <p className="flex min-w-0 flex-wrap gap-x-3 gap-y-0.5 text-[0.8125rem]">
      <span className="inline-flex items-center gap-1 text-muted">
        <MonitorSmartphone aria-hidden className="size-3.5 shrink-0" />
        {workflowText.card.owner}{' '}
        {owner.isThisDevice ? workflowText.card.thisDevice : devices.labelOf(owner.deviceId)}
      </span>
      {path === null ? null : (
        <span title={path} className="min-w-0 truncate text-muted">
          {path}
        </span>
      )}
      <TextLink to={href.runs({ workflowId: id })}>
        {text.workflows.runs}
        <span className="sr-only">{text.workflows.of(name)}</span>
      </TextLink>
      <TextLink to={href.sessions({ workflowId: id })}>
        {text.workflows.sessions}
        <span className="sr-only">{text.workflows.of(name)}</span>
      </TextLink>
      {hasUnsaved(id) ? (
        <Link
          to={href.workflow(id, 'edit')}
          className="inline-flex items-center gap-1 rounded-sm font-medium text-wait hover:underline"
        >
          <PencilLine aria-hidden className="size-3.5" />
          {workflowText.card.unsaved}
          <span className="sr-only">{text.workflows.of(name)}</span>
        </Link>
      ) : null}
    </p>
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
