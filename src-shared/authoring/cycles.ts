// Ways by which an event may lead to another one in its own topic. Allowed, because many good
// workflows go round; shown, because some do not mean to.

export interface Edges {
  readonly [consumer: string]: {
    readonly subscribes: readonly string[];
    readonly publishes: readonly string[];
  };
}

/** Each cycle once, as its topics, beginning with the one that comes first in `topics`. */
export function findCycles(topics: readonly string[], consumers: Edges): string[][] {
  const next = new Map<string, Set<string>>(topics.map((topic) => [topic, new Set()]));
  for (const { subscribes, publishes } of Object.values(consumers)) {
    for (const from of subscribes) for (const to of publishes) next.get(from)?.add(to);
  }
  const cycles: string[][] = [];
  for (const [index, topic] of topics.entries()) {
    const way = shortestWayBack(topic, next, new Set(topics.slice(0, index)));
    if (way) cycles.push(way);
  }
  return cycles;
}

/** Without the topics whose cycles are known already. */
function shortestWayBack(
  start: string,
  next: ReadonlyMap<string, ReadonlySet<string>>,
  known: ReadonlySet<string>,
): string[] | undefined {
  const ways: string[][] = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const topic of next.get(way.at(-1) ?? '') ?? []) {
      if (topic === start) return way;
      if (seen.has(topic) || known.has(topic)) continue;
      seen.add(topic);
      ways.push([...way, topic]);
    }
  }
  return undefined;
}
