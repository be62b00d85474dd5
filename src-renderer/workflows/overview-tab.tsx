// Overview of a workflow: schedule, recent runs, topics, owner and pending requests.
import type { WorkflowView } from '#shared/api/contract.ts';
import { formatCost } from '#shared/cost.ts';
import { href } from '#renderer/navigation/router.ts';
import { text } from '#renderer/text/text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Fact, Facts } from '#renderer/ui/layout/facts.tsx';
import { Panel } from '#renderer/ui/layout/panel.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { ExactTime } from '#renderer/ui/display/time.tsx';
import { useDeviceLabels } from '#renderer/workflows/ownership/use-device-labels.ts';
import { DraftNotice } from '#renderer/workflows/versions/draft-notice.tsx';
import { OwnerPanel } from '#renderer/workflows/ownership/owner-panel.tsx';
import { Producers } from '#renderer/workflows/producers.tsx';
import { Sparkline } from '#renderer/workflows/sparkline.tsx';
import { PendingIntents } from '#renderer/workflows/ownership/pending-intents.tsx';
import { OpenQuestions, Reasons } from '#renderer/workflows/workflow-card.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onChanged: () => void;
}

export function OverviewTab({ workflow, onChanged }: Props) {
  const devices = useDeviceLabels();
  return (
    <>
      <div className="grid justify-items-start gap-1 empty:hidden">
        <OpenQuestions workflow={workflow} />
        <Reasons workflow={workflow} />
      </div>
      {workflow.draftScriptId === null ? null : (
        <DraftNotice workflow={workflow} onChanged={onChanged} />
      )}
      <PendingIntents workflow={workflow} devices={devices} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid gap-4">
          <Panel title={workflowText.page.schedule}>
            {workflow.producers.length === 0 ? (
              <p className="text-[0.8125rem] text-muted">
                {workflow.scriptId === null
                  ? workflowText.page.noScript
                  : workflowText.page.noProducers}
              </p>
            ) : (
              <Producers workflow={workflow} />
            )}
          </Panel>
          <Panel title={workflowText.page.lastRuns}>
            <Sparkline recent={workflow.recent} />
          </Panel>
          {workflow.topics.length === 0 ? null : <TopicList workflow={workflow} />}
        </div>
        <div className="grid gap-4">
          <OwnerPanel workflow={workflow} devices={devices} onChanged={onChanged} />
          <Details workflow={workflow} />
        </div>
      </div>
    </>
  );
}

function TopicList({ workflow }: Pick<Props, 'workflow'>) {
  return (
    <Panel title={workflowText.page.topics}>
      <ul className="grid gap-1.5 text-[0.8125rem]">
        {workflow.topics.map(({ name, pending }) => (
          <li key={name} className="flex items-baseline justify-between gap-4">
            <TextLink
              to={href.workflow(workflow.id, 'graph', { kind: 'topic', name })}
              className="wrap-anywhere"
            >
              {name}
            </TextLink>
            <span className={`tabular ${pending === 0 ? 'text-muted' : 'font-medium'}`}>
              {workflowText.graph.pending(pending)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Details({ workflow }: Pick<Props, 'workflow'>) {
  const { path, scriptId, cost, createdAt } = workflow;
  return (
    <Panel title={text.run.details}>
      <Facts>
        <Fact name={workflowText.page.file} {...(path === null ? {} : { title: path })}>
          {path ?? workflowText.page.fileElsewhere}
        </Fact>
        <Fact name={workflowText.page.version}>
          {scriptId === null ? (
            workflowText.page.noScript
          ) : (
            <TextLink to={href.workflow(workflow.id, 'versions')}>
              {workflowText.page.allVersions}
            </TextLink>
          )}
        </Fact>
        {cost.total === 0 ? null : (
          <>
            <Fact name={workflowText.page.costToday}>{formatCost(cost.today)}</Fact>
            <Fact name={workflowText.page.costTotal} title={workflowText.page.costTotalHint}>
              {formatCost(cost.total)}
            </Fact>
          </>
        )}
        <Fact name={workflowText.page.completes}>
          {workflowText.page.completesBy[workflow.completes]}
        </Fact>
        <Fact name={workflowText.page.needsHuman}>
          {workflowText.page.waits(workflow.needsHuman)}
        </Fact>
        <Fact name={workflowText.page.created}>
          <ExactTime at={createdAt} />
        </Fact>
      </Facts>
    </Panel>
  );
}
