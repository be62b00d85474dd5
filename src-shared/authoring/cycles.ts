// Finds cycles in a workflow's topics. Cycles are allowed, because many workflows need them, and shown,
// because some are accidental.

export interface Edges {
  readonly [consumer: string]: {
    readonly subscribes: readonly string[];
    readonly publishes: readonly string[];
  };
}

/** Each cycle once as its topics, starting with the one that is first in `topics`. */
export function findCycles(topics: readonly string[], consumers: Edges): string[][] {
  const next = new Map<string, Set<string>>(topics.map((topic) => [topic, new Set()]));
  for (const { subscribes, publishes } of Object.values(consumers)) {
    for (const from of subscribes) for (const to of publishes) next.get(from)?.add(to);
  }
  const cycles: string[][] = [];
  for (const [index, topic] of topics.entries()) {
    const cycle = shortestCycle(topic, next, new Set(topics.slice(0, index)));
    if (cycle) cycles.push(cycle);
  }
  return cycles;
}

/** Ignores topics whose cycles are already known. */
function shortestCycle(
  start: string,
  next: ReadonlyMap<string, ReadonlySet<string>>,
  known: ReadonlySet<string>,
): string[] | undefined {
  const paths: string[][] = [[start]];
  const seen = new Set<string>();
  for (const path of paths) {
    for (const topic of next.get(path.at(-1) ?? '') ?? []) {
      if (topic === start) return path;
      if (seen.has(topic) || known.has(topic)) continue;
      seen.add(topic);
      paths.push([...path, topic]);
    }
  }
  return undefined;
}
