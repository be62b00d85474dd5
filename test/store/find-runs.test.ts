import { describe, expect, it } from 'vitest';
import type { RunQuery } from '#main/store/queries/find-runs.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';

const LIMIT = 10;

interface Made {
  readonly title?: string;
  readonly handler?: string;
  readonly workflowId?: string;
  readonly end?: 'failed';
}

function make(store: OpenStore, { title, handler = 'pay', workflowId = 'w', end }: Made): string {
  const { id } = store.handlerRuns.create({
    scriptRunId: 's',
    workflowId,
    handlerType: 'consumer',
    handlerName: handler,
    inputState: null,
    epoch: 1,
    begins: { phase: 'prepared', prepareResult: title === undefined ? {} : { ui: { title } } },
  });
  if (end) {
    const failure = { errorType: 'logic', error: 'no', at: 1 } as const;
    store.handlerRuns.moveConsumer(id, { type: 'fail', ...failure } as never);
  }
  return id;
}

const found = (store: OpenStore, query: Omit<RunQuery, 'limit'>): string[] =>
  store.handlerRuns.list({ limit: LIMIT, ...query }).runs.map(({ id }) => id);

describe('finding runs', () => {
  it('[DX-3] by words of the title, the handler, the workflow and the id, all of them', () => {
    const store = openStore();
    store.workflows.create('bills', { name: 'Monthly Bills', scriptId: null });
    const invoice = make(store, { title: 'Pay invoice 7' });
    const other = make(store, { title: 'Pay invoice 8' });
    const untitled = make(store, { handler: 'collect' });
    const monthly = make(store, { title: 'Rent', workflowId: 'bills' });
    expect(found(store, { text: 'INVOICE 7' })).toEqual([invoice]);
    expect(found(store, { text: 'pay inv' })).toEqual([other, invoice]);
    expect(found(store, { text: 'ollec' })).toEqual([untitled]);
    expect(found(store, { text: 'monthly rent' })).toEqual([monthly]);
    expect(found(store, { text: monthly.toLowerCase() })).toEqual([monthly]);
    expect(found(store, { text: 'monthly invoice' })).toEqual([]);
  });

  it('[DX-3] signs that SQL would read are plain text', () => {
    const store = openStore();
    const percent = make(store, { title: "100% of O'Hara_1 \\ 2" });
    make(store, { title: '1000 of OHara 1 2' });
    for (const text of ['100%', "o'hara_1", '\\ 2', '_']) {
      expect(found(store, { text })).toEqual([percent]);
    }
  });

  it('[DX-3] by state, device, workflow and time, together with words and pages', async () => {
    const store = openStore('device-a');
    const early = make(store, { title: 'a', end: 'failed' });
    await store.clock.advance(1000);
    const since = store.clock.now();
    const failed = make(store, { title: 'a', end: 'failed' });
    const active = make(store, { title: 'a' });
    const elsewhere = make(store, { title: 'a', workflowId: 'v' });
    expect(found(store, { state: 'failed' })).toEqual([failed, early]);
    expect(found(store, { state: 'active' })).toEqual([elsewhere, active]);
    expect(found(store, { state: 'done' })).toEqual([]);
    expect(found(store, { since })).toEqual([elsewhere, active, failed]);
    expect(found(store, { since: since + 1 })).toEqual([]);
    expect(found(store, { until: since })).toEqual([early]);
    expect(found(store, { since, until: since + 1, state: 'failed' })).toEqual([failed]);
    expect(found(store, { since, until: since })).toEqual([]);
    expect(found(store, { deviceId: 'device-b' })).toEqual([]);
    expect(found(store, { deviceId: 'device-a', workflowId: 'v', text: 'a' })).toEqual([elsewhere]);
    expect(found(store, { state: 'failed', text: 'a', after: failed })).toEqual([early]);
    expect(store.handlerRuns.list({ limit: 2, text: 'a' }).next).toBe(active);
  });

  it('[DX-3] looks through narrow rows only, however long the history', () => {
    const store = openStore();
    const plan = store.db
      .all<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT id FROM handler_runs INDEXED BY idx_handler_runs_search
         WHERE prepare_result ->> '$.ui.title' LIKE '%x%' ORDER BY id DESC LIMIT 1`,
      )
      .map(({ detail }) => detail);
    // No sorting of all that matches, and the order of the index is that of the list.
    expect(plan).toEqual([expect.stringMatching(/^SCAN .* INDEX idx_handler_runs_search$/)]);
    const opcodes = store.db.all<{ opcode: string; p4: string | null }>(
      `EXPLAIN SELECT id FROM handler_runs INDEXED BY idx_handler_runs_search
       WHERE prepare_result ->> '$.ui.title' LIKE '%x%' ORDER BY id DESC LIMIT 1`,
    );
    // The title comes out of the index: no row is read, and no JSON.
    expect(opcodes.map(({ opcode }) => opcode)).not.toContain('Seek');
    expect(opcodes.map(({ p4 }) => p4)).not.toContain('->>(2)');
  });

  it('[DX-4] all tries of the same work are one chain, from whichever of them it is asked', () => {
    const store = openStore();
    const first = make(store, { end: 'failed' });
    const again = (retryOf: string) =>
      store.handlerRuns.create({
        scriptRunId: 's',
        workflowId: 'w',
        handlerType: 'consumer',
        handlerName: 'pay',
        inputState: null,
        epoch: 1,
        retryOf,
      }).id;
    const second = again(first);
    const third = again(second);
    const alone = make(store, {});
    for (const id of [first, second, third]) {
      expect(store.handlerRuns.chain(id)).toEqual([first, second, third]);
    }
    expect(store.handlerRuns.chain(alone)).toEqual([alone]);
  });
});
