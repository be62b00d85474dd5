// Observes the engine: metrics, log lines for runs and effects, and spans if a trace collector is
// configured.
import type { Logger } from 'pino';
import type { EngineObserver, RunEnded } from '#main/engine/observer.ts';
import {
  correlationFields,
  type CorrelationFields,
  type CorrelationSources,
} from '#main/observe/correlation.ts';
import { Metrics } from '#main/observe/metrics.ts';
import type { Sample } from '#main/observe/registry.ts';
import { SpanParts } from '#main/observe/span-parts.ts';
import { spanIdOf, traceIdOf, type Span } from '#main/observe/span.ts';
import type { TraceConfig } from '#main/observe/trace-config.ts';
import {
  openEffects,
  openJobs,
  pendingEvents,
  queuedJobs,
} from '#main/store/queries/queue-depths.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';

export interface ObservationOptions {
  readonly store: StoreContext;
  readonly stores: Pick<Stores, 'handlerRuns' | 'inputChain'>;
  readonly log: Logger;
  readonly version: string;
  readonly trace: TraceConfig | null;
  readonly correlationIdOf?: CorrelationSources['correlationIdOf'];
}

export interface Observation {
  readonly metrics: Metrics;
  readonly observer: EngineObserver;
  /** Registers a gauge with one sample per state. */
  gaugeByState(name: string, help: string, read: () => { readonly [state: string]: number }): void;
  start(): void;
  close(): Promise<void>;
}

export function createObservation(options: ObservationOptions): Observation {
  const { store, stores, log, trace } = options;
  const metrics = new Metrics(store.clock);
  metrics.addQueue('events', () => pendingEvents(store));
  metrics.addQueue('runner', () => queuedJobs(store));
  const gaugeByState: Observation['gaugeByState'] = (name, help, read) =>
    metrics.registry.gauge(name, help, () => byState(read()));
  gaugeByState('holdfast_effects_open', 'Effects without a final outcome, by state.', () =>
    openEffects(store),
  );
  gaugeByState('holdfast_runner_jobs', 'Unfinished runner jobs, by state.', () => openJobs(store));
  const sources: CorrelationSources = {
    run: (runId) => stores.handlerRuns.get(runId),
    inputsOf: (runId) => stores.inputChain.inputsOfRun(runId),
    correlationIdOf: options.correlationIdOf,
    spaceId: () => store.spaceId,
  };
  const exporter = trace && openExporter(trace, options);
  return {
    metrics,
    observer: catchErrors(createObserver(metrics, sources, log, exporter?.add), log),
    gaugeByState,
    start: () => metrics.start(),
    close: async () => {
      metrics.stop();
      await exporter?.close();
    },
  };
}

/** An error in the observer must not fail the run. */
function catchErrors(observer: EngineObserver, log: Logger): EngineObserver {
  const wrap =
    <Event>(observe: (event: Event) => void) =>
    (event: Event): void => {
      try {
        observe(event);
      } catch (error) {
        log.error({ err: error }, 'could not record metrics or spans');
      }
    };
  return {
    phase: wrap(observer.phase),
    effect: wrap(observer.effect),
    run: wrap(observer.run),
    spent: wrap(observer.spent),
    batch: wrap(observer.batch),
  };
}

function createObserver(
  metrics: Metrics,
  sources: CorrelationSources,
  log: Logger,
  addSpan: ((span: Span) => void) | undefined,
): EngineObserver {
  const parts = new SpanParts();
  return {
    batch: (size) => metrics.batch(size),
    spent: (spent) => metrics.spent(spent),
    phase(event) {
      metrics.phase(event);
      if (!addSpan) return;
      const { runId, phase, startedAt, ms, isOk } = event;
      parts.add(runId, {
        spanId: spanIdOf(runId, phase, startedAt),
        name: `phase ${phase}`,
        startedAt,
        ms,
        isOk,
        attributes: { 'holdfast.phase': phase },
      });
    },
    effect(event) {
      metrics.effect(event);
      const { runId, effectId, tool, outcome, startedAt, ms } = event;
      const isOk = outcome === 'applied';
      const inputs = sources.inputsOf(runId);
      const level = levelOf(isOk, inputs);
      if (log.isLevelEnabled(level)) {
        const fields = correlationFields(sources, runId, inputs);
        log[level]({ ...fields, effect_id: effectId, tool, outcome }, 'effect sent');
      }
      if (!addSpan) return;
      parts.add(runId, {
        spanId: spanIdOf(runId, effectId, startedAt),
        name: `effect ${tool}`,
        startedAt,
        ms,
        isOk,
        attributes: { 'holdfast.effect_id': effectId, 'holdfast.outcome': outcome },
      });
    },
    run(event) {
      metrics.run(event);
      const inputs = sources.inputsOf(event.runId);
      const level = levelOf(event.end === 'committed', inputs);
      if (!addSpan && !log.isLevelEnabled(level)) return;
      const fields = correlationFields(sources, event.runId, inputs);
      log[level](runLogFields(event, fields), 'run ended');
      if (!addSpan) return;
      const span = runSpan(event, fields);
      const { traceId, spanId: parentSpanId } = span;
      for (const part of parts.take(event.runId)) addSpan({ ...part, traceId, parentSpanId });
      addSpan(span);
    },
  };
}

/** The log tells the whole life of an input. Of other runs only what did not go well. */
function levelOf(isOk: boolean, inputs: readonly string[]): 'debug' | 'info' {
  return isOk && inputs.length === 0 ? 'debug' : 'info';
}

function runLogFields(
  { workflowId, handlerName, kind, end, ms }: RunEnded,
  fields: CorrelationFields,
): object {
  return { ...fields, workflow_id: workflowId, handler: handlerName, kind, end, ms };
}

function runSpan(event: RunEnded, fields: CorrelationFields): Span {
  const { runId, kind, end, startedAt, ms } = event;
  return {
    traceId: traceIdOf(fields.correlation_id),
    spanId: spanIdOf(runId),
    name: `run ${kind}`,
    startedAt,
    ms,
    isOk: end !== 'failed',
    attributes: {
      'holdfast.run_id': runId,
      'holdfast.session_id': event.sessionId,
      'holdfast.trigger_event_id': fields.trigger_event_id ?? '',
      'holdfast.correlation_id': fields.correlation_id,
      'holdfast.workflow_id': event.workflowId,
      'holdfast.handler': event.handlerName,
      'holdfast.end': end,
    },
  };
}

/** Loads the exporter lazily; spans added before then wait for it. */
function openExporter(
  config: TraceConfig,
  { store, log, version }: ObservationOptions,
): { readonly add: (span: Span) => void; close(): Promise<void> } {
  const loading = import('#main/observe/span-exporter.ts').then(
    ({ SpanExporter }) =>
      new SpanExporter({ config, version, instanceId: store.deviceId, clock: store.clock, log }),
  );
  loading.catch((error: unknown) => log.error({ err: error }, 'could not load trace exporter'));
  return {
    add: (span) => void loading.then((exporter) => exporter.add(span)).catch(() => undefined),
    close: () => loading.then((exporter) => exporter.close()).catch(() => undefined),
  };
}

function byState(counts: { readonly [state: string]: number }): Sample[] {
  return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }));
}
