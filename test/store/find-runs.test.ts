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

describe('run search', () => {
  it('[DX-3] every word must match the title, the handler, the workflow or the id', () => {
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

  it('[DX-3] LIKE wildcards and quotes in the text match literally', () => {
    const store = openStore();
    const percent = make(store, { title: "100% of O'Hara_1 \\ 2" });
    make(store, { title: '1000 of OHara 1 2' });
    for (const text of ['100%', "o'hara_1", '\\ 2', '_']) {
      expect(found(store, { text })).toEqual([percent]);
    }
  });

  it('[DX-3] filters by state, device, workflow and time combine with words and pages', async () => {
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

  it('[DX-3] a search by title scans only its covering index, without sorting', () => {
    const store = openStore();
    const plan = store.db
      .all<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT id FROM handler_runs INDEXED BY idx_handler_runs_search
         WHERE prepare_result ->> '$.ui.title' LIKE '%x%' ORDER BY id DESC LIMIT 1`,
      )
      .map(({ detail }) => detail);
    // One scan and no temporary B-tree: the index has the order of the list.
    expect(plan).toEqual([expect.stringMatching(/^SCAN .* INDEX idx_handler_runs_search$/)]);
    const opcodes = store.db.all<{ opcode: string; p4: string | null }>(
      `EXPLAIN SELECT id FROM handler_runs INDEXED BY idx_handler_runs_search
       WHERE prepare_result ->> '$.ui.title' LIKE '%x%' ORDER BY id DESC LIMIT 1`,
    );
    // The index holds the title, so no row is read and no JSON is parsed.
    expect(opcodes.map(({ opcode }) => opcode)).not.toContain('Seek');
    expect(opcodes.map(({ p4 }) => p4)).not.toContain('->>(2)');
  });

  it('[DX-4] every run of a retry chain returns the whole chain', () => {
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
