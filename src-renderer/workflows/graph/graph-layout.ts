// Positions of nodes and edges, computed by dagre. Counts change without a new layout.
import { Graph, layout } from '@dagrejs/dagre';
import type { WorkflowGraph } from '#shared/api/workflow-pages.ts';

export type NodeKind = 'topic' | 'producer' | 'consumer';

export interface PlacedNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly name: string;
  /** Top left corner. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PlacedEdge {
  readonly id: string;
  /** SVG path data. */
  readonly path: string;
  /** Part of a cycle. */
  readonly isInCycle: boolean;
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  /** In the direction of event flow, which is also the tab order. */
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

type GraphShape = Pick<WorkflowGraph, 'cycles'> & {
  readonly topics: readonly { readonly name: string }[];
  readonly handlers: readonly Pick<
    WorkflowGraph['handlers'][number],
    'name' | 'kind' | 'subscribes' | 'publishes'
  >[];
};

const HEIGHT = 56;
const MARGIN = 16;
/** A topic has room for three two-digit counts. */
const MIN_WIDTHS = { topic: 288, producer: 156, consumer: 156 } as const;
const widthOf = (kind: NodeKind, name: string): number =>
  Math.min(Math.max(name.length * 7.4 + 60, MIN_WIDTHS[kind]), 320);
const topicId = (name: string): string => `topic:${name}`;
const handlerId = (name: string): string => `handler:${name}`;

export function layoutGraph(shape: GraphShape, direction: 'LR' | 'TB'): PlacedGraph {
  const graph = new Graph({ directed: true }) as DagreGraph;
  graph.setGraph({
    rankdir: direction,
    nodesep: 24,
    ranksep: direction === 'LR' ? 64 : 44,
    marginx: MARGIN,
    marginy: MARGIN,
  });
  graph.setDefaultEdgeLabel(() => ({}));
  const kinds = new Map<string, { kind: NodeKind; name: string }>();
  const add = (id: string, kind: NodeKind, name: string): void => {
    kinds.set(id, { kind, name });
    graph.setNode(id, { width: widthOf(kind, name), height: HEIGHT });
  };
  for (const { name, kind } of shape.handlers) add(handlerId(name), kind, name);
  for (const { name } of shape.topics) add(topicId(name), 'topic', name);
  for (const { name, subscribes, publishes } of shape.handlers) {
    for (const topic of subscribes) graph.setEdge(topicId(topic), handlerId(name));
    for (const topic of publishes) graph.setEdge(handlerId(name), topicId(topic));
  }
  layout(graph);
  const inCycle = cycleEdges(shape);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    nodes: graph
      .nodes()
      .map((id) => placeNode(id, kinds, graph.node(id)))
      .toSorted((a, b) => (direction === 'LR' ? a.x - b.x || a.y - b.y : a.y - b.y || a.x - b.x)),
    edges: graph.edges().map(({ v, w }) => ({
      id: `${v} ${w}`,
      path: pathThrough(graph.edge(v, w).points),
      isInCycle: inCycle.has(`${v} ${w}`),
    })),
  };
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The part of dagre's API used here. Its own types don't work from an ES module. */
interface DagreGraph {
  setGraph(options: object): void;
  setDefaultEdgeLabel(label: () => object): void;
  setNode(id: string, size: Pick<Box, 'width' | 'height'>): void;
  setEdge(from: string, to: string): void;
  graph(): { readonly width?: number; readonly height?: number };
  nodes(): string[];
  node(id: string): Box;
  edges(): { readonly v: string; readonly w: string }[];
  edge(from: string, to: string): { readonly points: readonly Point[] };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

function placeNode(
  id: string,
  kinds: ReadonlyMap<string, { kind: NodeKind; name: string }>,
  { x, y, width, height }: Box,
): PlacedNode {
  const { kind, name } = kinds.get(id) ?? { kind: 'topic' as const, name: id };
  return { id, kind, name, x: x - width / 2, y: y - height / 2, width, height };
}

/** Edges between the topics of a cycle and the consumers that connect them. */
function cycleEdges({ cycles, handlers }: GraphShape): Set<string> {
  const edges = new Set<string>();
  for (const cycle of cycles) {
    for (const [index, from] of cycle.entries()) {
      const to = cycle[(index + 1) % cycle.length] ?? from;
      for (const { name, subscribes, publishes } of handlers) {
        if (!subscribes.includes(from) || !publishes.includes(to)) continue;
        edges.add(`${topicId(from)} ${handlerId(name)}`);
        edges.add(`${handlerId(name)} ${topicId(to)}`);
      }
    }
  }
  return edges;
}

/** Straight at the ends, curved in between. */
function pathThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const parts = [`M${round(first.x)} ${round(first.y)}`];
  for (const [index, point] of rest.entries()) {
    const next = rest[index + 1];
    if (!next) parts.push(`L${round(point.x)} ${round(point.y)}`);
    else {
      const [x, y] = [(point.x + next.x) / 2, (point.y + next.y) / 2];
      parts.push(`Q${round(point.x)} ${round(point.y)} ${round(x)} ${round(y)}`);
    }
  }
  return parts.join('');
}

const round = (value: number): number => Math.round(value * 10) / 10;
