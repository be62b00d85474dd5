// The live graph of a workflow, with a panel for the selected node.
import { Network } from 'lucide-react';
import { useMemo } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { WorkflowGraph } from '#shared/api/workflow-pages.ts';
import { href } from '#renderer/navigation/router.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { EmptyState } from '#renderer/ui/layout/empty-state.tsx';
import { Failure } from '#renderer/ui/feedback/failure.tsx';
import { TextLink } from '#renderer/ui/buttons/text-link.tsx';
import { Notice } from '#renderer/ui/feedback/notice.tsx';
import { PageSkeleton } from '#renderer/ui/layout/page-skeleton.tsx';
import { GraphCanvas } from '#renderer/workflows/graph/graph-canvas.tsx';
import { layoutGraph } from '#renderer/workflows/graph/graph-layout.ts';
import { handlerSentence, topicSentence } from '#renderer/workflows/graph/describe-node.ts';
import { NodePanel } from '#renderer/workflows/graph/node-panel.tsx';
import { useLiveCall } from '#renderer/stores/use-live-call.ts';
import type { GraphNode } from '#renderer/navigation/workflow-route.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly node: GraphNode | null;
}

export default function GraphTab({ workflow, node }: Props) {
  const { answer: graph, error } = useLiveCall(
    'workflows.graph',
    { workflowId: workflow.id },
    { workflows: [workflow.id], events: 'any', handler_runs: 'any' },
    GRAPH_INTERVAL_MS,
  );
  if (graph === null) {
    return error === null ? (
      <PageSkeleton label={workflowText.graph.loading} />
    ) : (
      <Failure error={error} />
    );
  }
  if (graph.handlers.length === 0) {
    return (
      <EmptyState
        icon={Network}
        title={workflowText.graph.empty}
        hint={workflowText.graph.emptyHint}
      />
    );
  }
  return (
    <>
      <Failure error={error} />
      {graph.cycles.map((way) => (
        <Notice key={way.join(' ')} tone="plain">
          <p>{workflowText.graph.cycle(way)}</p>
        </Notice>
      ))}
      {node === null ? (
        <p className="text-[0.8125rem] text-muted">{workflowText.graph.choose}</p>
      ) : null}
      <div
        className={`grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] gap-4 ${node === null ? '' : 'max-lg:grid-rows-[minmax(18rem,1fr)_auto] lg:grid-cols-[minmax(0,1fr)_22rem]'}`}
      >
        <GraphDrawing workflow={workflow} graph={graph} node={node} />
        {node === null ? null : (
          <div className="min-h-0 lg:overflow-y-auto">
            <NodePanel workflow={workflow} graph={graph} node={node} />
          </div>
        )}
      </div>
      <GraphList workflow={workflow} graph={graph} />
    </>
  );
}

/** Counts change with every event; faster updates can't be followed by eye. */
const GRAPH_INTERVAL_MS = 250;

interface GraphDrawingProps extends Props {
  readonly graph: WorkflowGraph;
}

function GraphDrawing({ workflow, graph, node }: GraphDrawingProps) {
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
  const layouts = useMemo(
    () => [layoutGraph(graph, 'LR'), layoutGraph(graph, 'TB')] as const,
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `shape` covers what it uses of `graph`.
    [shape],
  );
  return <GraphCanvas workflow={workflow} graph={graph} layouts={layouts} node={node} />;
}

function GraphList({ workflow, graph }: Omit<GraphDrawingProps, 'node'>) {
  const entries = [
    ...graph.handlers.map((handler) => ({
      kind: 'handler' as const,
      name: handler.name,
      word: workflowText.graph[handler.kind],
      sentence: handlerSentence(handler),
    })),
    ...graph.topics.map((topic) => ({
      kind: 'topic' as const,
      name: topic.name,
      word: workflowText.graph.topic,
      sentence: topicSentence(topic, graph),
    })),
  ];
  return (
    <details className="shrink-0 text-[0.8125rem]">
      <summary className="cursor-default rounded-sm text-muted hover:text-ink">
        {workflowText.graph.list}
      </summary>
      <ul className="mt-2 grid gap-1 pb-2">
        {entries.map(({ kind, name, word, sentence }) => (
          <li key={`${kind} ${name}`} className="wrap-anywhere">
            {word}{' '}
            <TextLink
              to={href.workflow(workflow.id, 'graph', { kind, name })}
              className="font-medium"
            >
              {name}
            </TextLink>
            : {sentence}.
          </li>
        ))}
      </ul>
    </details>
  );
}
