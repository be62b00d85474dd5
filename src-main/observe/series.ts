// The last hour in steps of ten seconds, in memory: enough for a page, gone with the process.
// Latencies are kept as counts between fixed bounds, so a step costs the same however busy it was.
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

/** Milliseconds; each a quarter above the one before, from half a millisecond to minutes. */
const BOUNDS = Array.from({ length: 60 }, (_, n) => 0.5 * 1.25 ** n);

export class Series {
  readonly #steps: Step[] = [];

  /** Something was done, well or not, and took so long. */
  add(now: number, ms: number, isOk: boolean): void {
    const step = this.#at(now);
    step.done += 1;
    if (!isOk) step.failed += 1;
    const found = BOUNDS.findIndex((bound) => ms <= bound);
    const place = found === -1 ? BOUNDS.length : found;
    step.counts[place] = (step.counts[place] ?? 0) + 1;
  }

  /** How the queues stand: the worst that was seen in each step is kept. */
  queue(now: number, depth: number, oldestAgeMs: number): void {
    const step = this.#at(now);
    step.queueDepth = Math.max(step.queueDepth, depth);
    step.oldestAgeMs = Math.max(step.oldestAgeMs, oldestAgeMs);
  }

  /** The oldest first. Steps in which nothing was seen are left out. */
  points(now: number): MetricsPoint[] {
    this.#forget(now);
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
    // A clock that was set back adds to the newest step: the order of time stays.
    const at = Math.max(now - (now % SERIES_STEP_MS), last?.at ?? 0);
    if (last?.at === at) return last;
    const step: Step = { at, done: 0, failed: 0, counts: [], queueDepth: 0, oldestAgeMs: 0 };
    this.#steps.push(step);
    this.#forget(now);
    return step;
  }

  #forget(now: number): void {
    const before = now - SERIES_POINTS * SERIES_STEP_MS;
    while ((this.#steps[0]?.at ?? now) <= before) this.#steps.shift();
    while (this.#steps.length > SERIES_POINTS) this.#steps.shift();
  }
}

/** The upper bound of where it lies: never better than it was. Null where nothing was done. */
function quantile(counts: readonly number[], part: number): number | null {
  const total = counts.reduce((sum, count) => sum + (count ?? 0), 0);
  if (total === 0) return null;
  let below = 0;
  for (let place = 0; place <= BOUNDS.length; place += 1) {
    below += counts[place] ?? 0;
    if (below >= total * part) return round(BOUNDS[place] ?? (BOUNDS.at(-1) as number));
  }
  return null;
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
