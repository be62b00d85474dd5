// Wake-ups are facts in the database: a consumer is due while anything is pending that its last
// prepare() did not see.
import { describe, expect, it } from 'vitest';
import { exchangeAll, startDevices } from '#test/support/start-devices.ts';
import { startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

/** Takes events in pairs; with fewer than two pending it reserves nothing. */
const PAIRS = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Pairs',
  topics: ['in'],
  consumers: {
    pair: {
      subscribes: ['in'],
      prepare: async (ctx) => {
        const events = await ctx.peek('in', 10);
        if (events.length < 2) return {};
        return { reservations: events.slice(0, 2).map(({ id }) => id) };
      },
    },
  },
});
`;

const pending = ({ store }: EngineUnderTest, workflowId: string): number =>
  store.events.unfinished(workflowId).length;

describe('wake-ups', () => {
  it('[EN-27] of twenty pairs published back to back, every event is consumed', async () => {
    const under = startEngine();
    const workflowId = await under.add(PAIRS);
    for (let pair = 0; pair < 20; pair += 1) {
      for (const half of ['a', 'b']) {
        const messageId = `${pair}${half}`;
        const event = { workflowId, topic: 'in', messageId, title: messageId, payload: null };
        await under.engine.publish(event);
      }
      await under.idle();
      expect(pending(under, workflowId), `after pair ${pair}`).toBe(0);
    }
  });

  it('[EN-27] a consumer that reserved nothing runs again only when more is pending, also after a restart', async () => {
    const first = startEngine();
    const workflowId = await first.add(PAIRS);
    await first.publish(workflowId, 'in', 'a');
    expect(first.runs(workflowId).length).toBe(1);
    const second = first.restart();
    await second.idle();
    expect(second.runs(workflowId).length).toBe(1);
    await second.publish(workflowId, 'in', 'b');
    expect([second.runs(workflowId).length, pending(second, workflowId)]).toEqual([2, 0]);
  });

  it('[EN-27] a new owner looks at the events again, even if it has seen them before', async () => {
    const { all, workflowId } = await startDevices(['a', 'b'], { source: PAIRS });
    const [a, b] = all as [EngineUnderTest, EngineUnderTest];
    const handOver = async (from: EngineUnderTest, to: string): Promise<void> => {
      const epoch = from.store.ownership.epoch(workflowId) ?? 0;
      from.engine.ownership.handOver(workflowId, to, epoch);
      await exchangeAll(all);
      await Promise.all(all.map((one) => one.idle()));
      await exchangeAll(all);
    };
    await a.publish(workflowId, 'in', 'm');
    await exchangeAll(all);
    expect(a.runs(workflowId).length).toBe(1);
    await handOver(a, 'b');
    expect(b.runs(workflowId).length).toBe(2);
    await handOver(b, 'a');
    expect(a.runs(workflowId).length).toBe(3);
  });

  it('[EN-27] newer content of a pending event, a resume and a new version make the consumer look again', async () => {
    const under = startEngine();
    const workflowId = await under.add(PAIRS);
    await under.publish(workflowId, 'in', 'a', 1);
    const count = (): number => under.runs(workflowId).length;
    expect(count()).toBe(1);
    await under.publish(workflowId, 'in', 'a', 1);
    expect(count(), 'the same content').toBe(1);
    await under.publish(workflowId, 'in', 'a', 2);
    expect(count(), 'newer content').toBe(2);
    under.engine.commands.pause(workflowId, '');
    under.engine.commands.resume(workflowId);
    await under.idle();
    expect(count(), 'resumed').toBe(3);
    await under.add(PAIRS.replace('peek(', 'peek( '));
    under.library.activate(workflowId);
    await under.idle();
    expect(count(), 'another version').toBe(4);
  });
});

/** Two consumers that ask for a time when they see an event, and take it at that time. */
const SLEEPERS = `
import { workflow } from 'holdfast';
const sleeper = (topic, minutes) => ({
  subscribes: topic,
  prepare: async (ctx, state) => {
    const [event] = await ctx.peek(topic, { limit: 1 });
    if (!event) return {};
    if (state && ctx.now >= state) return { reservations: [event] };
    const wakeAt = state ?? ctx.now + minutes * 60000;
    return { data: wakeAt, wakeAt };
  },
  next: async (ctx, { data }) => data ?? null,
});
export default workflow({
  name: 'Sleepers',
  topics: ['soon', 'late'],
  consumers: { soon: sleeper('soon', 10), late: sleeper('late', 30) },
});
`;

const MINUTE_MS = 60_000;

interface Sleeping extends EngineUnderTest {
  readonly workflowId: string;
  /** `consumer_sleep_until`, in minutes from the start. */
  readonly sleep: () => number | null;
  /** Names of the consumers of all runs, oldest first. */
  readonly tried: () => string[];
}

function sleeping(under: EngineUnderTest, workflowId: string, start: number): Sleeping {
  const { store } = under;
  return {
    ...under,
    workflowId,
    sleep: () => {
      const until = store.db.value<number | null>('SELECT consumer_sleep_until FROM workflows');
      return until === null || until === undefined ? null : (until - start) / MINUTE_MS;
    },
    tried: () => under.runs(workflowId).map(({ handlerName }) => handlerName),
  };
}

async function startSleepers(): Promise<Sleeping> {
  const under = startEngine();
  const workflowId = await under.add(SLEEPERS);
  const start = under.store.clock.now();
  await under.publish(workflowId, 'late', 'l');
  await under.publish(workflowId, 'soon', 's');
  return sleeping(under, workflowId, start);
}

describe('consumer_sleep_until', () => {
  it('[EN-44] is the earliest time that a consumer asked for, then the next one, then null', async () => {
    const { sleep, tried, pass, store, workflowId } = await startSleepers();
    expect([sleep(), tried()]).toEqual([10, ['late', 'soon']]);
    expect(store.workflows.get(workflowId)?.consumerSleepUntil).toBe(
      store.clock.now() + 10 * MINUTE_MS,
    );
    await pass(10 * MINUTE_MS - 1);
    expect(tried()).toEqual(['late', 'soon']);
    await pass(1);
    expect([sleep(), tried()]).toEqual([30, ['late', 'soon', 'soon']]);
    await pass(20 * MINUTE_MS);
    expect([sleep(), tried()]).toEqual([null, ['late', 'soon', 'soon', 'late']]);
    await pass(120 * MINUTE_MS);
    expect(tried().length).toBe(4);
  });

  it('[EN-44] decides when consumers are tried by time, and a new event does not wait for it', async () => {
    const { tried, pass, store, publish, engine, workflowId } = await startSleepers();
    store.db.write(() =>
      store.db.run(
        'UPDATE workflows SET consumer_sleep_until = ?',
        store.clock.now() + 20 * MINUTE_MS,
      ),
    );
    await pass(10 * MINUTE_MS);
    engine.wake(workflowId);
    await pass(0);
    expect(tried()).toEqual(['late', 'soon']);
    await publish(workflowId, 'soon', 's2');
    expect(tried().slice(0, 3)).toEqual(['late', 'soon', 'soon']);
  });

  it('[EN-44] [EN-39] is derived again after a restart, with what a former version of Holdfast left', async () => {
    const first = await startSleepers();
    const start = first.store.clock.now();
    first.store.db.write(() =>
      first.store.db.run('UPDATE workflows SET consumer_sleep_until = NULL'),
    );
    const second = sleeping(first.crash(), first.workflowId, start);
    await second.idle();
    expect([second.sleep(), second.tried()]).toEqual([10, ['late', 'soon']]);
    await second.pass(10 * MINUTE_MS);
    expect(second.tried()).toEqual(['late', 'soon', 'soon']);
  });

  it('[EN-44] counts the consumers of the active version only, and remembers the others', async () => {
    const { add, library, sleep, workflowId, idle, pass, tried } = await startSleepers();
    const activate = async (source: string): Promise<void> => {
      await add(source);
      library.activate(workflowId);
      await idle();
    };
    await activate(SLEEPERS.replace("soon: sleeper('soon', 10), ", ''));
    expect(sleep()).toBe(30);
    await pass(10 * MINUTE_MS);
    expect(tried().filter((name) => name === 'soon').length).toBe(1);
    await activate(SLEEPERS);
    expect(tried().filter((name) => name === 'soon').length).toBe(2);
  });

  it.each(['hand-over', 'take-over'] as const)(
    '[EN-44] [EN-39] survives a %s: the new owner tries the consumers at that time',
    async (how) => {
      const { all, workflowId } = await startDevices(['a', 'b'], { source: SLEEPERS });
      const [a, b] = all as [EngineUnderTest, EngineUnderTest];
      const start = a.store.clock.now();
      await a.publish(workflowId, 'soon', 's');
      // No event makes the new owner try them.
      for (const { id } of a.store.events.peek(a.store.topics.list(workflowId)[1]?.id ?? '', 1)) {
        a.store.events.move(id, { type: 'skip', reason: 'by_person' });
      }
      await exchangeAll(all);
      const epoch = a.store.ownership.epoch(workflowId) ?? 0;
      if (how === 'take-over') b.engine.ownership.takeOver(workflowId);
      else a.engine.ownership.handOver(workflowId, 'b', epoch);
      await exchangeAll(all);
      expect(b.engine.ownership.owns(workflowId)).toBe(true);
      const there = sleeping(b, workflowId, start);
      expect([there.sleep(), there.tried()]).toEqual([10, ['soon']]);
      await b.pass(10 * MINUTE_MS - 1);
      expect(there.tried()).toEqual(['soon']);
      await b.pass(1);
      expect(there.tried().toSorted()).toEqual(['late', 'soon', 'soon']);
      expect(there.sleep()).toBe(null);
    },
  );
});
