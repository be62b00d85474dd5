// The last hour by minutes, from the host's steps of ten seconds. What can be added is added; of
// what cannot (a quantile, the depth of a queue) the worst step stands for its minute.
import type { MetricsPoint, MetricsSnapshot } from '#shared/api/metrics.ts';

const MINUTE_MS = 60_000;
export const MINUTE_COUNT = 60;

export interface Minute {
  readonly at: number;
  /** The host ran in it: else that nothing is known is not to be read as nothing. */
  readonly isKnown: boolean;
  readonly done: number;
  readonly failed: number;
  /** Null: nothing ended in it. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Null: nobody looked. */
  readonly queueDepth: number | null;
  readonly oldestAgeMs: number | null;
}

type SnapshotPart = Pick<MetricsSnapshot, 'at' | 'since' | 'runs'>;

/** The oldest first; always sixty, so that an idle hour looks like one. */
export function lastHour({ at, since, runs }: SnapshotPart): readonly Minute[] {
  const newest = at - (at % MINUTE_MS);
  const steps = Map.groupBy(runs, (step) => step.at - (step.at % MINUTE_MS));
  return Array.from({ length: MINUTE_COUNT }, (_, index) => {
    const minute = newest - (MINUTE_COUNT - 1 - index) * MINUTE_MS;
    return {
      ...summarizeMinute(minute, steps.get(minute) ?? []),
      isKnown: minute + MINUTE_MS > since,
    };
  });
}

function summarizeMinute(at: number, steps: readonly MetricsPoint[]): Omit<Minute, 'isKnown'> {
  const sum = (of: (step: MetricsPoint) => number): number =>
    steps.reduce((total, step) => total + of(step), 0);
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
    queueDepth: worst(({ queueDepth }) => queueDepth),
    oldestAgeMs: worst(({ oldestAgeMs }) => oldestAgeMs),
  };
}

/** A round number that is not below any value: the top of an axis. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10;
  return step * power;
}
