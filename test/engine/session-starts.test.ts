// Every way in which the engine starts a session, and the start request id that its cause gives it.
import { describe, expect, it } from 'vitest';
import { SESSION_LINGER_MS } from '#shared/limits.ts';
import { startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

/** Reads before it acts; asks to be woken if nothing is there. */
const WAKER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Waker',
  uses: { outside: {} },
  topics: ['in', 'found'],
  producers: {
    find: {
      schedule: { every: '1h' },
      publishes: ['found'],
      async run() {},
    },
  },
  consumers: {
    post: {
      subscribes: 'in',
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        return event ? { reservations: [event] } : { wakeAt: ctx.now + 60_000 };
      },
      async mutate(ctx) {
        await ctx.tools.outside.post({});
      },
    },
  },
});
`;

interface Start {
  readonly id: string;
  readonly trigger: string;
  readonly start_request_id: string;
}

const starts = ({ store }: EngineUnderTest): Start[] =>
  store.db.all<Start>('SELECT id, trigger, start_request_id FROM script_runs ORDER BY rowid');

/** Past the time after which an idle session ends. */
async function settle(under: EngineUnderTest): Promise<void> {
  await under.idle();
  await under.pass(SESSION_LINGER_MS + 1);
}

const lost = { type: 'ambiguous', error: 'the connection was cut' } as const;

describe('the start request id of a session', () => {
  it('[ID-4] names the slot, the click or the event that started it', async () => {
    const under = startEngine();
    const addedAt = under.store.clock.now();
    const workflowId = await under.add(WAKER);
    await settle(under);
    under.engine.commands.runNow(workflowId, 'find', 'click-1');
    await settle(under);
    const eventId = await under.publish(workflowId, 'in', 'm1');
    expect(starts(under).map((start) => [start.trigger, start.start_request_id])).toEqual([
      ['schedule', `schedule:find:${addedAt}`],
      ['manual', 'manual:click-1'],
      ['event', `event:${eventId}:1`],
    ]);
    expect(under.outside.arrived).toHaveLength(1);
  });

  it('[ID-4] names the time that a consumer asked for', async () => {
    const under = startEngine();
    const workflowId = await under.add(WAKER.replace('event ? { reservations: [event] } : ', ''));
    await under.publish(workflowId, 'in', 'm1');
    await settle(under);
    const { wakeAt } = under.store.consumerWakes.get(workflowId, 'post');
    expect(wakeAt).toBeGreaterThan(under.store.clock.now());
    await under.pass(60_000);
    expect(starts(under).at(-1)?.start_request_id).toBe(`wake:post:${wakeAt}`);
  });

  it('[ID-4] names the session before it if its cause already had one', async () => {
    const under = startEngine();
    const workflowId = await under.add(WAKER);
    await settle(under);
    const offline = { type: 'not_sent', errorType: 'network', error: 'no network' } as const;
    // The backoff of the fourth retry is longer than an idle session lasts.
    under.outside.answers.push(offline, offline, offline, offline);
    const eventId = await under.publish(workflowId, 'in', 'm1');
    for (let n = 0; n < 60; n += 1) await under.pass(1000);
    const [first, second] = starts(under).slice(1);
    expect(first?.start_request_id).toBe(`event:${eventId}:1`);
    expect(second?.start_request_id).toBe(`retry:${first?.id}`);
    expect(under.outside.arrived).toHaveLength(5);
  });

  it('[ID-4] names the run whose effect is checked', async () => {
    const under = startEngine({ canReconcile: true });
    const workflowId = await under.add(WAKER);
    await settle(under);
    under.outside.answers.push(lost);
    const unknown = { type: 'unknown', error: 'no answer' } as const;
    under.outside.reconciles.push(unknown, unknown, unknown);
    await under.publish(workflowId, 'in', 'm1');
    const run = under.runs(workflowId).find(({ handlerName }) => handlerName === 'post');
    under.outside.reconciles.push({ type: 'unknown', error: 'gone', isFinal: true });
    for (let n = 0; n < 6; n += 1) await under.pass(10_000);
    expect(starts(under).at(-1)?.start_request_id).toBe(`check:${run?.id}`);
  });

  it('[ID-4] names the run whose effect a person sends again', async () => {
    const under = startEngine();
    const workflowId = await under.add(WAKER);
    await settle(under);
    under.outside.answers.push(lost);
    await under.publish(workflowId, 'in', 'm1');
    await settle(under);
    const run = under.runs(workflowId).find(({ handlerName }) => handlerName === 'post');
    under.engine.decisions.settle('r1', {
      mutationId: under.store.mutations.ofRun(run?.id ?? '')?.id ?? '',
      workflowId,
      resolution: 'user_retry',
      result: undefined,
      isConfirmed: true,
    });
    await under.idle();
    expect(starts(under).at(-1)?.start_request_id).toBe(`resend:${run?.id}`);
    expect(under.outside.arrived).toHaveLength(2);
  });

  it('[ID-4] names the run that it continues after a crash', async () => {
    const under = startEngine();
    const workflowId = await under.add(WAKER);
    under.dieAt('commit:before');
    await under.publish(workflowId, 'in', 'm1').catch(() => undefined);
    const next = under.crash();
    await next.idle();
    const run = next.runs(workflowId).find(({ retryOf }) => retryOf !== null);
    expect(starts(next).at(-1)?.start_request_id).toBe(`continue:${run?.id}`);
    expect(next.outside.arrived).toHaveLength(1);
  });
});

describe('the console of a run', () => {
  it('[SB-9] is stored in its logs, of every phase', async () => {
    const under = startEngine();
    const workflowId = await under.add(
      WAKER.replace('async mutate(ctx) {', `async mutate(ctx) { console.log('sends');`).replace(
        'async prepare(ctx) {',
        `async prepare(ctx) { console.warn('looks');`,
      ),
    );
    await under.publish(workflowId, 'in', 'm1');
    const logs = under.store.db.value<string>(
      `SELECT logs FROM handler_runs WHERE handler_name = 'post' ORDER BY id LIMIT 1`,
    );
    expect(JSON.parse(logs ?? '[]')).toMatchObject([
      { level: 'warn', text: 'looks' },
      { text: 'sends' },
    ]);
  });
});

describe('the log of a session', () => {
  it('[RL-3] has 1 as engine attempt in every entry that the host writes', async () => {
    const under = startEngine();
    const workflowId = await under.add(WAKER);
    await settle(under);
    await under.publish(workflowId, 'in', 'm1');
    await settle(under);
    const attempts = under.store.db.values('SELECT engine_attempt_id FROM run_events');
    expect(attempts.length).toBeGreaterThan(5);
    expect(new Set(attempts)).toEqual(new Set([1]));
  });
});
