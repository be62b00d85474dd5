// Events that change while prepare() is reading: the run reserves what it saw, or looks again.
import { describe, expect, it } from 'vitest';
import { exchange } from '#test/support/exchange-changes.ts';
import { startDevices, put } from '#test/support/start-devices.ts';
import { startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import type { Outside } from '#test/support/fake-outside.ts';
import type { Json } from '#shared/json.ts';
import { MAX_PREPARES } from '#shared/limits.ts';

/** Peeks, reads the outside, then posts the payloads that it peeked. */
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
        await ctx.tools.outside.get({});
        return { reservations: events, data: events.map(({ payload }) => payload) };
      },
      mutate: (ctx, prepared) => ctx.tools.outside.post(prepared.data),
    },
  },
});
`;

/** The same with one event, which the host sends with the start of the phase. */
const PREFETCHED = READER.replace('limit: 10', 'limit: 1');

/** Calls `during` while the next read waits. */
function whileReading({ reads }: Outside, during: () => unknown): void {
  reads.push(async () => {
    await during();
    return { type: 'ok', result: null };
  });
}

async function startReader(source = READER): Promise<{
  under: EngineUnderTest;
  workflowId: string;
  offer(id: string, payload: Json): Promise<unknown>;
}> {
  const under = startEngine();
  const workflowId = await under.add(source);
  under.store.grants.set(workflowId, 'outside', {});
  return {
    under,
    workflowId,
    offer: (messageId, payload) =>
      under.engine.publish({ workflowId, topic: 'in', messageId, title: messageId, payload }),
  };
}

const sent = ({ outside }: EngineUnderTest): Json[] => outside.arrived.map(({ params }) => params);

describe('events that change while they are read', () => {
  it.each([
    ['peeked', READER],
    ['prefetched', PREFETCHED],
  ])(
    '[EV-9] newer content of a %s event is what is sent, by one run and as the first attempt',
    async (_how, source) => {
      const { under, workflowId, offer } = await startReader(source);
      const answers: unknown[] = [];
      whileReading(under.outside, async () => answers.push(await offer('m', 'new')));
      const id = await under.publish(workflowId, 'in', 'm', 'old');
      expect(answers).toMatchObject([{ type: 'replaced' }]);
      expect(sent(under)).toEqual([['new']]);
      expect(under.store.events.get(id)).toMatchObject({
        payload: 'new',
        state: { status: 'consumed', attempt: 1 },
      });
      expect(under.runs(workflowId).map(({ state }) => state.phase)).toEqual(['committed']);
      expect(under.store.consumerWakes.get(workflowId, 'post').failures).toBe(0);
    },
  );

  it('[EV-9] of several events reserved together, one that changed makes prepare look at all again', async () => {
    const { under, workflowId, offer } = await startReader();
    under.engine.commands.pause(workflowId, '');
    await under.publish(workflowId, 'in', 'a', 1);
    await under.publish(workflowId, 'in', 'b', 1);
    whileReading(under.outside, () => offer('b', 2));
    under.engine.commands.resume(workflowId);
    await under.idle();
    expect(sent(under).map((all) => (all as number[]).toSorted((a, b) => a - b))).toEqual([[1, 2]]);
    expect(under.store.events.unfinished(workflowId)).toEqual([]);
  });

  it('[EV-9] newer content that a peer sends while prepare reads is what is sent', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b'], { source: READER });
    const [owner, peer] = all as [EngineUnderTest, EngineUnderTest];
    const id = put(owner, workflowId, 'm');
    exchange(owner.store.db, peer.store.db);
    const topic = peer.store.topics.ensure(workflowId, 'in');
    peer.store.events.publish({ topic, messageId: 'm', title: 'm', payload: 'from b' });
    whileReading(outside, () => exchange(peer.store.db, owner.store.db));
    owner.engine.wake(workflowId);
    await owner.idle();
    expect(sent(owner)).toEqual([['from b']]);
    expect(owner.store.events.get(id)?.payload).toBe('from b');
  });

  it('[EV-9] an event that a person skips while prepare reads is not sent, and the workflow stays active', async () => {
    const { under, workflowId, offer } = await startReader();
    whileReading(under.outside, async () => {
      const [id] = under.store.events.unfinished(workflowId) as [string];
      under.store.events.move(id, { type: 'skip', reason: 'by_person' });
      await offer('other', 2);
    });
    await under.publish(workflowId, 'in', 'm', 1);
    expect(sent(under)).toEqual([[2]]);
    expect(under.store.workflows.get(workflowId)?.status).toBe('active');
  });

  it('[EV-9] an event that changes at every read is retried later, and nothing is sent', async () => {
    const { under, workflowId, offer } = await startReader();
    for (let n = 1; n <= MAX_PREPARES; n += 1) whileReading(under.outside, () => offer('m', n));
    await under.publish(workflowId, 'in', 'm', 0);
    expect(sent(under)).toEqual([]);
    expect(under.runs(workflowId).map(({ state }) => state)).toMatchObject([
      { phase: 'failed', errorType: 'internal', error: expect.stringContaining('changed') },
    ]);
    await under.pass(2000);
    expect(sent(under)).toEqual([[MAX_PREPARES]]);
  });

  it('[EV-9] reserving an event that prepare() read as already taken is a logic error', async () => {
    const under = startEngine();
    const source = READER.replace(
      /prepare: async[\s\S]*?\},\n      mutate/,
      `prepare: async (ctx, state) => {
        const [event] = await ctx.peek('in', { limit: 1 });
        if (!event) return;
        return { reservations: [state?.first ?? event], data: 1 };
      },
      next: async (ctx, prepared) => ({ first: prepared.reservations[0].id }),
      mutate`,
    );
    const workflowId = await under.add(source);
    under.store.grants.set(workflowId, 'outside', {});
    await under.publish(workflowId, 'in', 'a');
    await under.publish(workflowId, 'in', 'b');
    expect(sent(under)).toEqual([1]);
    expect(under.runs(workflowId).at(-1)?.state).toMatchObject({
      phase: 'failed',
      errorType: 'logic',
      error: expect.stringContaining('not pending'),
    });
  });
});
