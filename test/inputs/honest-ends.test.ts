// The end of an input says what happened, and nothing more.
import { describe, expect, it } from 'vitest';
import { LOGIC_FAILURES_BEFORE_ASIDE, RETRY_MAX_MS } from '#shared/limits.ts';
import { POSTER } from '#test/support/start-engine.ts';
import { startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';

/** Posts each event; what it publishes is taken by a second consumer that asks a question. */
const THEN_ASKS = POSTER.replace('uses: { outside: {} }', 'uses: { outside: {}, ask: {} }').replace(
  'consumers: {',
  `consumers: {
    ask: {
      subscribes: 'out',
      async prepare(ctx) {
        const [event] = await ctx.peek('out', { limit: 1 });
        return event ? { reservations: [event] } : {};
      },
      async mutate(ctx) { await ctx.tools.ask.question({ question: 'Well?' }); },
    },`,
);

const TAKER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Taker', topics: ['in'],
  consumers: { take: {
    subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in', { limit: 1 });
      return event ? { reservations: [event] } : {};
    },
  } },
});`;

const REGISTRAR = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Registrar', topics: ['in'],
  producers: { look: {
    schedule: { every: '1h' },
    async run(ctx) {
      await ctx.registerInput({ source: 'box', type: 'mail', id: 'a', title: 'A letter' });
    },
  } },
});`;

function skip({ under }: InputsUnderTest, workflowId: string, inputId: string, reason = ''): void {
  const request = { kind: 'stop_input', inputId, as: 'skipped', reason } as const;
  under.engine.decisions.submit(workflowId, request);
}

describe('the end of an input', () => {
  it('[AR-13] that is skipped after it sent an effect is canceled and says so', async () => {
    const inputs = startInputs();
    const workflowId = await inputs.under.add(THEN_ASKS);
    const id = await inputs.start(workflowId);
    expect(inputs.run(id).state.status).toBe('needs_human');
    skip(inputs, workflowId, id, 'enough');
    await inputs.idle();
    expect(inputs.run(id).state).toEqual({
      status: 'canceled',
      reason: 'It had already sent an effect, which is not undone. You wrote: enough',
    });
  });

  it('[AR-13] that is skipped before it sent an effect is skipped, also after a question', async () => {
    const inputs = startInputs();
    const asks = await inputs.under.add(
      POSTER.replace('uses: { outside: {} }', 'uses: { ask: {} }').replace(
        'await ctx.tools.outside.post({ data: prepared.data });',
        "await ctx.tools.ask.question({ question: 'Well?' });",
      ),
    );
    const id = await inputs.start(asks);
    skip(inputs, asks, id);
    await inputs.idle();
    expect(inputs.run(id).state).toEqual({ status: 'skipped', reason: '' });
  });

  it('[AR-13] whose question was answered, or whose effect was refused, has sent nothing and is skipped', async () => {
    const asked = startInputs();
    const asks = await asked.under.add(
      THEN_ASKS.replace('uses: { outside: {}, ask: {} }', 'uses: { ask: {} }').replace(
        'await ctx.tools.outside.post({ data: prepared.data });',
        "await ctx.tools.ask.question({ question: 'First?' });",
      ),
    );
    const first = await asked.start(asks);
    const [question] = asked.under.store.mutations.byStatus('pending');
    asked.under.engine.commands.answer(question?.id ?? '', 'yes');
    await asked.idle();
    skip(asked, asks, first);
    await asked.idle();
    expect(asked.run(first).state.status).toBe('skipped');

    const refused = startInputs();
    const posts = await refused.under.add(POSTER);
    refused.under.outside.answers.push({ type: 'failed', errorType: 'network', error: 'no' });
    const second = await refused.start(posts);
    expect(refused.under.store.mutations.byStatus('failed')).toHaveLength(1);
    skip(refused, posts, second);
    await refused.idle();
    expect(refused.run(second).state.status).toBe('skipped');
  });

  it('[AR-14] says if nothing followed', async () => {
    const inputs = startInputs();
    const id = await inputs.start(await inputs.under.add(TAKER));
    expect(inputs.run(id).state).toMatchObject({
      status: 'succeeded',
      reason: 'Nothing followed: no effect was made, and no further event was published.',
    });
  });

  it('[AR-14] says nothing of the kind if an effect, an event or a result followed', async () => {
    const inputs = startInputs();
    const { under } = inputs;
    const reasonOf = async (source: string, name: string): Promise<unknown> =>
      inputs.run(
        await inputs.start(await under.add(source.replace(/name: '\w+'/, `name: '${name}'`), name)),
      ).state;
    const result = TAKER.replace(
      '    },\n  } },',
      "    }, async next(ctx) { await ctx.complete('x'); } } },",
    );
    const event = TAKER.replace("topics: ['in']", "topics: ['in', 'out']").replace(
      '    },\n  } },',
      "    }, publishes: ['out'], async next(ctx) { await ctx.publish('out', { id: 'o', title: 'O' }); } } },",
    );
    for (const [name, source] of Object.entries({ poster: POSTER, result, event })) {
      const state = await reasonOf(source, name);
      expect(state, name).toMatchObject({ status: 'succeeded' });
      expect(state, name).not.toHaveProperty('reason');
    }
  });

  it('[AR-14] that was registered without an event is skipped with the reason', async () => {
    const inputs = startInputs();
    const { under } = inputs;
    await under.add(REGISTRAR);
    await inputs.idle();
    const [row] = under.store.db.all<{ id: string }>(
      `SELECT id FROM trigger_events WHERE facts ->> 'title' = 'A letter'`,
    );
    expect(inputs.run(row?.id ?? '').state).toEqual({
      status: 'skipped',
      reason: 'The workflow registered this input without an event. Nothing was done.',
    });
  });

  it('[AR-8] keeps the time of its first end when a person settles it', async () => {
    const inputs = startInputs();
    const { under } = inputs;
    const workflowId = await under.add(
      TAKER.replace('return event', "if (event) throw new Error('no'); return event"),
    );
    const id = await inputs.start(workflowId);
    for (let n = 0; n < LOGIC_FAILURES_BEFORE_ASIDE; n += 1) await inputs.pass(RETRY_MAX_MS);
    const { completed_at: endedAt } = inputs.run(id).times;
    expect(endedAt).toBeDefined();
    await inputs.pass(1000);
    under.engine.context.inputs.settle(id, 'succeeded', 'done on paper');
    expect(inputs.run(id).state.status).toBe('succeeded');
    expect(inputs.run(id).times.completed_at).toBe(endedAt);
  });
});
