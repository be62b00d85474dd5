// The last hour by minute, from the host's ten-second samples. Counts are summed; quantiles, depth
// and age take the maximum.
import type { MetricsPoint, MetricsSnapshot } from '#shared/api/metrics.ts';

const MINUTE_MS = 60_000;
export const MINUTE_COUNT = 60;

export interface Minute {
  readonly at: number;
  /** False if the host wasn't running, so that unknown isn't shown as zero. */
  readonly isKnown: boolean;
  readonly done: number;
  readonly failed: number;
  /** Null if nothing ended. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  /** Null if there was no sample. */
  readonly queueDepth: number | null;
  readonly oldestAgeMs: number | null;
}

type SnapshotPart = Pick<MetricsSnapshot, 'at' | 'since' | 'runs'>;

/** Oldest first. Always sixty minutes, so that an idle hour looks idle. */
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

/** Rounds up to a round number for the top of an axis. */
export function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => one * power >= value) ?? 10;
  return step * power;
}
