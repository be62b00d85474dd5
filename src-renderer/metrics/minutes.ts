// The last hour by minutes, from the host's steps of ten seconds. What can be added is added; of
// what cannot (a quantile, the depth of a queue) the worst step stands for its minute.
import type { MetricsPoint, MetricsSnapshot } from '#shared/api/metrics.ts';

const MINUTE_MS = 60_000;
export const MINUTES = 60;

export interface Minute {
  readonly at: number;
  readonly done: number;
  readonly failed: number;
  /** Null: nothing ended in it. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly queueDepth: number;
  readonly oldestAgeMs: number;
}

/** The oldest first; always sixty, so that an idle hour looks like one. */
export function lastHour({ at, runs }: Pick<MetricsSnapshot, 'at' | 'runs'>): readonly Minute[] {
  const newest = at - (at % MINUTE_MS);
  const steps = Map.groupBy(runs, (step) => step.at - (step.at % MINUTE_MS));
  return Array.from({ length: MINUTES }, (_, index) => {
    const minute = newest - (MINUTES - 1 - index) * MINUTE_MS;
    return summed(minute, steps.get(minute) ?? []);
  });
}

function summed(at: number, steps: readonly MetricsPoint[]): Minute {
  const sum = (of: (step: MetricsPoint) => number): number =>
    steps.reduce((total, step) => total + of(step), 0);
  const most = (of: (step: MetricsPoint) => number): number => Math.max(0, ...steps.map(of));
  const worst = (of: (step: MetricsPoint) => number | null): number | null => {
    const known = steps.map(of).filter((value) => value !== null);
    return known.length === 0 ? null : Math.max(...known);
  };
  return {
    at,
    done: sum(({ done }) => done),
    failed: sum(({ failed }) => failed),
    p50Ms: worst(({ p50Ms }) => p50Ms),
    p95Ms: worst(({ p95Ms }) => p95Ms),
    queueDepth: most(({ queueDepth }) => queueDepth),
    oldestAgeMs: most(({ oldestAgeMs }) => oldestAgeMs),
  };
}

/** A round number that is not below any value: the top of an axis. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10;
  return step * power;
}
