// Random arrivals, slow and empty prepares, pauses and crashes against a model of the scheduler: when
// the engine is idle, no consumer has pending events that its last prepare() did not see.
import { expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import { startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

/** Takes events in threes, and reads the outside before it decides. */
const THREES = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Threes',
  uses: { outside: {} },
  topics: ['in', 'more'],
  consumers: {
    three: {
      subscribes: ['in', 'more'],
      prepare: async (ctx) => {
        const options = { limit: 50 };
        const events = [...(await ctx.peek('in', options)), ...(await ctx.peek('more', options))];
        await ctx.tools.outside.get({});
        if (events.length < 3) return { data: events.length };
        return { reservations: events.slice(0, 3).map(({ id }) => id) };
      },
    },
  },
});
`;

type Step =
  | { readonly type: 'publish'; readonly topic: 'in' | 'more' }
  /** Newer content of the first event. */
  | { readonly type: 'correct' }
  | { readonly type: 'pause' }
  | { readonly type: 'idle' }
  /** At the next durable step of this name, or now. */
  | { readonly type: 'crash'; readonly at: string | null };

interface Timed {
  readonly step: Step;
  /** Turns of the event loop before the step, so that it meets the engine anywhere in its work. */
  readonly after: number;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('publish' as const),
      topic: fc.constantFrom('in' as const, 'more' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'correct' as const }) },
  { weight: 1, arbitrary: fc.constant({ type: 'pause' as const }) },
  { weight: 3, arbitrary: fc.constant({ type: 'idle' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('crash' as const),
      at: fc.constantFrom(null, 'prepare:before', 'prepare:after', 'commit:before', 'commit:after'),
    }),
  },
);

const timed: fc.Arbitrary<Timed> = fc.record({ step, after: fc.integer({ min: 0, max: 12 }) });

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Each read of the outside takes this many turns more than the one before, up to five. */
function slowReads({ outside }: EngineUnderTest): void {
  for (let read = 0; read < 500; read += 1) {
    outside.reads.push(async () => {
      await turns(read % 6);
      return { type: 'ok', result: null };
    });
  }
}

it.prop([fc.array(timed, { minLength: 4, maxLength: 25 })], { numRuns: 60 })(
  '[EN-27] [EN-12] an idle engine leaves no three pending events, whatever the interleaving and the crashes',
  async (steps) => {
    let under = startEngine();
    const workflowId = await under.add(THREES);
    under.store.grants.set(workflowId, 'outside', {});
    slowReads(under);
    const offer = (id: string, topic: string, payload: number): Promise<unknown> =>
      under.engine.publish({ workflowId, topic, messageId: id, title: id, payload });
    const published: string[] = [];
    for (const [index, { step: next, after }] of steps.entries()) {
      await turns(after);
      if (next.type === 'publish') {
        await offer(`m${index}`, next.topic, 0);
        published.push(next.topic);
      } else if (next.type === 'correct') {
        const first = steps.findIndex(({ step: other }) => other.type === 'publish');
        if (published[0] !== undefined) await offer(`m${first}`, published[0], index);
      } else if (next.type === 'pause') {
        under.engine.commands.pause(workflowId, '');
        under.engine.commands.resume(workflowId);
      } else if (next.type === 'idle') await under.idle();
      else {
        if (next.at !== null) {
          under.dieAt(next.at);
          await under.idle();
        }
        under = under.crash();
      }
    }
    await under.idle();
    expect(under.store.workflows.get(workflowId)?.status).toBe('active');
    expect(under.store.events.unfinished(workflowId).length).toBe(published.length % 3);
    await under.engine.stop();
    under.kill();
  },
);
