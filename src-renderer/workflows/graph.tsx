// The live graph of a workflow, with a panel for the selected node.
import { Network } from 'lucide-react';
import { useMemo } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { WorkflowGraph } from '#shared/api/workflow-pages.ts';
import { href } from '#renderer/router.ts';
import { flowText } from '#renderer/text/workflows-text.ts';
import { EmptyState } from '#renderer/ui/empty-state.tsx';
import { Failure } from '#renderer/ui/failure.tsx';
import { Link } from '#renderer/ui/link.tsx';
import { Notice } from '#renderer/ui/notice.tsx';
import { PageSkeleton } from '#renderer/ui/page-skeleton.tsx';
import { GraphCanvas } from '#renderer/workflows/graph-canvas.tsx';
import { placeGraph } from '#renderer/workflows/graph-layout.ts';
import { handlerSentence, topicSentence } from '#renderer/workflows/graph-words.ts';
import { NodePanel } from '#renderer/workflows/node-panel.tsx';
import { useAnswer } from '#renderer/use-answer.ts';
import type { GraphNode } from '#renderer/workflows/workflow-route.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly node: GraphNode | null;
}

export default function Graph({ workflow, node }: Props) {
  const { answer: graph, error } = useAnswer(
    (client) => client.call('workflows.graph', { workflowId: workflow.id }),
    { workflows: [workflow.id], events: 'any', handler_runs: 'any' },
    [workflow.id],
    GRAPH_DISTANCE_MS,
  );
  if (graph === null) {
    return error === null ? (
      <PageSkeleton label={flowText.graph.loading} />
    ) : (
      <Failure error={error} />
    );
  }
  if (graph.handlers.length === 0) {
    return (
      <EmptyState icon={Network} title={flowText.graph.empty} hint={flowText.graph.emptyHint} />
    );
  }
  return (
    <>
      <Failure error={error} />
      {graph.cycles.map((way) => (
        <Notice key={way.join(' ')} tone="plain">
          <p>{flowText.graph.cycle(way)}</p>
        </Notice>
      ))}
      {node === null ? (
        <p className="text-[0.8125rem] text-muted">{flowText.graph.choose}</p>
      ) : null}
      <div
        className={`grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] gap-4 ${node === null ? '' : 'max-lg:grid-rows-[minmax(18rem,1fr)_auto] lg:grid-cols-[minmax(0,1fr)_22rem]'}`}
      >
        <Drawn workflow={workflow} graph={graph} node={node} />
        {node === null ? null : (
          <div className="min-h-0 lg:overflow-y-auto">
            <NodePanel workflow={workflow} graph={graph} node={node} />
          </div>
        )}
      </div>
      <AsList workflow={workflow} graph={graph} />
    </>
  );
}

/** Counts change with every event; faster updates can't be followed by eye. */
const GRAPH_DISTANCE_MS = 250;

interface DrawnProps extends Props {
  readonly graph: WorkflowGraph;
}

function Drawn({ workflow, graph, node }: DrawnProps) {
  // Only structural changes cause a new layout, not counts.
  const shape = JSON.stringify([
    graph.topics.map(({ name }) => name),
    graph.handlers.map(({ name, kind, subscribes, publishes }) => [
      name,
      kind,
      subscribes,
      publishes,
    ]),
  ]);
  const ways = useMemo(
    () => [placeGraph(graph, 'LR'), placeGraph(graph, 'TB')] as const,
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `shape` covers what it uses of `graph`.
    [shape],
  );
  return <GraphCanvas workflow={workflow} graph={graph} ways={ways} node={node} />;
}

function AsList({ workflow, graph }: Omit<DrawnProps, 'node'>) {
  const link = 'rounded-sm font-medium text-accent hover:underline';
  return (
    <details className="shrink-0 text-[0.8125rem]">
      <summary className="cursor-default rounded-sm text-muted hover:text-ink">
        {flowText.graph.list}
      </summary>
      <ul className="mt-2 grid gap-1 pb-2">
        {graph.handlers.map((handler) => (
          <li key={`handler ${handler.name}`} className="wrap-anywhere">
            {flowText.graph[handler.kind]}{' '}
            <Link
              to={href.workflow(workflow.id, 'graph', { kind: 'handler', name: handler.name })}
              className={link}
            >
              {handler.name}
            </Link>
            : {handlerSentence(handler)}.
          </li>
        ))}
        {graph.topics.map((topic) => (
          <li key={`topic ${topic.name}`} className="wrap-anywhere">
            {flowText.graph.topic}{' '}
            <Link
              to={href.workflow(workflow.id, 'graph', { kind: 'topic', name: topic.name })}
              className={link}
            >
              {topic.name}
            </Link>
            : {topicSentence(topic, graph)}.
          </li>
        ))}
      </ul>
    </details>
  );
}
