// Wake-ups are facts in the database: a consumer is due while anything is pending that its last
// prepare() did not see.
import { describe, expect, it } from 'vitest';
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
