// What looks on while the host works: figures always, log lines for what people look for later, and
// spans where a collector is configured.
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
  readonly stores: Pick<Stores, 'handlerRuns'>;
  readonly log: Logger;
  readonly version: string;
  readonly trace: TraceConfig | null;
  readonly correlationIdOf?: CorrelationSources['correlationIdOf'];
}

export interface Observation {
  readonly metrics: Metrics;
  readonly observer: EngineObserver;
  /** By state, whatever is counted so. */
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
  gaugeByState('holdfast_effects_open', 'Effects whose outcome is not settled, by state.', () =>
    openEffects(store),
  );
  gaugeByState('holdfast_runner_jobs', 'Jobs of the runner that are not over, by state.', () =>
    openJobs(store),
  );
  const sources: CorrelationSources = {
    run: (runId) => stores.handlerRuns.get(runId),
    correlationIdOf: options.correlationIdOf,
    spaceId: () => store.spaceId,
  };
  const fieldsOf = (runId: string): CorrelationFields => correlationFields(sources, runId);
  const exporter = trace && openExporter(trace, options);
  return {
    metrics,
    observer: guarded(createObserver(metrics, fieldsOf, log, exporter?.add), log),
    gaugeByState,
    start: () => metrics.start(),
    close: async () => {
      metrics.stop();
      await exporter?.close();
    },
  };
}

/** Who looks on can break nothing. */
function guarded(observer: EngineObserver, log: Logger): EngineObserver {
  const guard =
    <Told>(tell: (told: Told) => void) =>
    (told: Told): void => {
      try {
        tell(told);
      } catch (error) {
        log.error({ err: error }, 'what happened could not be observed');
      }
    };
  return {
    phase: guard(observer.phase),
    effect: guard(observer.effect),
    run: guard(observer.run),
    batch: guard(observer.batch),
  };
}

function createObserver(
  metrics: Metrics,
  fieldsOf: (runId: string) => CorrelationFields,
  log: Logger,
  addSpan: ((span: Span) => void) | undefined,
): EngineObserver {
  const parts = new SpanParts();
  return {
    batch: (size) => metrics.batch(size),
    phase(told) {
      metrics.phase(told);
      if (!addSpan) return;
      const { runId, phase, startedAt, ms, isOk } = told;
      parts.add(runId, {
        spanId: spanIdOf(runId, phase, startedAt),
        name: `phase ${phase}`,
        startedAt,
        ms,
        isOk,
        attributes: { 'holdfast.phase': phase },
      });
    },
    effect(told) {
      metrics.effect(told);
      const { runId, effectId, tool, outcome, startedAt, ms } = told;
      const isOk = outcome === 'applied';
      const level = isOk ? 'debug' : 'info';
      if (log.isLevelEnabled(level)) {
        log[level](
          { ...fieldsOf(runId), effect_id: effectId, tool, outcome },
          'an effect was sent',
        );
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
    run(told) {
      metrics.run(told);
      const level = told.end === 'committed' ? 'debug' : 'info';
      if (!addSpan && !log.isLevelEnabled(level)) return;
      const fields = fieldsOf(told.runId);
      log[level](runLine(told, fields), 'a run ended');
      if (!addSpan) return;
      const span = runSpan(told, fields);
      const { traceId, spanId: parentSpanId } = span;
      for (const part of parts.take(told.runId)) addSpan({ ...part, traceId, parentSpanId });
      addSpan(span);
    },
  };
}

function runLine(
  { workflowId, handlerName, kind, end, ms }: RunEnded,
  fields: CorrelationFields,
): object {
  return { ...fields, workflow_id: workflowId, handler: handlerName, kind, end, ms };
}

function runSpan(told: RunEnded, fields: CorrelationFields): Span {
  const { runId, kind, end, startedAt, ms } = told;
  return {
    traceId: traceIdOf(fields.correlation_id),
    spanId: spanIdOf(runId),
    name: `run ${kind}`,
    startedAt,
    ms,
    isOk: end !== 'failed',
    attributes: {
      'holdfast.run_id': runId,
      'holdfast.session_id': told.sessionId,
      'holdfast.trigger_event_id': fields.trigger_event_id ?? '',
      'holdfast.correlation_id': fields.correlation_id,
      'holdfast.workflow_id': told.workflowId,
      'holdfast.handler': told.handlerName,
      'holdfast.end': end,
    },
  };
}

/** What is traced before the exporter is loaded waits for it. */
function openExporter(
  config: TraceConfig,
  { store, log, version }: ObservationOptions,
): { readonly add: (span: Span) => void; close(): Promise<void> } {
  const loading = import('#main/observe/trace.ts').then(
    ({ SpanExporter }) =>
      new SpanExporter({ config, version, instanceId: store.deviceId, clock: store.clock, log }),
  );
  loading.catch((error: unknown) => log.error({ err: error }, 'traces cannot be sent'));
  return {
    add: (span) => void loading.then((exporter) => exporter.add(span)).catch(() => undefined),
    close: () => loading.then((exporter) => exporter.close()).catch(() => undefined),
  };
}

function byState(counts: { readonly [state: string]: number }): Sample[] {
  return Object.entries(counts).map(([state, value]) => ({ labels: { state }, value }));
}
