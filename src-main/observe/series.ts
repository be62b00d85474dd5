// The last hour in steps of ten seconds, in memory. Latencies are histogram buckets, so a step has
// constant size.
import type { MetricsPoint } from '#shared/api/metrics.ts';
import { SERIES_POINTS, SERIES_STEP_MS } from '#shared/limits.ts';

interface Step {
  readonly at: number;
  done: number;
  failed: number;
  readonly counts: number[];
  queueDepth: number;
  oldestAgeMs: number;
}

/** Bucket bounds in milliseconds, from 0.5 ms to minutes, each 25 % above the one before. */
const BOUNDS = Array.from({ length: 60 }, (_, n) => 0.5 * 1.25 ** n);

export class Series {
  readonly #steps: Step[] = [];

  add(now: number, ms: number, isOk: boolean): void {
    const step = this.#at(now);
    step.done += 1;
    if (!isOk) step.failed += 1;
    const found = BOUNDS.findIndex((bound) => ms <= bound);
    const bucket = found === -1 ? BOUNDS.length : found;
    step.counts[bucket] = (step.counts[bucket] ?? 0) + 1;
  }

  /** Stores the maximum of each step. */
  queue(now: number, depth: number, oldestAgeMs: number): void {
    const step = this.#at(now);
    step.queueDepth = Math.max(step.queueDepth, depth);
    step.oldestAgeMs = Math.max(step.oldestAgeMs, oldestAgeMs);
  }

  /** Oldest first, without empty steps. */
  points(now: number): MetricsPoint[] {
    this.#dropOld(now);
    return this.#steps.map(({ at, done, failed, counts, queueDepth, oldestAgeMs }) => ({
      at,
      done,
      failed,
      p50Ms: quantile(counts, 0.5),
      p95Ms: quantile(counts, 0.95),
      queueDepth,
      oldestAgeMs,
    }));
  }

  #at(now: number): Step {
    const last = this.#steps.at(-1);
    // If the clock was set back, values go into the newest step, so that steps stay in order.
    const at = Math.max(now - (now % SERIES_STEP_MS), last?.at ?? 0);
    if (last?.at === at) return last;
    const step: Step = { at, done: 0, failed: 0, counts: [], queueDepth: 0, oldestAgeMs: 0 };
    this.#steps.push(step);
    this.#dropOld(now);
    return step;
  }

  #dropOld(now: number): void {
    const before = now - SERIES_POINTS * SERIES_STEP_MS;
    while ((this.#steps[0]?.at ?? now) <= before) this.#steps.shift();
    while (this.#steps.length > SERIES_POINTS) this.#steps.shift();
  }
}

/** The upper bound of the bucket, so never below the real value. Null without any values. */
function quantile(counts: readonly number[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + (count ?? 0), 0);
  if (total === 0) return null;
  let below = 0;
  for (let bucket = 0; bucket <= BOUNDS.length; bucket += 1) {
    below += counts[bucket] ?? 0;
    if (below >= total * part) return round(BOUNDS[bucket] ?? (BOUNDS.at(-1) as number));
  }
  return null;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
