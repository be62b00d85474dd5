// Random arrivals, empty results and pauses against a model of the scheduler: when
// the engine is idle, no consumer has pending events that its last prepare() did not see.
import { expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import { startEngine } from '#test/support/start-engine.ts';

/** Takes events in threes, and says in a log line how many it saw. */
const THREES = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Threes',
  topics: ['in', 'more'],
  consumers: {
    three: {
      subscribes: ['in', 'more'],
      prepare: async (ctx) => {
        const events = [...(await ctx.peek('in', 50)), ...(await ctx.peek('more', 50))];
        if (events.length < 3) return { data: events.length };
        return { reservations: events.slice(0, 3).map(({ id }) => id) };
      },
    },
  },
});
`;

type Step =
  | { readonly type: 'publish'; readonly topic: 'in' | 'more'; readonly waits: boolean }
  | { readonly type: 'pause' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('publish' as const),
      topic: fc.constantFrom('in' as const, 'more' as const),
      waits: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'pause' as const }) },
);

it.prop([fc.array(step, { minLength: 4, maxLength: 25 })], { numRuns: 40 })(
  '[EN-27] an idle engine leaves no three pending events, whatever the interleaving',
  async (steps) => {
    const under = startEngine();
    const workflowId = await under.add(THREES);
    let published = 0;
    for (const [index, next] of steps.entries()) {
      if (next.type === 'pause') {
        under.engine.commands.pause(workflowId, '');
        under.engine.commands.resume(workflowId);
      } else {
        const id = `m${index}`;
        const event = { workflowId, topic: next.topic, messageId: id, title: id, payload: null };
        await under.engine.publish(event);
        published += 1;
        if (next.waits) await under.idle();
      }
    }
    await under.idle();
    expect(under.store.events.unfinished(workflowId).length).toBe(published % 3);
    await under.engine.stop();
    under.kill();
  },
);
