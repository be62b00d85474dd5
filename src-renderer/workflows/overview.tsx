// Overview of a workflow: schedule, recent runs, topics, owner and pending requests.
import type { WorkflowView } from '#shared/api/contract.ts';
import { href } from '#renderer/router.ts';
import { text } from '#renderer/text/text.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { Fact, Facts, Panel } from '#renderer/ui/facts.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { ExactTime } from '#renderer/ui/when.tsx';
import { useDevices } from '#renderer/workflows/device-names.ts';
import { DraftNotice } from '#renderer/workflows/draft-notice.tsx';
import { OwnerPanel } from '#renderer/workflows/owner-panel.tsx';
import { Producers } from '#renderer/workflows/producers.tsx';
import { Sparkline } from '#renderer/workflows/sparkline.tsx';
import { WaitingWishes } from '#renderer/workflows/waiting-wishes.tsx';
import { OpenQuestions, Reasons } from '#renderer/workflows/workflow-card.tsx';

interface Props {
  readonly workflow: WorkflowView;
  readonly onActed: () => void;
}

export function Overview({ workflow, onActed }: Props) {
  const devices = useDevices();
  return (
    <>
      <div className="grid justify-items-start gap-1 empty:hidden">
        <OpenQuestions workflow={workflow} />
        <Reasons workflow={workflow} />
      </div>
      {workflow.draftScriptId === null ? null : (
        <DraftNotice workflow={workflow} onActed={onActed} />
      )}
      <WaitingWishes workflow={workflow} devices={devices} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid gap-4">
          <Panel title={flowText.page.schedule}>
            {workflow.producers.length === 0 ? (
              <p className="text-[0.8125rem] text-muted">
                {workflow.scriptId === null ? flowText.page.noScript : flowText.page.noProducers}
              </p>
            ) : (
              <Producers workflow={workflow} />
            )}
          </Panel>
          <Panel title={flowText.page.lastRuns}>
            <Sparkline recent={workflow.recent} />
          </Panel>
          {workflow.topics.length === 0 ? null : <TopicList workflow={workflow} />}
        </div>
        <div className="grid gap-4">
          <OwnerPanel workflow={workflow} devices={devices} onActed={onActed} />
          <Details workflow={workflow} />
        </div>
      </div>
    </>
  );
}

function TopicList({ workflow }: Pick<Props, 'workflow'>) {
  return (
    <Panel title={flowText.page.topics}>
      <ul className="grid gap-1.5 text-[0.8125rem]">
        {workflow.topics.map(({ name, pending }) => (
          <li key={name} className="flex items-baseline justify-between gap-4">
            <Link
              to={href.workflow(workflow.id, 'graph', { kind: 'topic', name })}
              className="rounded-sm wrap-anywhere text-accent hover:underline"
            >
              {name}
            </Link>
            <span className={`tabular ${pending === 0 ? 'text-muted' : 'font-medium'}`}>
              {flowText.graph.pending(pending)}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Details({ workflow }: Pick<Props, 'workflow'>) {
  const { path, scriptId, createdAt } = workflow;
  return (
    <Panel title={text.run.details}>
      <Facts>
        <Fact name={flowText.page.file} {...(path === null ? {} : { title: path })}>
          {path ?? flowText.page.fileElsewhere}
        </Fact>
        <Fact name={flowText.page.version}>
          {scriptId === null ? (
            flowText.page.noScript
          ) : (
            <Link
              to={href.workflow(workflow.id, 'versions')}
              className="rounded-sm text-accent hover:underline"
            >
              {flowText.page.allVersions}
            </Link>
          )}
        </Fact>
        <Fact name={flowText.page.created}>
          <ExactTime at={createdAt} />
        </Fact>
      </Facts>
    </Panel>
  );
}
