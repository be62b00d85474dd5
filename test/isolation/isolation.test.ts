// One row or one workflow that can't be handled stops nothing else: decisions, lanes and merges of an
// engine with rows that a peer sent.
import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { flawOf, ROW_SHAPES } from '#shared/row-shapes.ts';
import { handlerStateId, mutationId, topicId } from '#shared/ids.ts';
import type { Json, JsonObject } from '#shared/json.ts';
import { DECISION_RETRY_MS, REFUSED_WORK_BASE_MS } from '#shared/limits.ts';
import { frameOfRows, templatesOf } from '#test/isolation/hostile-rows.ts';
import { fillDisk } from '#test/support/full-disk.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { mergeInto } from '#test/sync/changes/two-stores.ts';

const lost = { type: 'ambiguous', error: 'the connection was cut' } as const;

interface Sent {
  readonly table: string;
  readonly key: readonly (string | number)[];
  readonly columns: { readonly [column: string]: Json };
}

/** A peer sends one row; a later one counts more than an earlier one and than ours. */
function send(store: OpenStore, { table, key, columns }: Sent): void {
  const after = store.peerCursors.get('peer')?.version ?? 0;
  mergeInto(store, 'peer', frameOfRows(store.db, table, [{ key, columns }], after, 100 + after));
}

async function startTwo(): Promise<EngineUnderTest & { victim: string; healthy: string }> {
  const engine = startEngine();
  const victim = await engine.add(POSTER);
  const healthy = await engine.add(POSTER.replace('Poster', 'Healthy'), 'healthy');
  for (const id of [victim, healthy]) engine.store.grants.set(id, 'outside', {});
  return { ...engine, victim, healthy };
}

let published = 0;

async function runs({ publish, outside }: EngineUnderTest, workflowId: string): Promise<boolean> {
  const before = outside.arrived.length;
  published += 1;
  await publish(workflowId, 'in', `message-${published}`);
  return outside.arrived.length === before + 1;
}

describe('decisions', () => {
  it.each(['mutated', 'emitting', 'committed'])(
    '[IS-4] that an effect did not happen never restart a run that is %s',
    async (phase) => {
      const engine = await startTwo();
      const { store, victim } = engine;
      engine.outside.answers.push(lost);
      await engine.publish(victim, 'in', 'first');
      const run = engine.runs(victim)[0] ?? expect.fail();
      // A pause keeps the lane from continuing the run before the decision is carried out.
      store.workflows.setStatus(victim, 'paused');
      send(store, { table: 'handler_runs', key: [run.id], columns: { progress: { phase } } });
      const decided = engine.engine.decisions.settle('r', {
        workflowId: victim,
        mutationId: mutationId(run.id),
        resolution: 'user_assert_failed',
      });
      expect(decided.status).toBe('superseded');
      await engine.idle();
      expect(engine.runs(victim).map(({ id }) => id)).toEqual([run.id]);
      expect(engine.outside.arrived.length).toBe(1);
    },
  );

  it('[IS-4] about an effect whose run has continued are superseded, at start and after a merge, and the others are carried out', async () => {
    const engine = await startTwo();
    const { store, victim, healthy } = engine;
    engine.outside.answers.push(lost);
    await engine.publish(victim, 'in', 'first');
    const run = engine.runs(victim)[0] ?? expect.fail();
    // As after a power cut of a device whose peer had heard more: committed, and its effect unknown.
    const progress = { phase: 'committed', end_timestamp: '2026-01-01T00:00:00.000Z' };
    send(store, { table: 'handler_runs', key: [run.id], columns: { progress } });
    const decision = { workflowId: victim, resolution: 'user_assert_failed' } as const;
    store.resolutions.add('r1', { ...decision, mutationId: mutationId(run.id) });
    store.intents.add('i1', victim, { kind: 'pause', reason: 'later' });
    const again = engine.restart();
    expect(store.resolutions.get('r1')?.status).toBe('superseded');
    expect(store.workflows.get(victim)?.status).toBe('paused');
    expect(store.mutations.ofRun(run.id)?.state.status).toBe('indeterminate');
    const facts = {
      workflow_id: victim,
      mutation_id: mutationId(run.id),
      resolution: 'user_retry',
      confirmed: true,
      device_id: 'peer',
      created_at: 1,
    };
    const columns = { facts, outcome: { status: 'waiting' } };
    send(store, { table: 'resolutions', key: ['r2'], columns });
    expect(store.resolutions.get('r2')?.status).toBe('superseded');
    expect(engine.outside.arrived.length).toBe(1);
    expect(await runs(again, healthy)).toBe(true);
    expect(store.refusedRows.list()).toEqual([]);
  });

  it('[IS-4] one that fails is refused with its reason and tried again at the next start; the others are carried out', async () => {
    const engine = await startTwo();
    const { store, victim, healthy } = engine;
    const effect = { table: 'mutations', key: ['m'], columns: { outcome: { status: 'failed' } } };
    send(store, effect);
    store.resolutions.add('r1', {
      mutationId: 'm',
      workflowId: victim,
      resolution: 'user_skip',
    });
    store.intents.add('i1', victim, { kind: 'pause', reason: 'later' });
    const again = engine.restart();
    expect(store.refusedRows.get('resolutions:r1')?.reason).toContain('facts: is missing');
    expect(store.workflows.get(victim)?.status).toBe('paused');
    await again.pass(3_600_000);
    expect(store.refusedRows.get('resolutions:r1')?.times).toBe(1);
    expect(await runs(again, healthy)).toBe(true);
  });

  it('[IS-4] one of this device that fails is refused with its reason at once, and not tried every few seconds', async () => {
    const engine = await startTwo();
    const { store, victim } = engine;
    engine.outside.answers.push(lost);
    await engine.publish(victim, 'in', 'first');
    const mutation = mutationId(engine.runs(victim)[0]?.id ?? '');
    store.db.run(`CREATE TEMP TRIGGER bug BEFORE UPDATE ON resolutions
      BEGIN SELECT RAISE(ABORT, 'a bug'); END`);
    const decision = { workflowId: victim, mutationId: mutation, resolution: 'user_skip' } as const;
    const { decisions } = engine.engine;
    expect(() => decisions.settle('r', decision)).toThrow('a bug');
    await engine.pass(3_600_000);
    expect(store.refusedRows.get('resolutions:r')).toMatchObject({ times: 1, reason: 'a bug' });
    expect(store.mutations.get(mutation)?.state.status).toBe('indeterminate');
    store.db.run('DROP TRIGGER bug');
    engine.restart();
    expect(store.resolutions.get('r')?.status).toBe('done');
  });

  it('[DT-6] [IS-4] those that a merge brings while the disk is full are carried out when it works again, with all others', async () => {
    const engine = await startTwo();
    const { store, victim, healthy } = engine;
    engine.outside.answers.push(lost);
    await engine.publish(victim, 'in', 'first');
    const mutation = mutationId(engine.runs(victim)[0]?.id ?? '');
    const common = { workflow_id: victim, device_id: 'peer', created_at: 1 };
    const empty = fillDisk(store.db, /^\s*UPDATE (resolutions|intents)/);
    const outcome = { status: 'waiting' };
    const facts = { ...common, mutation_id: mutation, resolution: 'user_assert_applied' };
    send(store, { table: 'resolutions', key: ['r'], columns: { facts, outcome } });
    const pause = { ...common, wish: { kind: 'pause', reason: 'later' } };
    send(store, { table: 'intents', key: ['i'], columns: { facts: pause, outcome } });
    await engine.idle();
    expect(await runs(engine, healthy)).toBe(true);
    expect(store.mutations.get(mutation)?.state.status).toBe('indeterminate');
    empty();
    await engine.pass(DECISION_RETRY_MS);
    expect(store.resolutions.get('r')?.status).toBe('done');
    expect(store.intents.get('i')?.status).toBe('done');
    expect(store.refusedRows.list()).toEqual([]);
  });

  it('[IS-2] about a held workflow wait until its rows can be read', async () => {
    const engine = await startTwo();
    const { store, victim } = engine;
    engine.outside.answers.push(lost);
    await engine.publish(victim, 'in', 'first');
    const mutation = mutationId(engine.runs(victim)[0]?.id ?? '');
    const { decisions } = engine.engine;
    // Who owns the workflow is not certain.
    const claim = { how: 'magic', claimed_at: 1 };
    const key = [victim, 1, 'peer'];
    send(store, { table: 'ownership_claims', key, columns: { facts: claim } });
    const decision = { workflowId: victim, mutationId: mutation, confirmed: true } as const;
    expect(decisions.settle('r', { ...decision, resolution: 'user_retry' }).status).toBe('waiting');
    expect(decisions.submit(victim, { kind: 'pause', reason: 'later' }).status).toBe('waiting');
    await engine.pass(3_600_000);
    expect(engine.outside.arrived.length).toBe(1);
    expect(store.workflows.get(victim)?.status).toBe('active');
  });
});

describe('a workflow', () => {
  it('[IS-2] with a row that cannot be read is held, and continues when the peer sends the row again', async () => {
    const engine = await startTwo();
    const { store, victim, healthy, outside } = engine;
    await engine.publish(victim, 'in', 'first');
    const { events } = store;
    const run = engine.runs(victim)[0];
    expect(run?.state.phase).toBe('committed');
    const topic = topicId(victim, 'in');
    const facts = { topic_id: topic, workflow_id: victim, message_id: 'theirs', created_at: 1 };
    const progress = { status: 'pending', attempt_number: 1, updated_at: 1 };
    const bad = { facts, progress, content: { title: 5, payload: 1 } };
    send(store, { table: 'events', key: ['theirs'], columns: bad });
    await engine.idle();
    expect(store.refusedRows.holds(victim)).toBe(true);
    expect(store.refusedRows.list()).toMatchObject([
      { table: 'events', key: ['theirs'], deviceId: 'peer', workflowId: victim },
    ]);
    expect(() => events.get('theirs')).toThrow('content.title');
    expect(await runs(engine, victim)).toBe(false);
    expect(await runs(engine, healthy)).toBe(true);
    const good = { content: { title: 'Theirs', payload: 1 } };
    send(store, { table: 'events', key: ['theirs'], columns: good });
    await engine.idle();
    expect(store.refusedRows.list()).toEqual([]);
    expect(outside.arrived.length).toBe(4);
  });

  it('[IS-6] with an event that has only arrived in part goes on, and handles it once the rest is there', async () => {
    const engine = await startTwo();
    const { store, victim, outside } = engine;
    const part = (workflowId: string, columns: Sent['columns']): void => {
      const topic_id = topicId(workflowId, 'in');
      const facts = {
        topic_id,
        workflow_id: workflowId,
        message_id: 'theirs',
        depth: 0,
        created_at: 1,
      };
      const key = [`of ${workflowId}`];
      send(store, { table: 'events', key, columns: { facts, ...columns } });
    };
    const content = { title: 'Theirs', payload: { id: 'theirs' } };
    const progress = { status: 'pending', attempt_number: 1, updated_at: 1 };
    store.topics.ensure(victim, 'in');
    // The content was changed at the peer before it was sent, so it follows later.
    part(victim, { progress });
    await engine.idle();
    expect(store.refusedRows.list()).toEqual([]);
    part('of another device', { content });
    await engine.idle();
    expect(store.refusedRows.list()).toEqual([]);
    expect(await runs(engine, victim)).toBe(true);
    part(victim, { progress, content });
    part('of another device', { progress, content });
    await engine.idle();
    expect(store.refusedRows.list()).toEqual([]);
    expect(outside.arrived.length).toBe(2);
    expect(store.events.get(`of ${victim}`)?.state.status).toBe('consumed');
  });

  it('[IS-6] whose runs, effects and inputs have only arrived in part goes on; such an effect may have been sent', async () => {
    const engine = await startTwo();
    const { store, victim, outside } = engine;
    const templates = templatesOf(victim, topicId(victim, 'in'));
    const partOf = (table: string, ...columns: string[]): void => {
      const { key, columns: all } = templates[table] ?? expect.fail(table);
      const part = columns.map((column) => [column, all[column] ?? null] as const);
      const isEffect = table === 'mutations';
      const of = isEffect ? [mutationId('run-1')] : key(1);
      send(store, { table, key: of, columns: Object.fromEntries(part) });
    };
    for (const table of ['automation_runs', 'handler_runs', 'script_runs']) partOf(table, 'facts');
    partOf('mutations', 'facts', 'call');
    await engine.idle();
    expect(store.refusedRows.list()).toEqual([]);
    expect(await runs(engine, victim)).toBe(true);
    expect(store.mutations.ofRun('run-1')?.state.status).toBe('in_flight');
    // The rest of the run: its effect has no outcome here yet. This device owns the workflow.
    const progress = { phase: 'mutating', timeline: {} };
    send(store, { table: 'handler_runs', key: ['run-1'], columns: { progress } });
    await engine.idle();
    expect(outside.arrived.length).toBe(1);
    expect(store.handlerRuns.get('run-1')?.state.phase).toBe('suspended');
    expect(store.mutations.ofRun('run-1')?.state.status).toBe('indeterminate');
    expect(store.refusedRows.list()).toEqual([]);
  });

  it('[IS-3] whose lane fails at a row is held and retried with backoff; the others run', async () => {
    const engine = await startTwo();
    const { store, victim, healthy } = engine;
    // It names another workflow, so only the lane finds out.
    const facts = { workflow_id: 'another', handler_name: 'post' };
    const key = [handlerStateId(victim, 'post')];
    send(store, { table: 'handler_state', key, columns: { facts, value: [] } });
    expect(await runs(engine, victim)).toBe(false);
    const held = store.refusedRows.get(`lane:${victim}`);
    expect(held?.reason).toContain('value: ');
    expect(await runs(engine, healthy)).toBe(true);
    const steps = engine.steps.length;
    await engine.pass(REFUSED_WORK_BASE_MS - 1000);
    expect(engine.steps.length).toBe(steps);
    await engine.pass(1_800_000);
    expect(store.refusedRows.holds(victim)).toBe(true);
    const value = { state: null, updated_at: 1, updated_by_run_id: 'run' };
    send(store, { table: 'handler_state', key, columns: { value } });
    await engine.pass(3_600_000);
    expect(store.refusedRows.list()).toEqual([]);
    expect(await runs(engine, victim)).toBe(true);
  });

  it('[IS-3] is not held by an event of which a part is merged', async () => {
    const engine = await startTwo();
    const { store, victim } = engine;
    const { facts, content, progress } = eventFor(victim);
    store.topics.ensure(victim, 'in');
    send(store, { table: 'events', key: ['event-1'], columns: { facts, content } });
    await engine.pass(1000);
    expect(store.refusedRows.list()).toEqual([]);
    expect(engine.outside.arrived).toEqual([]);
    send(store, { table: 'events', key: ['event-1'], columns: { progress } });
    await engine.pass(1000);
    expect(engine.outside.arrived).toHaveLength(1);
  });

  it.each([
    ['after its wait', (engine: EngineUnderTest): EngineUnderTest => engine],
    ['at the next start', (engine: EngineUnderTest): EngineUnderTest => engine.crash()],
  ])('[IS-3] takes up what was merged while it was held, %s', async (_when, goOn) => {
    const engine = await startTwo();
    const { store, victim } = engine;
    engine.engine.context.isolation.failed(victim, 'A test', new Error('for a test'));
    const { facts, content, progress } = eventFor(victim);
    const reserved = { ...progress, status: 'reserved', reserved_by_run_id: 'run-1' };
    const columns = { facts, content, progress: reserved };
    send(store, { table: 'events', key: ['event-1'], columns });
    send(store, { table: 'reservations', key: ['event-1', 1, 'run-1'], columns: {} });
    const { handler_runs } = templatesOf(victim, topicId(victim, 'in'));
    const failed = { phase: 'failed', error_type: 'internal', error: 'e', timeline: {} };
    const run = { facts: handler_runs?.columns['facts'] ?? {}, progress: failed };
    send(store, { table: 'handler_runs', key: ['run-1'], columns: run });
    expect(store.events.get('event-1')?.state.status).toBe('reserved');
    const later = goOn(engine);
    await later.pass(2 * REFUSED_WORK_BASE_MS);
    expect(later.outside.arrived).toHaveLength(1);
    expect(later.store.events.get('event-1')?.state.status).toBe('consumed');
  });
});

/** The columns of a pending event of a peer. */
function eventFor(workflowId: string): { facts: Json; content: Json; progress: JsonObject } {
  const { events } = templatesOf(workflowId, topicId(workflowId, 'in'));
  const { facts = {}, content = {}, progress = {} } = events?.columns ?? {};
  return { facts, content, progress: progress as JsonObject };
}

describe('shapes', () => {
  it('[IS-1] of legal rows fit, and name the place of what does not', () => {
    for (const [table, { columns }] of Object.entries(templatesOf('w', 't'))) {
      for (const [column, value] of Object.entries(columns)) {
        expect(flawOf(table, column, value)).toBeNull();
      }
    }
    expect(flawOf('events', 'content', { title: 5 })).toMatch(/^content\.title: /);
    expect(flawOf('handler_runs', 'progress', { phase: 'suspended' })).toMatch(/resume_phase/);
    expect(flawOf('incidents', 'facts', {})).not.toBeNull();
    expect(flawOf('events', 'progress', {})).toBeNull();
  });

  const columns = Object.entries(ROW_SHAPES).flatMap(([table, shapes]) =>
    Object.keys(shapes).map((column) => ({ table, column })),
  );

  test.prop([fc.constantFrom(...columns), fc.jsonValue()], { numRuns: 300 })(
    '[IS-1] any JSON in any column is read, refused with a reason, or not merged',
    ({ table, column }, given) => {
      const store = shared();
      const template = templatesOf('w', 't')[table] ?? expect.fail();
      const value = given as Json;
      serial += 1;
      const key = template.key(serial);
      const sent = { table, key, columns: { ...template.columns, [column]: value } };
      try {
        send(store, sent);
      } catch (error) {
        expect((error as Error).name).toMatch(/cannot-merge|bad-value/);
        return;
      }
      const isFit = flawOf(table, column, value) === null;
      const refused = store.refusedRows.get(`${table}:${key.join('/')}`);
      if (table !== 'ownership_claims') expect(refused === undefined).toBe(isFit);
      if (refused) expect(refused.reason).toContain(column);
    },
  );
});

let serial = 10;
let store: OpenStore | undefined;

function shared(): OpenStore {
  store = store?.db.isOpen ? store : openStore();
  return store;
}
