// The outbox and its dispatcher.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { OutboxRow } from '#main/store/tables/outbox.ts';
import { enrich } from '#main/inputs/stages/enrich.ts';
import { automationRunId } from '#shared/ids.ts';
import { OUTBOX_MAX_ATTEMPTS, OUTBOX_MAX_MS } from '#shared/limits.ts';
import { openStore } from '#test/support/open-store.ts';
import { READ_POSTER, startInputs } from '#test/support/start-inputs.ts';

describe('outbox rows', () => {
  it('[OB-1] due returns the oldest rows first, one per run', () => {
    const { outbox } = openStore();
    outbox.add('r1', 'enqueue_enrich');
    outbox.add('r1', 'enqueue_execute');
    outbox.add('r2', 'enqueue_enrich');
    const due = (): string[] => outbox.due(10).map(({ runId, kind }) => `${runId} ${kind}`);
    expect(due()).toEqual(['r1 enqueue_enrich', 'r2 enqueue_enrich']);
    outbox.done('r1', 'enqueue_enrich');
    expect(due()).toEqual(['r1 enqueue_execute', 'r2 enqueue_enrich']);
  });

  it('[OB-1] adding the same run and kind again leaves one row', () => {
    const { outbox } = openStore();
    for (let n = 0; n < 3; n += 1) outbox.add('r1', 'enqueue_enrich');
    expect(outbox.depth()).toBe(1);
    outbox.done('r1', 'enqueue_enrich');
    expect(outbox.due(10)).toEqual([]);
  });

  it('[OB-2] a failed attempt is counted with its error, and the row waits for its time', async () => {
    const store = openStore();
    const { outbox, clock } = store;
    outbox.add('r1', 'enqueue_enrich');
    const [row] = outbox.due(1);
    expect(outbox.failed(row?.id ?? 0, 'no disk', clock.now() + 1000)).toBe('pending');
    expect(outbox.due(1)).toEqual([]);
    expect(outbox.nextAt()).toBe(clock.now() + 1000);
    await clock.advance(1000);
    expect(outbox.due(1)).toMatchObject([{ attempts: 1, lastError: 'no disk' }]);
    expect(outbox.oldestAge(clock.now())).toBe(1000);
  });

  it('[EN-38] an input that waits is due after the clock was set back, and a retry at the latest after the longest delay', async () => {
    const { outbox, clock } = openStore();
    outbox.add('r1', 'enqueue_enrich');
    await clock.advance(-1000);
    const [row] = outbox.due(1) as [OutboxRow];
    expect(row.runId).toBe('r1');
    outbox.failed(row.id, 'no disk', clock.now() + OUTBOX_MAX_MS);
    expect(outbox.due(1)).toEqual([]);
    await clock.advance(-86_400_000);
    expect(outbox.due(1)).toMatchObject([{ runId: 'r1' }]);
  });

  it('[OB-3] after ten failures a row is dead and blocks its run only; replay makes it due again', () => {
    const { outbox, clock } = openStore();
    outbox.add('r1', 'enqueue_enrich');
    outbox.add('r1', 'enqueue_execute');
    outbox.add('r2', 'enqueue_enrich');
    const { id } = outbox.due(1)[0] as { id: number };
    expect(outbox.replay(id)).toBe(false);
    const fail = (): string => outbox.failed(id, 'no', clock.now());
    for (let n = 1; n < OUTBOX_MAX_ATTEMPTS; n += 1) expect(fail()).toBe('pending');
    expect(fail()).toBe('dead');
    expect(fail()).toBe('dead');
    expect(outbox.due(10).map(({ runId }) => runId)).toEqual(['r2']);
    expect(outbox.list({ status: 'dead', limit: 10 }).rows).toMatchObject([
      { id, attempts: OUTBOX_MAX_ATTEMPTS, lastError: 'no' },
    ]);
    expect(outbox.replay(id)).toBe(true);
    expect(outbox.due(10)[0]).toMatchObject({ id, attempts: 0 });
  });
});

describe('outbox dispatcher', () => {
  it('[OB-2] a failing stage is retried with exponential backoff until it succeeds', async () => {
    let tries = 0;
    const inputs = startInputs({
      stages: {
        enqueue_enrich: async (context, runId) => {
          tries += 1;
          if (tries < 4) throw new Error('the disk is away');
          await enrich(context, runId);
        },
      },
    });
    const workflowId = await inputs.under.add(READ_POSTER);
    const id = await inputs.start(workflowId);
    expect(tries).toBe(1);
    const waits: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const next = inputs.under.store.outbox.nextAt() ?? 0;
      waits.push(next - inputs.under.store.clock.now());
      await inputs.pass(waits[n] ?? 0);
    }
    expect(waits).toEqual([1000, 2000, 4000]);
    expect(tries).toBe(4);
    expect(inputs.path(id)).toEqual(['enriching', 'ready', 'running']);
  });

  it('[EN-38] a failure that could not be recorded holds no input up after the clock was set back', async () => {
    let tries = 0;
    const inputs = startInputs({
      stages: {
        enqueue_enrich: async (context, runId) => {
          tries += 1;
          if (tries === 1) throw new Error('the disk is full');
          await enrich(context, runId);
        },
      },
    });
    const { clock, db } = inputs.under.store;
    db.run(`CREATE TEMP TRIGGER full_disk BEFORE UPDATE OF last_error ON outbox
      BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`);
    const workflowId = await inputs.under.add(READ_POSTER);
    await inputs.start(workflowId);
    inputs.pipeline.wake();
    await inputs.idle();
    expect(tries).toBe(1);
    db.run('DROP TRIGGER full_disk');
    await clock.advance(-86_400_000);
    inputs.pipeline.wake();
    await inputs.idle();
    expect(tries).toBe(2);
  });

  it('[OB-3] a row that fails too often is listed as dead, and its replay continues the run', async () => {
    let isBroken = true;
    const inputs = startInputs({
      stages: {
        enqueue_enrich: async (context, runId) => {
          if (isBroken) throw new Error('always');
          await enrich(context, runId);
        },
      },
    });
    const { store } = inputs.under;
    const workflowId = await inputs.under.add(READ_POSTER);
    const id = await inputs.start(workflowId);
    for (let n = 0; n < OUTBOX_MAX_ATTEMPTS; n += 1) await inputs.pass(OUTBOX_MAX_MS);
    const { rows } = store.outbox.list({ status: 'dead', limit: 10 });
    expect(rows).toMatchObject([{ runId: automationRunId(id), lastError: 'always' }]);
    expect(inputs.run(id).state.status).toBe('queued');
    isBroken = false;
    store.outbox.replay(rows[0]?.id ?? 0);
    inputs.pipeline.wake();
    await inputs.idle();
    expect(inputs.path(id)).toEqual(['enriching', 'ready', 'running']);
  });

  it('[OB-4] a row is dispatched in the commit that ends its stage, not before and not after', async () => {
    const inputs = startInputs();
    const { store } = inputs.under;
    const workflowId = await inputs.under.add(READ_POSTER);
    const seen = new Set<string>();
    const id = inputs.put(workflowId);
    store.db.changes.subscribe(() => {
      const row = store.db.value<string>(
        `SELECT status FROM outbox WHERE kind = 'enqueue_enrich' AND run_id = ?`,
        automationRunId(id),
      );
      seen.add(`${inputs.run(id).state.status}: ${row}`);
    });
    await inputs.idle();
    expect([...seen]).toEqual(['enriching: pending', 'running: dispatched']);
  });

  it('[OB-4] a stage that was running when the host died is completed once by the next host', async () => {
    let release: () => void = () => undefined;
    const hangs = new Promise<void>((resolve) => (release = resolve));
    const first = startInputs({
      stages: {
        // Stops at `ready`, as older versions did between the two stages.
        enqueue_enrich: async ({ stores, store, runs }, runId) =>
          store.db.write(() => {
            for (const type of ['enrich', 'enriched'] as const) {
              runs.move(runId, { actor: 'stage', event: { type } });
            }
            stores.outbox.done(runId, 'enqueue_enrich');
            stores.outbox.add(runId, 'enqueue_execute');
          }),
        enqueue_execute: () => hangs,
      },
    });
    onTestFinished(() => release());
    const workflowId = await first.under.add(READ_POSTER);
    first.under.store.grants.set(workflowId, 'outside', {});
    const id = first.put(workflowId);
    while (first.run(id).state.status !== 'ready') await new Promise((go) => setImmediate(go));
    // The first host hangs in its second stage and is never heard of again.
    const second = startInputs({ under: first.under.restart() });
    await second.idle();
    expect(second.path(id)).toEqual(['enriching', 'ready', 'running']);
    expect(second.under.outside.arrived).toHaveLength(1);
    expect(second.under.store.inputChain.eventIds(id, 10)).toHaveLength(2);
  });

  it('[LE-3] a stage that resumes after losing its lease changes nothing', async () => {
    let resume: () => void = () => undefined;
    const late = new Promise<void>((resolve) => (resume = resolve));
    const first = startInputs({
      stages: {
        enqueue_enrich: async (context, runId) => {
          const { put } = context.artifacts;
          const slow = Object.assign(Object.create(context.artifacts), {
            put: async (value: never) => {
              await late;
              return put.call(context.artifacts, value);
            },
          });
          await enrich({ ...context, artifacts: slow }, runId);
        },
      },
    });
    const workflowId = await first.under.add(READ_POSTER);
    const id = first.put(workflowId);
    while (first.run(id).state.status !== 'enriching') await new Promise((go) => setImmediate(go));
    const second = startInputs({ under: first.under.restart() });
    await second.idle();
    expect(second.path(id)).toEqual(['enriching', 'ready', 'running']);
    const { moves } = second.run(id);
    resume();
    await first.pipeline.stop();
    expect(second.run(id).moves).toBe(moves);
    expect(second.path(id)).toEqual(['enriching', 'ready', 'running']);
  });
});
