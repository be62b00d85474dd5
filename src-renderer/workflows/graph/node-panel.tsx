// Details of the selected node: a topic's events or a handler's runs.
import { X } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import type { GraphHandler, GraphTopic, WorkflowGraph } from '#shared/api/workflow-pages.ts';
import { MAX_PAGE_SIZE, PAGE_SIZE } from '#shared/limits.ts';
import { href } from '#renderer/navigation/router.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { PhaseChip } from '#renderer/ui/display/status-chip.tsx';
import { RelativeTime } from '#renderer/ui/display/time.tsx';
import { EventLine } from '#renderer/workflows/graph/event-line.tsx';
import { handlerSentence, topicSentence } from '#renderer/workflows/graph/describe-node.ts';
import { Producers } from '#renderer/workflows/producers.tsx';
import { PublishEvent } from '#renderer/workflows/graph/publish-event.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import type { GraphNode } from '#renderer/navigation/workflow-route.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly graph: WorkflowGraph;
  readonly node: GraphNode;
}

export function NodePanel({ workflow, graph, node }: Props) {
  if (node.kind === 'topic') {
    const topic = graph.topics.find(({ name }) => name === node.name);
    if (topic) return <TopicPanel key={topic.name} {...{ workflow, graph, topic }} />;
  } else {
    const handler = graph.handlers.find(({ name }) => name === node.name);
    if (handler) return <HandlerPanel key={handler.name} workflow={workflow} handler={handler} />;
  }
  return (
    <PanelFrame workflow={workflow} kind="" name={node.name}>
      <p className="text-muted">{workflowText.graph.gone}</p>
    </PanelFrame>
  );
}

interface PanelFrameProps {
  readonly workflow: WorkflowView;
  readonly kind: string;
  readonly name: string;
  readonly children: ReactNode;
}

function PanelFrame({ workflow, kind, name, children }: PanelFrameProps) {
  return (
    <section
      aria-label={`${kind} ${name}`.trim()}
      className="grid gap-3 rounded-lg bg-surface px-4 py-3 text-[0.8125rem] shadow-raised ring-1 ring-line"
    >
      <div className="flex items-start justify-between gap-3">
        <h2 className="wrap-anywhere">
          <span className="text-muted">{kind}</span>{' '}
          <span className="text-sm font-semibold">{name}</span>
        </h2>
        <Link
          to={href.workflow(workflow.id, 'graph')}
          aria-label={workflowText.graph.close}
          className="-mr-1.5 grid size-6 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden className="size-4" />
        </Link>
      </div>
      {children}
    </section>
  );
}

interface TopicProps {
  readonly workflow: WorkflowView;
  readonly graph: WorkflowGraph;
  readonly topic: GraphTopic;
}

function TopicPanel({ workflow, graph, topic }: TopicProps) {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const { answer, error, refresh } = useLiveCall(
    'events.list',
    { workflowId: workflow.id, topic: topic.name, limit },
    { events: 'any' },
    300,
  );
  return (
    <PanelFrame workflow={workflow} kind={workflowText.graph.topic} name={topic.name}>
      <p className="wrap-anywhere text-muted">{topicSentence(topic, graph)}.</p>
      <PublishEvent workflow={workflow} topic={topic.name} onPublished={refresh} />
      <Failure error={error} />
      {answer === null && error === null ? (
        <PageSkeleton label={workflowText.graph.loadingEvents} />
      ) : null}
      {answer?.events.length === 0 ? (
        <p className="text-muted">{workflowText.graph.noEvents}</p>
      ) : null}
      <ul aria-label={workflowText.graph.events} className="grid gap-2.5 empty:hidden">
        {answer?.events.map((event) => (
          <EventLine key={event.id} event={event} />
        ))}
      </ul>
      {answer?.next == null || limit >= MAX_PAGE_SIZE ? null : (
        <Button size="small" onPress={() => setLimit(MAX_PAGE_SIZE)}>
          {workflowText.graph.more}
        </Button>
      )}
    </PanelFrame>
  );
}

interface HandlerProps {
  readonly workflow: WorkflowView;
  readonly handler: GraphHandler;
}

function HandlerPanel({ workflow, handler }: HandlerProps) {
  const { answer, error } = useLiveCall(
    'workflows.handlerRuns',
    { workflowId: workflow.id, handlerName: handler.name },
    { handler_runs: 'any' },
    300,
  );
  const producers = workflow.producers.filter(({ name }) => name === handler.name);
  return (
    <PanelFrame workflow={workflow} kind={workflowText.graph[handler.kind]} name={handler.name}>
      <p className="wrap-anywhere text-muted">{handlerSentence(handler)}.</p>
      {producers.length === 0 ? null : <Producers workflow={{ ...workflow, producers }} />}
      <Failure error={error} />
      {answer === null && error === null ? (
        <PageSkeleton label={workflowText.graph.loadingRuns} />
      ) : null}
      {answer?.runs.length === 0 ? <p className="text-muted">{workflowText.graph.noRuns}</p> : null}
      <ul aria-label={workflowText.page.runs} className="grid gap-2 empty:hidden">
        {answer?.runs.map((run) => (
          <RunLine key={run.id} run={run} />
        ))}
      </ul>
      <TextLink to={href.runs({ workflowId: workflow.id })} className="justify-self-start">
        {workflowText.page.runs}
      </TextLink>
    </PanelFrame>
  );
}

function RunLine({ run }: { readonly run: HandlerRunView }) {
  return (
    <li className="flex items-center justify-between gap-3">
      <span className="grid min-w-0">
        <Link
          to={href.run(run.id)}
          className="truncate rounded-sm font-medium hover:text-accent hover:underline"
        >
          {run.title ?? run.handlerName}
        </Link>
        <span className="text-muted">
          <RelativeTime at={run.startedAt} />
        </span>
      </span>
      <PhaseChip status={run.phase} />
    </li>
  );
}
