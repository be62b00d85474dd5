// Metrics and log lines of the engine, and access to /metrics.
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { createObservation, type Observation } from '#main/observe/observation.ts';
import { correlationFields, correlationIdFrom } from '#main/observe/correlation.ts';
import { Metrics } from '#main/observe/metrics.ts';
import { automationRunId } from '#shared/ids.ts';
import { contract } from '#shared/api/contract.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';
import { succeed } from '#test/support/api-calls.ts';
import { errorOf, send } from '#test/support/http-client.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { parsePrometheus } from '#test/support/parse-prometheus.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

interface Observed extends EngineUnderTest {
  readonly observation: Observation;
  readonly lines: { readonly [field: string]: unknown }[];
  readonly samples: () => ReadonlyMap<string, number>;
}

function startObserved(level = 'debug'): Observed {
  const store: OpenStore = openStore();
  const lines: { [field: string]: unknown }[] = [];
  const log = pino(
    { level, base: null },
    { write: (line) => void lines.push(JSON.parse(line) as { [field: string]: unknown }) },
  );
  const observation = createObservation({
    store: store.context,
    stores: store,
    log,
    version: '1',
    trace: null,
    correlationIdOf: (id) => `given-for-${id}`,
  });
  const engine = startEngine({ store, observer: observation.observer });
  const samples = (): ReadonlyMap<string, number> =>
    parsePrometheus(observation.metrics.text()).samples;
  return { ...engine, observation, lines, samples };
}

describe('metrics of the engine', () => {
  test('[MX-3] count runs, phases, effects and batches', async () => {
    const { add, publish, outside, samples } = startObserved();
    const workflowId = await add(POSTER);
    await publish(workflowId, 'in', 'm1');
    outside.answers.push({ type: 'failed', errorType: 'logic', error: 'no' });
    await publish(workflowId, 'in', 'm2');
    const read = samples();
    expect(read.get('holdfast_runs_total{kind="consumer",end="committed"}')).toBe(1);
    expect(read.get('holdfast_runs_total{kind="consumer",end="failed"}')).toBeGreaterThanOrEqual(1);
    expect(read.get('holdfast_effects_total{tool="outside",outcome="applied"}')).toBe(1);
    expect(read.get('holdfast_effects_total{tool="outside",outcome="failed"}')).toBe(1);
    expect(read.get('holdfast_stage_duration_seconds_count{stage="prepare"}')).toBeGreaterThan(1);
    expect(read.get('holdfast_stage_duration_seconds_count{stage="mutate"}')).toBeGreaterThan(1);
    expect(read.get('holdfast_stage_duration_seconds_count{stage="next"}')).toBe(1);
    expect(read.get('holdfast_commit_batch_size_count')).toBeGreaterThan(3);
    expect(read.get('holdfast_commit_batch_size_bucket{le="1"}')).toBeGreaterThan(0);
  });

  test('[MX-3] count a failing phase as an error of its stage', async () => {
    const { add, publish, samples } = startObserved();
    const workflowId = await add(
      POSTER.replace(
        'async mutate(ctx, prepared) {',
        'async mutate(ctx, prepared) { throw new Error("no");',
      ),
    );
    await publish(workflowId, 'in', 'm1');
    const failed = samples().get('holdfast_stage_errors_total{stage="mutate"}');
    expect(failed).toBeGreaterThan(0);
    expect(samples().get('holdfast_stage_duration_seconds_count{stage="mutate"}')).toBe(failed);
  });

  test('[MX-3] show current queue depths and open effects', async () => {
    const { add, publish, outside, samples, store, observation } = startObserved();
    const workflowId = await add(POSTER);
    outside.answers.push({ type: 'ambiguous', error: 'lost' });
    await publish(workflowId, 'in', 'm1');
    await publish(workflowId, 'in', 'm2');
    await store.clock.advance(5000);
    const read = samples();
    expect(read.get('holdfast_effects_open{state="indeterminate"}')).toBe(1);
    expect(read.get('holdfast_effects_total{tool="outside",outcome="ambiguous"}')).toBe(1);
    expect(read.get('holdfast_runs_total{kind="consumer",end="suspended"}')).toBe(1);
    expect(read.get('holdfast_queue_depth{queue="events"}')).toBe(1);
    expect(read.get('holdfast_queue_oldest_age_seconds{queue="events"}')).toBe(5);
    expect(read.get('holdfast_queue_depth{queue="runner"}')).toBe(0);
    const { queues, runs } = observation.metrics.snapshot();
    expect(queues).toContainEqual({ name: 'events', depth: 1, oldestAgeMs: 5000 });
    expect(runs.at(-1)).toMatchObject({ queueDepth: 1, oldestAgeMs: 5000 });
  });

  test('[MX-4] contain no ids, names or payloads', async () => {
    const { add, publish, runs, observation } = startObserved();
    const workflowId = await add(POSTER);
    const eventId = await publish(workflowId, 'in', 'message-id', { secret: 'payload' });
    const text = observation.metrics.text();
    for (const value of [
      workflowId,
      eventId,
      'message-id',
      'payload',
      'Poster',
      runs(workflowId)[0]?.id,
    ]) {
      expect(text).not.toContain(value);
    }
  });

  test('[MX-9] an error in the observer is logged, and the run commits', async () => {
    const { add, publish, runs, observation, lines } = startObserved();
    observation.metrics.run = () => {
      throw new Error('broken observer');
    };
    const workflowId = await add(POSTER);
    await publish(workflowId, 'in', 'm1');
    expect(runs(workflowId)[0]?.state.phase).toBe('committed');
    expect(
      lines.filter(({ msg }) => msg === 'could not record metrics or spans').length,
    ).toBeGreaterThan(0);
    expect(lines.filter(({ msg }) => msg === 'workflow lane crashed')).toEqual([]);
  });
});

describe('log lines', () => {
  test('[MX-6] have the ids of automation run, run, session, input and organization, and the correlation id', async () => {
    const { add, store, engine, idle, lines, runs } = startObserved();
    const workflowId = await add(POSTER);
    const topic = store.topics.ensure(workflowId, 'in');
    store.events.publish({ topic, messageId: 'm', title: 't', payload: null, causedBy: 'input-1' });
    engine.wake(workflowId);
    await idle();
    const [run] = runs(workflowId);
    const fields = {
      run_id: automationRunId('input-1'),
      handler_run_id: run?.id,
      session_id: run?.scriptRunId,
      trigger_event_id: 'input-1',
      correlation_id: 'given-for-input-1',
      organization_id: 'space-1',
    };
    const about = (msg: string): unknown => lines.find((line) => line['msg'] === msg);
    expect(about('effect sent')).toMatchObject({ ...fields, outcome: 'applied' });
    expect(about('run ended')).toMatchObject({ ...fields, end: 'committed', handler: 'post' });
  });

  test('[MX-6] about runs without an input are written at level info for failures only', async () => {
    const { add, publish, outside, lines } = startObserved('info');
    const workflowId = await add(POSTER);
    await publish(workflowId, 'in', 'm1');
    expect(lines).toEqual([]);
    outside.answers.push({ type: 'ambiguous', error: 'lost' });
    await publish(workflowId, 'in', 'm2');
    expect(lines.map(({ msg }) => msg)).toEqual(['effect sent', 'run ended']);
    // A run without an input uses its own id.
    expect(lines[0]?.['correlation_id']).toBe(lines[0]?.['handler_run_id']);
    expect(lines[0]?.['run_id']).toBeNull();
    expect(lines[0]?.['trigger_event_id']).toBeNull();
  });

  test('[MX-6] use the correlation id of the sender, if it is short visible ASCII', () => {
    expect(correlationIdFrom({ 'x-correlation-id': ' a-1 ', 'x-request-id': 'b' })).toBe('a-1');
    expect(correlationIdFrom({ 'x-request-id': 'b' })).toBe('b');
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
    expect(correlationIdFrom({ traceparent: `00-${trace}-00f067aa0ba902b7-01` })).toBe(trace);
    for (const bad of ['', ' ', 'a b', 'a\nb', 'é', 'x'.repeat(201)]) {
      expect(correlationIdFrom({ 'x-correlation-id': bad })).toBeUndefined();
    }
    expect(correlationIdFrom({})).toBeUndefined();
    const sources = { run: () => undefined, inputsOf: () => [], spaceId: () => 's' };
    expect(correlationFields(sources, 'r')).toEqual({
      run_id: null,
      handler_run_id: 'r',
      session_id: null,
      trigger_event_id: null,
      organization_id: 's',
      correlation_id: 'r',
    });
  });
});

describe('metrics of other parts', () => {
  test('[CO-12] the costs of reads and effects are counted by tool', async () => {
    const { add, publish, store, outside, samples } = startObserved();
    const workflowId = await add(
      POSTER.replace('if (!event)', 'await ctx.tools.outside.get({}); if (!event)'),
    );
    store.grants.set(workflowId, 'outside', {});
    outside.costs.push({ microdollars: 3 }, { microdollars: 12_300 });
    await publish(workflowId, 'in', 'm1');
    expect(samples().get('holdfast_cost_microdollars_total{tool="outside"}')).toBe(12_303);
  });

  test('[MX-3] input stages, webhook responses and added queues are in text and snapshot', () => {
    const metrics = new Metrics(createVirtualClock());
    metrics.stage('enrich', 250, true);
    metrics.stage('enrich', 750, false);
    metrics.webhookAnswered(202);
    metrics.webhookAnswered(202);
    metrics.webhookAnswered(401);
    metrics.addQueue('outbox', () => ({ depth: 4, oldestAgeMs: 1500 }));
    const { samples, types } = parsePrometheus(metrics.text());
    expect(samples.get('holdfast_stage_duration_seconds_sum{stage="enrich"}')).toBe(1);
    expect(samples.get('holdfast_stage_errors_total{stage="enrich"}')).toBe(1);
    expect(samples.get('holdfast_webhook_answers_total{code="202"}')).toBe(2);
    expect(samples.get('holdfast_queue_depth{queue="outbox"}')).toBe(4);
    expect(samples.get('holdfast_queue_oldest_age_seconds{queue="outbox"}')).toBe(1.5);
    expect(types.get('holdfast_stage_duration_seconds')).toBe('histogram');
    const snapshot = contract['metrics.snapshot'].output.parse(metrics.snapshot());
    expect(snapshot).toMatchObject({
      stages: [{ name: 'enrich', done: 2, failed: 1, meanMs: 500 }],
      webhooks: { 202: 2, 401: 1 },
      queues: [{ name: 'outbox', depth: 4, oldestAgeMs: 1500 }],
    });
  });

  test('[MX-5] queues are sampled every ten seconds until stop', async () => {
    const clock = createVirtualClock();
    const metrics = new Metrics(clock);
    let reads = 0;
    metrics.addQueue('outbox', () => ({ depth: (reads += 1), oldestAgeMs: 0 }));
    metrics.start();
    await clock.advance(60_000);
    expect(reads).toBe(6);
    metrics.stop();
    await clock.advance(60_000);
    expect(reads).toBe(6);
    expect(metrics.snapshot().runs.map(({ queueDepth }) => queueDepth)).toEqual([
      1, 2, 3, 4, 5, 6, 7,
    ]);
  });
});

describe('/metrics', () => {
  afterEach(() => {
    delete process.env['HOLDFAST_METRICS_OPEN'];
  });

  test('[MX-1] [MX-2] returns Prometheus text for a request with the token', async () => {
    const { url, token } = await serveInProcess();
    const headers = { Authorization: `Bearer ${token}` };
    const answer = await send(url, { path: '/metrics', headers });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { types, samples } = parsePrometheus(answer.text);
    expect(types.get('holdfast_sync_sessions')).toBe('gauge');
    expect(
      samples.get('holdfast_event_loop_delay_seconds{quantile="0.99"}'),
    ).toBeGreaterThanOrEqual(0);
    expect(samples.get('holdfast_start_time_seconds')).toBeGreaterThan(1.7e9);
  });

  test('[MX-2] refuses a missing or wrong token, another method and another Host', async () => {
    const { url, token } = await serveInProcess();
    for (const headers of [{}, { Authorization: 'Bearer wrong' }]) {
      const answer = await send(url, { path: '/metrics', headers });
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain('holdfast_');
    }
    const headers = { Authorization: `Bearer ${token}` };
    const post = await send(url, { method: 'POST', path: '/metrics', headers });
    expect([post.status, errorOf(post).message]).toEqual([404, 'Metrics accept only GET.']);
    const otherHost = await send(url, {
      path: '/metrics',
      headers: { ...headers, Host: 'evil.example' },
    });
    expect(otherHost.status).toBe(403);
  });

  test('[MX-2] needs no token if HOLDFAST_METRICS_OPEN is true, but still a loopback Host', async () => {
    process.env['HOLDFAST_METRICS_OPEN'] = 'true';
    const { url } = await serveInProcess();
    expect((await send(url, { path: '/metrics' })).status).toBe(200);
    expect((await send(url, { path: '/metrics', headers: { Host: 'evil.example' } })).status).toBe(
      403,
    );
    process.env['HOLDFAST_METRICS_OPEN'] = 'false';
    expect((await send(url, { path: '/metrics' })).status).toBe(401);
  });

  test('[MX-5] has a snapshot call with queues and one series point', async () => {
    const { host } = await serveInProcess();
    const snapshot = await succeed(host.dispatch, 'metrics.snapshot', {});
    expect(snapshot.queues.map(({ name }) => name)).toEqual(['events', 'runner', 'outbox']);
    expect(snapshot.runs.length).toBe(1);
    expect(snapshot.stepMs).toBe(10_000);
  });
});
