// Costs of runs: which calls count, in which transaction they are written, and what a crash loses.
import { describe, expect, it } from 'vitest';
import type { EngineObserver, SpentOnCall } from '#main/engine/observer.ts';
import type { LogLine } from '#main/sandbox/sandbox.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import { holdAnswer, send, startDevices } from '#test/support/start-devices.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

/** Reads twice, then posts. */
const READER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Reader',
  uses: { outside: {} },
  topics: ['in'],
  consumers: {
    post: {
      subscribes: 'in',
      prepare: async (ctx) => {
        const events = await ctx.peek('in', { limit: 10 });
        if (events.length === 0) return;
        console.log('reading');
        await ctx.tools.outside.get({});
        await ctx.tools.outside.get({});
        return { reservations: events };
      },
      mutate: (ctx) => ctx.tools.outside.post({}),
      next: async () => console.log('done'),
    },
  },
});
`;

const PRODUCER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Finder', uses: { outside: {} }, topics: ['found'],
  producers: { find: { schedule: { every: '10m' }, publishes: [], async run(ctx) {
    await ctx.tools.outside.get({});
  } } },
  consumers: {},
});
`;

const lost = { type: 'ambiguous', error: 'the connection was cut' } as const;
const refused = { type: 'failed', errorType: 'logic', error: '400 Bad Request' } as const;

interface Costs extends EngineUnderTest {
  readonly workflowId: string;
  /** The costs of the next calls. */
  cost(...microdollars: number[]): void;
  offer(id?: string): Promise<string>;
}

async function start(
  source = READER,
  options: Parameters<typeof startEngine>[0] = {},
): Promise<Costs> {
  const under = startEngine(options);
  const workflowId = await under.add(source);
  under.store.grants.set(workflowId, 'outside', {});
  return {
    ...under,
    workflowId,
    cost: (...all) => under.outside.costs.push(...all.map((microdollars) => ({ microdollars }))),
    offer: (id = 'm1') => under.publish(workflowId, 'in', id),
  };
}

const costsOf = (under: EngineUnderTest, workflowId: string): (string | number)[][] =>
  under.runs(workflowId).map(({ state, cost }) => [state.phase, cost]);
/** Ids of two processes in one millisecond have no order. */
const inOrder = (costs: (string | number)[][]): string[] =>
  costs.map(([phase, cost]) => `${phase} ${cost}`).toSorted();
const logOf = (run: HandlerRun | undefined): string[] =>
  ((run?.logs ?? []) as unknown as LogLine[]).map(({ level, text }) => `${level} ${text}`);

describe('the cost of a run', () => {
  it('[CO-6] is that of its reads and its effect; the ledger has that of the effect', async () => {
    const under = await start();
    under.cost(3, 40, 500);
    await under.offer();
    expect(costsOf(under, under.workflowId)).toEqual([['committed', 543]]);
    const [run] = under.runs(under.workflowId);
    expect(under.store.mutations.ofRun(run?.id ?? '')?.cost).toBe(500);
    expect(under.store.db.value('SELECT cost FROM handler_runs')).toBe(543);
  });

  it('[CO-6] of a producer is that of its reads, whether it commits or fails', async () => {
    const under = startEngine();
    under.outside.costs.push({ microdollars: 7 }, { microdollars: 8 });
    const workflowId = await under.add(PRODUCER);
    expect(costsOf(under, workflowId)).toEqual([['committed', 7]]);
    const cut = { type: 'failed', errorType: 'network', error: 'cut', isUncertain: true } as const;
    under.outside.reads.push(cut);
    await under.pass(600_000);
    expect(costsOf(under, workflowId)[1]).toEqual(['failed', 8]);
  });

  it('[CO-6] is written without a commit more than a free run has', async () => {
    const commits = async (...costs: number[]): Promise<number> => {
      const under = await start();
      under.cost(...costs);
      let count = 0;
      const stop = under.store.db.changes.onCommit(() => (count += 1));
      await under.offer();
      stop();
      expect(costsOf(under, under.workflowId)).toEqual([
        ['committed', costs.reduce((sum, cost) => sum + cost, 0)],
      ]);
      return count;
    };
    expect(await commits(3, 40, 500)).toBe(await commits());
  });

  it('[CO-6] counts the reads of every prepare() that its changing events repeated', async () => {
    const under = await start();
    under.cost(1, 2, 10, 20, 100);
    const { engine, workflowId } = under;
    under.outside.reads.push(async () => {
      await engine.publish({ workflowId, topic: 'in', messageId: 'm1', title: 'm1', payload: 2 });
      return { type: 'ok', result: null };
    });
    await under.offer();
    expect(costsOf(under, workflowId)).toEqual([['committed', 133]]);
  });

  it('[CO-6] of a run that starts over stays with it; the next run has its own', async () => {
    const under = await start();
    under.cost(1, 2, 10, 20, 100);
    under.outside.answers.push(refused);
    await under.offer();
    await under.pass(60_000);
    expect(costsOf(under, under.workflowId)).toEqual([
      ['failed', 3],
      ['committed', 130],
    ]);
  });

  it('[CO-6] of a run that continues another one is not the cost of that one again', async () => {
    const under = await start(READER, { canReconcile: false });
    under.cost(1, 2, 100);
    under.dieAt('outcome:after');
    await under.offer();
    const again = under.crash();
    await again.idle();
    expect(inOrder(costsOf(again, under.workflowId))).toEqual(['committed 0', 'failed 103']);
    expect(again.outside.arrived).toHaveLength(1);
  });

  it('[CO-6] of a run that waits for a grant counts the reads that it made', async () => {
    const under = await start();
    under.cost(9);
    under.outside.reads.push(
      { type: 'ok', result: null },
      { type: 'failed', errorType: 'permission', error: 'not allowed' },
    );
    await under.offer();
    expect(costsOf(under, under.workflowId)).toEqual([['suspended', 9]]);
  });
});

describe('a call', () => {
  it('[CO-3] that was refused or not sent costs nothing; one without a reply costs', async () => {
    const under = await start(POSTER);
    under.cost(100);
    const notSent = { type: 'not_sent', errorType: 'network', error: 'no route' } as const;
    under.outside.answers.push(refused, notSent, lost);
    await under.offer();
    await under.pass(600_000);
    await under.pass(600_000);
    expect(costsOf(under, under.workflowId)).toEqual([
      ['failed', 0],
      ['failed', 0],
      ['suspended', 100],
    ]);
  });

  it('[CO-3] that a person sends again costs again, also if its reply is lost again', async () => {
    const under = await start(POSTER);
    under.cost(100, 100, 100);
    under.outside.answers.push(lost, lost);
    await under.offer();
    const [run] = under.runs(under.workflowId);
    const resend = async (requestId: string): Promise<void> => {
      under.engine.decisions.settle(requestId, {
        mutationId: mutationId(run?.id ?? ''),
        workflowId: under.workflowId,
        resolution: 'user_retry',
      });
      await under.idle();
    };
    await resend('again');
    expect(costsOf(under, under.workflowId)).toEqual([['suspended', 200]]);
    expect(under.store.mutations.ofRun(run?.id ?? '')?.cost).toBe(200);
  });

  it('[CO-6] is not made and costs nothing if another run made the effect', async () => {
    const under = await start(POSTER);
    under.cost(100, 100);
    const eventId = await under.offer();
    const { store, engine, workflowId } = under;
    // The same effect again: the event is pending in the same attempt.
    store.db.run('SELECT crsql_internal_sync_bit(1)');
    store.db.run(`UPDATE events SET progress = '{"status":"pending","attempt_number":1}'
      WHERE id = '${eventId}'`);
    store.db.run('SELECT crsql_internal_sync_bit(0)');
    engine.wake(workflowId);
    await under.idle();
    expect(costsOf(under, workflowId)).toEqual([
      ['committed', 100],
      ['committed', 0],
    ]);
  });
});

describe('a check', () => {
  it('[CO-7] that finds an effect whose reply was lost doesn’t count it again', async () => {
    const under = await start(POSTER, { canReconcile: true });
    under.cost(100, 100);
    under.outside.answers.push(lost);
    under.outside.reconciles.push({ type: 'happened', result: 1 });
    await under.offer();
    expect(costsOf(under, under.workflowId)).toEqual([['committed', 100]]);
  });

  it('[CO-7] that finds an effect after a crash counts its cost, which the crash had lost', async () => {
    const under = await start(POSTER, { canReconcile: true });
    under.cost(100);
    under.dieAt('send:after');
    await under.offer();
    const again = under.crash();
    again.outside.costs.push({ microdollars: 90 });
    again.outside.reconciles.push({ type: 'happened', result: 1 });
    await again.idle();
    expect(costsOf(again, under.workflowId)).toEqual([['committed', 90]]);
    expect(again.outside.arrived).toHaveLength(1);
  });
});

describe('a crash', () => {
  it('[CO-7] before the commit of a phase loses the cost of its calls, and nothing else', async () => {
    const under = await start();
    under.cost(1, 2);
    under.dieAt('prepare:before');
    await under.offer();
    const again = under.crash();
    again.outside.costs.push(...[10, 20, 100].map((microdollars) => ({ microdollars })));
    await again.idle();
    expect(inOrder(costsOf(again, under.workflowId))).toEqual(['committed 130', 'failed 0']);
  });
});

describe('a cost that is unknown', () => {
  it('[CO-5] is 0, changes no outcome, and the log of the run says why', async () => {
    const under = await start();
    const problem = 'the header "x-cost" is not an amount.';
    under.outside.costs.push(
      { microdollars: 5 },
      { microdollars: -1 },
      { microdollars: 7, problem },
    );
    await under.offer();
    const [run] = under.runs(under.workflowId);
    expect(costsOf(under, under.workflowId)).toEqual([['committed', 12]]);
    expect(logOf(run)).toEqual([
      'info reading',
      "warn The cost of outside.get is incomplete: -1 microdollars can't be the cost of a call.",
      `warn The cost of outside.post is incomplete: ${problem}`,
      'info done',
    ]);
  });

  it('[CO-5] [HR-13] after a check is in the log, after the lines that the run wrote before', async () => {
    const under = await start(READER, { canReconcile: true });
    under.outside.answers.push(lost);
    await under.offer();
    const problem = 'the header "x-cost" is not an amount.';
    under.outside.costs.push({ microdollars: 0, problem });
    under.outside.reconciles.push({ type: 'happened', result: 1 });
    await under.pass(600_000);
    const [run] = under.runs(under.workflowId);
    expect(run?.state.phase).toBe('committed');
    expect(logOf(run)).toEqual([
      'info reading',
      `warn The cost of outside.post is incomplete: ${problem}`,
      'info done',
    ]);
  });
});

describe('the log of a run', () => {
  it('[HR-13] keeps its lines when a person sends the effect again', async () => {
    const under = await start();
    under.outside.answers.push(lost);
    await under.offer();
    const [run] = under.runs(under.workflowId);
    under.engine.decisions.settle('again', {
      mutationId: mutationId(run?.id ?? ''),
      workflowId: under.workflowId,
      resolution: 'user_retry',
    });
    await under.idle();
    expect(logOf(under.runs(under.workflowId)[0])).toEqual(['info reading', 'info done']);
  });
});

describe('observers', () => {
  it('[CO-12] hear of every call that cost something, once', async () => {
    const heard: SpentOnCall[] = [];
    const observer: EngineObserver = {
      phase: () => undefined,
      effect: () => undefined,
      run: () => undefined,
      batch: () => undefined,
      spent: (spent) => heard.push(spent),
    };
    const under = await start(READER, { canReconcile: true, observer });
    under.cost(1, 0, 100, 100);
    under.outside.answers.push(lost);
    under.outside.reconciles.push({ type: 'happened', result: 1 });
    await under.offer();
    expect(heard).toEqual([
      { tool: 'outside', microdollars: 1 },
      { tool: 'outside', microdollars: 100 },
    ]);
  });
});

describe('two devices', () => {
  it('[CO-8] count in columns of their own: a late reply to the former owner still counts', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as [EngineUnderTest, EngineUnderTest];
    outside.costs.push({ microdollars: 100 }, { microdollars: 20 });
    const held = holdAnswer(outside);
    void a.publish(workflowId, 'in', 'm1');
    await held.arrived;
    await send(a, b);
    b.engine.ownership.takeOver(workflowId);
    await b.idle();
    const [run] = b.runs(workflowId);
    b.engine.decisions.settle('again', {
      mutationId: mutationId(run?.id ?? ''),
      workflowId,
      resolution: 'user_retry',
    });
    await b.idle();
    held.answer();
    await a.idle();
    await send(a, b);
    await send(b, a);
    const total = ({ store }: EngineUnderTest): number => store.workflowCosts.of(workflowId).total;
    expect([total(a), total(b)]).toEqual([120, 120]);
  });
});
