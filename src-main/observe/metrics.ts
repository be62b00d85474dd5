// Metrics of this host, as Prometheus text and as series for the window. In memory only. Labels are
// kinds and states, never ids or names.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type {
  EffectEnded,
  EngineObserver,
  PhaseEnded,
  RunEnded,
  SpentOnCall,
} from '#main/engine/observer.ts';
import { Registry, type Sample } from '#main/observe/registry.ts';
import { Series } from '#main/observe/series.ts';
import type { MetricsSnapshot, QueueView } from '#shared/api/metrics.ts';
import type { Clock } from '#shared/clock.ts';
import { SERIES_STEP_MS } from '#shared/limits.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const BATCHES = [1, 2, 4, 8, 16];
/** Sampling the event loop ten times a second has no measurable cost. */
const LOOP_RESOLUTION_MS = 100;
const NANOSECONDS_PER_MS = 1e6;

export interface Queue {
  readonly depth: number;
  /** Age of the oldest entry; 0 if the queue is empty. */
  readonly oldestAgeMs: number;
}

export class Metrics implements EngineObserver {
  readonly registry = new Registry();
  readonly #clock: Clock;
  readonly #since: number;
  readonly #runSeries = new Series();
  readonly #queues = new Map<string, () => Queue>();
  readonly #stages = new Map<string, { done: number; failed: number; ms: number }>();
  readonly #effectCounts = new Map<string, number>();
  readonly #webhookCounts = new Map<string, number>();
  readonly #loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  #loopP99Ms = 0;
  #loopMaxMs = 0;
  #cancelTimer: () => void = () => undefined;

  readonly #runs = this.registry.counter('holdfast_runs_total', 'Runs, by kind and result.');
  readonly #runSeconds = this.registry.histogram(
    'holdfast_run_duration_seconds',
    'Duration of runs, from the first phase to the end.',
    SECONDS,
  );
  readonly #stageSeconds = this.registry.histogram(
    'holdfast_stage_duration_seconds',
    'Duration of input stages and run phases.',
    SECONDS,
  );
  readonly #stageErrors = this.registry.counter(
    'holdfast_stage_errors_total',
    'Failed input stages and run phases.',
  );
  readonly #effects = this.registry.counter(
    'holdfast_effects_total',
    'Effects sent, by tool and outcome.',
  );
  readonly #effectSeconds = this.registry.histogram(
    'holdfast_effect_duration_seconds',
    'Duration of effects, by outcome.',
    SECONDS,
  );
  readonly #costs = this.registry.counter(
    'holdfast_cost_microdollars_total',
    'Cost of calls, by tool.',
  );
  readonly #batches = this.registry.histogram(
    'holdfast_commit_batch_size',
    'Units of work per transaction.',
    BATCHES,
  );
  readonly #webhooks = this.registry.counter(
    'holdfast_webhook_answers_total',
    'Webhook responses, by status code.',
  );

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
    this.registry.gauge('holdfast_queue_depth', 'Entries, by queue.', () =>
      this.#queueSamples(({ depth }) => depth),
    );
    this.registry.gauge(
      'holdfast_queue_oldest_age_seconds',
      'Age of the oldest entry, by queue.',
      () => this.#queueSamples(({ oldestAgeMs }) => oldestAgeMs / 1000),
    );
    this.registry.gauge(
      'holdfast_event_loop_delay_seconds',
      'Event loop delay in the last ten seconds.',
      () => [
        { labels: { quantile: '0.99' }, value: this.#loopP99Ms / 1000 },
        { labels: { quantile: '1' }, value: this.#loopMaxMs / 1000 },
      ],
    );
    this.registry.gauge(
      'holdfast_start_time_seconds',
      'Start time of the host, in seconds since 1970.',
      () => this.#since / 1000,
    );
  }

  /** Samples queues and event loop every ten seconds. */
  start(): void {
    this.#loop.enable();
    this.#scheduleSample();
  }

  stop(): void {
    this.#cancelTimer();
    this.#loop.disable();
  }

  /** `read` is called regularly and must be cheap, also with a large history. */
  addQueue(name: string, read: () => Queue): void {
    this.#queues.set(name, read);
  }

  stage(stage: string, ms: number, isOk: boolean): void {
    this.#stageSeconds.observe({ stage }, ms / 1000);
    if (!isOk) this.#stageErrors.add({ stage });
    const known = this.#stages.get(stage) ?? { done: 0, failed: 0, ms: 0 };
    known.done += 1;
    known.ms += ms;
    if (!isOk) known.failed += 1;
    this.#stages.set(stage, known);
  }

  webhookAnswered(code: number): void {
    this.#webhooks.add({ code: String(code) });
    count(this.#webhookCounts, String(code));
  }

  phase({ phase, ms, isOk }: PhaseEnded): void {
    this.stage(phase, ms, isOk);
  }

  effect({ tool, outcome, ms }: EffectEnded): void {
    this.#effects.add({ tool, outcome });
    this.#effectSeconds.observe({ outcome }, ms / 1000);
    count(this.#effectCounts, outcome);
  }

  run({ kind, end, ms }: RunEnded): void {
    this.#runs.add({ kind, end });
    this.#runSeconds.observe({ kind }, ms / 1000);
    this.#runSeries.add(this.#clock.now(), ms, end !== 'failed');
  }

  spent({ tool, microdollars }: SpentOnCall): void {
    this.#costs.add({ tool }, microdollars);
  }

  batch(size: number): void {
    this.#batches.observe({}, size);
  }

  /** Prometheus, text format 0.0.4. */
  text(): string {
    return this.registry.text();
  }

  snapshot(): MetricsSnapshot {
    const now = this.#clock.now();
    this.#sampleQueues();
    return {
      at: now,
      since: this.#since,
      stepMs: SERIES_STEP_MS,
      runs: this.#runSeries.points(now),
      stages: [...this.#stages].map(([name, { done, failed, ms }]) => ({
        name,
        done,
        failed,
        meanMs: ms / done,
      })),
      effects: Object.fromEntries(this.#effectCounts),
      webhooks: Object.fromEntries(this.#webhookCounts),
      queues: this.#readQueues(),
      eventLoopDelayP99Ms: this.#loopP99Ms,
    };
  }

  #scheduleSample(): void {
    this.#cancelTimer = this.#clock.wakeAt(this.#clock.now() + SERIES_STEP_MS, () => {
      this.#scheduleSample();
      this.#sampleQueues();
      this.#loopP99Ms = this.#loop.percentile(99) / NANOSECONDS_PER_MS;
      this.#loopMaxMs = this.#loop.max / NANOSECONDS_PER_MS;
      this.#loop.reset();
    });
  }

  #sampleQueues(): void {
    const queues = this.#readQueues();
    const depth = queues.reduce((sum, queue) => sum + queue.depth, 0);
    const oldest = Math.max(0, ...queues.map(({ oldestAgeMs }) => oldestAgeMs));
    this.#runSeries.queue(this.#clock.now(), depth, oldest);
  }

  #readQueues(): QueueView[] {
    return [...this.#queues].map(([name, read]) => ({ name, ...read() }));
  }

  #queueSamples(value: (queue: Queue) => number): Sample[] {
    return this.#readQueues().map((queue) => ({
      labels: { queue: queue.name },
      value: value(queue),
    }));
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
