// Traces, received by a real HTTP collector.
import { describe, expect, test } from 'vitest';
import { StartError } from '#main/platform/start-error.ts';
import { createSilentLog } from '#main/host/log.ts';
import { createObservation, type Observation } from '#main/observe/observation.ts';
import { spanIdOf, traceIdOf, type Span } from '#main/observe/span.ts';
import { traceConfig } from '#main/observe/trace-config.ts';
import { SpanExporter } from '#main/observe/span-exporter.ts';
import { createVirtualClock, type VirtualClock } from '#test/support/virtual-clock.ts';
import { TRACE_BATCH, TRACE_FLUSH_MS, TRACE_MAX_QUEUED } from '#shared/limits.ts';
import { eventually } from '#test/support/eventually.ts';
import { openStore } from '#test/support/open-store.ts';
import { runNode } from '#test/support/child-processes.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { attributesOf, startCollector, type Collector } from '#test/support/trace-collector.ts';

function startTraced(collector: Collector): EngineUnderTest & { observation: Observation } {
  const store = openStore();
  const trace = traceConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b,authorization=Bearer t',
  });
  const observation = createObservation({
    store: store.context,
    stores: store,
    log: createSilentLog(),
    version: '1.2.3',
    trace,
  });
  return { ...startEngine({ store, observer: observation.observer }), observation };
}

describe('the spans of a run', () => {
  test('[MX-7] are run, phases and effect in one trace, derived from the input', async () => {
    const collector = await startCollector();
    const { add, store, engine, idle, runs, observation } = startTraced(collector);
    const workflowId = await add(POSTER);
    const topic = store.topics.ensure(workflowId, 'in');
    const payload = { note: 'what a person wrote' };
    store.events.publish({ topic, messageId: 'm', title: 'a title', payload, causedBy: 'input-1' });
    engine.wake(workflowId);
    await idle();
    await observation.close();

    expect(collector.problems).toEqual([]);
    const [run] = runs(workflowId);
    const ours = collector.spans.filter(({ traceId }) => traceId === traceIdOf('input-1'));
    expect(ours.map(({ name }) => name).toSorted()).toEqual([
      'effect outside',
      'phase mutate',
      'phase next',
      'phase prepare',
      'run consumer',
    ]);
    const parent = ours.find(({ name }) => name === 'run consumer');
    expect(parent?.spanId).toBe(spanIdOf(run?.id ?? ''));
    expect(parent?.parentSpanId).toBeUndefined();
    expect(attributesOf(parent as never)).toMatchObject({
      'holdfast.run_id': run?.id,
      'holdfast.session_id': run?.scriptRunId,
      'holdfast.trigger_event_id': 'input-1',
      'holdfast.end': 'committed',
    });
    for (const span of ours.filter((other) => other !== parent)) {
      expect(span.parentSpanId).toBe(parent?.spanId);
      expect(span.status.code).toBe(1);
    }
    expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(collector.spans.length);
  });

  test('[MX-7] are sent with the configured headers and service name, without payloads or errors', async () => {
    const collector = await startCollector();
    const { add, publish, observation, outside } = startTraced(collector);
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'failed', errorType: 'logic', error: 'a private reason' });
    await publish(workflowId, 'in', 'private-message-id', { note: 'what a person wrote' });
    await observation.close();
    expect(collector.requests[0]).toMatchObject({
      path: 'POST /v1/traces',
      headers: {
        'content-type': 'application/json',
        'x-team': 'a b',
        authorization: 'Bearer t',
      },
    });
    const all = collector.bodies.join();
    expect(all).toContain('"service.name","value":{"stringValue":"holdfast"}');
    expect(all).toContain('1.2.3');
    expect(all).not.toMatch(/what a person wrote|private/);
    const effect = collector.spans.find(({ name }) => name === 'effect outside');
    expect(effect?.status.code).toBe(2);
  });

  test('[MX-7] use a valid trace id of the sender; other ids are hashed to 32 hex digits', () => {
    const given = '4bf92f3577b34da6a3ce929d0e0e4736';
    expect(traceIdOf(given)).toBe(given);
    for (const id of ['x', '0'.repeat(32), given.toUpperCase()]) {
      expect(traceIdOf(id)).toMatch(/^[0-9a-f]{32}$/);
      expect(traceIdOf(id)).not.toBe(id);
    }
  });
});

describe('the configuration', () => {
  test('[MX-7] comes from the OpenTelemetry variables; an invalid URL throws', () => {
    expect(traceConfig({})).toBeNull();
    expect(traceConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toBeNull();
    expect(traceConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:4318/' })?.url).toBe(
      'http://h:4318/v1/traces',
    );
    const exact = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://h/t', OTEL_SERVICE_NAME: 's' };
    expect(traceConfig({ ...exact, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://other' })).toEqual({
      url: 'https://h/t',
      headers: {},
      serviceName: 's',
    });
    for (const bad of ['nonsense', 'ftp://h', 'h:4318']) {
      expect(() => traceConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: bad })).toThrow(StartError);
    }
  });

  test('[MX-7] importing the host does not load the exporter', async () => {
    const code = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
      await import('#main/host/host.ts');
      console.log(JSON.stringify(loaded.filter((url) => url.includes('/observe/'))));
    `;
    const { stdout, stderr } = await runNode('--input-type=module', ['--eval', code]);
    expect(stderr).toBe('');
    expect(stdout).toContain('/observe/observation.ts');
    expect(stdout).not.toContain('/observe/span-exporter.ts');
  });
});

describe('the exporter', () => {
  const span = (n: number): Span => ({
    traceId: traceIdOf(`t${n}`),
    spanId: spanIdOf(n),
    name: `span ${n}`,
    startedAt: 1_800_000_000_000 + n,
    ms: 1.5,
    isOk: true,
    attributes: { n, part: 0.5, yes: true },
  });

  function openExporter(url: string): { exporter: SpanExporter; clock: VirtualClock } {
    const clock = createVirtualClock();
    const config = { url, headers: {}, serviceName: 's' };
    const log = createSilentLog();
    return {
      exporter: new SpanExporter({ config, version: '1', instanceId: 'i', clock, log }),
      clock,
    };
  }

  test('[MX-8] sends queued spans in one request after five seconds', async () => {
    const collector = await startCollector();
    const { exporter, clock } = openExporter(collector.url);
    for (let n = 0; n < 10; n += 1) exporter.add(span(n));
    expect(collector.requests).toEqual([]);
    await clock.advance(TRACE_FLUSH_MS);
    await eventually(() => expect(collector.spans.length).toBe(10));
    expect(collector.requests.length).toBe(1);
    expect(collector.problems).toEqual([]);
    expect(collector.spans[3]).toMatchObject({
      startTimeUnixNano: '1800000000003000000',
      endTimeUnixNano: '1800000000004500000',
    });
  });

  test.each([429, 502, 503, 504, null])('[MX-8] retries after the answer %s', async (answer) => {
    const collector = await startCollector();
    const { exporter, clock } = openExporter(collector.url);
    collector.answers.push(answer, answer);
    exporter.add(span(1));
    for (const tries of [1, 2]) {
      await exporter.flush();
      expect(collector.requests.length).toBe(tries);
    }
    expect(collector.spans).toEqual([]);
    // The scheduled retry delivers the span.
    await eventually(async () => {
      await clock.advance(60_000);
      expect(collector.spans.length).toBe(1);
    });
    expect(exporter.dropped).toBe(0);
  });

  test('[MX-8] drops a batch refused with 400 and sends the next', async () => {
    const collector = await startCollector();
    const { exporter } = openExporter(collector.url);
    collector.answers.push(400);
    exporter.add(span(1));
    await exporter.flush();
    exporter.add(span(2));
    await exporter.flush();
    expect(collector.spans.map(({ name }) => name)).toEqual(['span 2']);
    expect(exporter.dropped).toBe(1);
  });

  test('[MX-8] drops spans beyond the queue limit while no collector is reachable', async () => {
    const collector = await startCollector();
    const { exporter } = openExporter('http://127.0.0.1:1/v1/traces');
    for (let n = 0; n < TRACE_MAX_QUEUED + TRACE_BATCH; n += 1) exporter.add(span(n));
    await exporter.flush();
    for (let n = 0; n < TRACE_MAX_QUEUED; n += 1) exporter.add(span(10_000 + n));
    await exporter.flush();
    expect(exporter.dropped).toBe(TRACE_MAX_QUEUED + TRACE_BATCH);
    expect(collector.requests).toEqual([]);
    await exporter.close();
  });

  test('[MX-8] sends batches, sends the rest on close, and nothing afterwards', async () => {
    const collector = await startCollector();
    const { exporter } = openExporter(collector.url);
    for (let n = 0; n < 2 * TRACE_BATCH + 3; n += 1) exporter.add(span(n));
    await exporter.close();
    expect(collector.spans.length).toBe(2 * TRACE_BATCH + 3);
    expect(collector.requests.length).toBe(3);
    exporter.add(span(1));
    await exporter.flush();
    expect(collector.requests.length).toBe(3);
  });

  test('[MX-8] does not follow a redirect', async () => {
    const collector = await startCollector();
    const { exporter } = openExporter(collector.url);
    collector.answers.push(307);
    exporter.add(span(1));
    await exporter.flush();
    expect(collector.requests.length).toBe(1);
    expect(collector.spans).toEqual([]);
  });
});
