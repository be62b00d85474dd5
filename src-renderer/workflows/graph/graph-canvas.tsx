// The graph drawing: edges in an SVG, nodes as links above it. Fits the frame until the person
// zooms.
import { Maximize, Minus, Plus, Split, Timer, Waypoints, type LucideIcon } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { WorkflowView } from '#shared/api/contract.ts';
import type { WorkflowGraph } from '#shared/api/workflow-pages.ts';
import { href } from '#renderer/navigation/router.ts';
import { count } from '#renderer/text/numbers.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';
import { Button } from '#renderer/ui/buttons/button.tsx';
import { Link } from '#renderer/ui/buttons/link.tsx';
import type { NodeKind, PlacedGraph, PlacedNode } from '#renderer/workflows/graph/graph-layout.ts';
import { handlerSentence, topicSentence } from '#renderer/workflows/graph/describe-node.ts';
import type { GraphNode } from '#renderer/navigation/workflow-route.ts';

interface Props {
  readonly workflow: WorkflowView;
  readonly graph: WorkflowGraph;
  /** The same graph in several layouts; the best fit is used. */
  readonly layouts: readonly [PlacedGraph, ...PlacedGraph[]];
  readonly node: GraphNode | null;
}

const ZOOM_STEP = 1.25;
const [MIN_ZOOM, MAX_ZOOM] = [0.25, 2];

export function GraphCanvas({ workflow, graph, layouts, node }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const { placed, fit } = useBestFit(frame, layouts);
  const [chosenZoom, setChosenZoom] = useState<number | null>(null);
  const zoom = chosenZoom ?? fit;
  // If everything fits, a scrollbar would only take space and make it not fit.
  const overflow = chosenZoom === null && fit > MIN_ZOOM ? 'overflow-hidden' : 'overflow-auto';
  const zoomBy = (factor: number): void =>
    setChosenZoom(Math.min(Math.max(zoom * factor, MIN_ZOOM), MAX_ZOOM));
  const zoomButtons = [
    { label: workflowText.graph.zoomOut, icon: Minus, onPress: () => zoomBy(1 / ZOOM_STEP) },
    { label: workflowText.graph.fit, icon: Maximize, onPress: () => setChosenZoom(null) },
    { label: workflowText.graph.zoomIn, icon: Plus, onPress: () => zoomBy(ZOOM_STEP) },
  ];
  return (
    <section
      aria-label={workflowText.graph.label}
      className="relative min-h-0 rounded-lg bg-surface shadow-raised ring-1 ring-line"
    >
      <div ref={frame} className={`grid h-full place-items-center rounded-lg ${overflow}`}>
        <div
          style={{ width: placed.width * zoom, height: placed.height * zoom }}
          className="shrink-0"
        >
          <div
            style={{
              width: placed.width,
              height: placed.height,
              transform: `scale(${zoom})`,
              transformOrigin: '0 0',
            }}
            className="relative"
          >
            <Edges placed={placed} />
            {placed.nodes.map((one) => (
              <Node key={one.id} placed={one} workflow={workflow} graph={graph} chosen={node} />
            ))}
          </div>
        </div>
      </div>
      <div className="absolute right-2 bottom-2 flex gap-1">
        {zoomButtons.map(({ label, icon: Icon, onPress }) => (
          <Button key={label} size="small" aria-label={label} onPress={onPress}>
            <Icon aria-hidden className="size-3.5" />
          </Button>
        ))}
      </div>
    </section>
  );
}

interface Fit {
  readonly placed: PlacedGraph;
  readonly fit: number;
}

/** Picks the layout that can be shown largest, never above 100 %. */
function useBestFit(
  frame: { readonly current: HTMLDivElement | null },
  layouts: Props['layouts'],
): Fit {
  const [room, setRoom] = useState<{ width: number; height: number } | null>(null);
  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      setRoom({ width: element.clientWidth, height: element.clientHeight });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  const fits = layouts.map((placed) => ({ placed, fit: zoomToFit(placed, room) }));
  return fits.reduce((best, one) => (one.fit > best.fit ? one : best));
}

function zoomToFit(
  { width, height }: PlacedGraph,
  room: { readonly width: number; readonly height: number } | null,
): number {
  if (room === null) return 1;
  return Math.max(Math.min(room.width / width, room.height / height, 1), MIN_ZOOM);
}

function Edges({ placed }: { readonly placed: PlacedGraph }) {
  return (
    <svg aria-hidden width={placed.width} height={placed.height} className="absolute inset-0">
      <defs>
        {(['line', 'round'] as const).map((kind) => (
          <marker
            key={kind}
            id={`arrow-${kind}`}
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
            className={kind === 'round' ? 'text-wait' : 'text-muted'}
          >
            <path d="M0 0 8 4 0 8Z" fill="currentColor" />
          </marker>
        ))}
      </defs>
      {placed.edges.map(({ id, path, isInCycle }) => (
        <path
          key={id}
          d={path}
          fill="none"
          stroke="currentColor"
          strokeWidth={isInCycle ? 1.8 : 1.4}
          strokeDasharray={isInCycle ? '5 3' : undefined}
          markerEnd={`url(#arrow-${isInCycle ? 'round' : 'line'})`}
          className={isInCycle ? 'text-wait' : 'text-muted'}
        />
      ))}
    </svg>
  );
}

const NODE_STYLES: Readonly<
  Record<NodeKind, { readonly icon: LucideIcon; readonly shape: string }>
> = {
  topic: { icon: Waypoints, shape: 'rounded-full px-4 bg-sunken' },
  producer: { icon: Timer, shape: 'rounded-md px-3 bg-surface' },
  consumer: { icon: Split, shape: 'rounded-md px-3 bg-surface' },
};

interface NodeProps {
  readonly placed: PlacedNode;
  readonly workflow: WorkflowView;
  readonly graph: WorkflowGraph;
  readonly chosen: GraphNode | null;
}

function Node({ placed, workflow, graph, chosen }: NodeProps) {
  const { kind, name, x, y, width, height } = placed;
  const { icon: Icon, shape } = NODE_STYLES[kind];
  const target: GraphNode = { kind: kind === 'topic' ? 'topic' : 'handler', name };
  const isChosen = chosen?.kind === target.kind && chosen.name === name;
  return (
    <Link
      to={href.workflow(workflow.id, 'graph', target)}
      aria-current={isChosen ? 'true' : undefined}
      style={{ left: x, top: y, width, height }}
      className={`absolute flex items-center gap-2.5 shadow-raised ring-1 ring-line-strong ring-inset hover:bg-hover aria-[current=true]:ring-2 aria-[current=true]:ring-accent ${shape}`}
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="sr-only">{workflowText.graph[kind]} </span>
      <span className="grid min-w-0 leading-tight">
        <span className="truncate font-medium">{name}</span>{' '}
        <Counts placed={placed} graph={graph} />
      </span>
      <span className="sr-only">: {sentenceOf(placed, graph)}</span>
    </Link>
  );
}

function sentenceOf({ kind, name }: PlacedNode, graph: WorkflowGraph): string {
  if (kind === 'topic') {
    const topic = graph.topics.find((one) => one.name === name);
    return topic ? topicSentence(topic, graph) : '';
  }
  const handler = graph.handlers.find((one) => one.name === name);
  return handler ? handlerSentence(handler) : '';
}

function Counts({ placed: { kind, name }, graph }: Pick<NodeProps, 'placed' | 'graph'>) {
  const topic = kind === 'topic' ? graph.topics.find((one) => one.name === name) : undefined;
  const handler = kind === 'topic' ? undefined : graph.handlers.find((one) => one.name === name);
  const { short } = workflowText.graph;
  const counts = [
    { value: topic?.pending ?? 0, label: short.pending, colour: 'text-ink' },
    { value: topic?.reserved ?? 0, label: short.reserved, colour: 'text-active' },
    { value: topic?.setAside ?? 0, label: short.setAside, colour: 'text-bad' },
    { value: handler?.atWork ?? 0, label: short.running, colour: 'text-active' },
    { value: handler?.waiting ?? 0, label: short.waiting, colour: 'text-wait' },
  ].filter(({ value }) => value > 0);
  const idle = kind === 'topic' ? workflowText.graph.nothing : workflowText.graph.idle;
  return (
    <span className="tabular flex gap-2 truncate text-xs text-muted">
      {counts.length === 0
        ? idle
        : counts.map(({ value, label, colour }) => (
            <span key={label} className={`font-medium ${colour}`}>
              {count(value)} {label}
            </span>
          ))}
    </span>
  );
}
