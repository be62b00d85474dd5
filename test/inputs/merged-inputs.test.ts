// One run that takes the events of several inputs: what happens to one must not lose the others, and
// what follows counts for all of them.
import { describe, expect, it } from 'vitest';
import type { Stop } from '#shared/inputs/kinds.ts';
import { MAX_INPUTS_OF_RUN } from '#shared/limits.ts';
import { startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';

/** Posts all pending events in one call, then posts the merged result. */
const BATCH = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Batch', uses: { outside: {} }, topics: ['in', 'merged', 'late'],
  consumers: {
    merge: {
      subscribes: 'in', publishes: ['merged'],
      async prepare(ctx) {
        const events = await ctx.peek('in', { limit: 10 });
        return { reservations: events, data: events.map(({ payload }) => payload) };
      },
      async mutate(ctx, { data }) { await ctx.tools.outside.post(data); },
      async next(ctx, { data }) { await ctx.publish('merged', { id: 'm', title: 'Merged', payload: data }); },
    },
    follow: {
      subscribes: 'merged', publishes: ['late'],
      async prepare(ctx) {
        const [event] = await ctx.peek('merged', { limit: 1 });
        return event ? { reservations: [event], data: event.payload } : {};
      },
      async mutate(ctx, { data }) { await ctx.tools.outside.post({ merged: data }); },
      async next(ctx) { await ctx.publish('late', { id: 'l', title: 'Late' }); },
    },
    end: {
      subscribes: 'late',
      async prepare(ctx) {
        const [event] = await ctx.peek('late', { limit: 1 });
        return event ? { reservations: [event] } : {};
      },
    },
  },
});`;

interface Batch extends InputsUnderTest {
  readonly workflowId: string;
  readonly ids: readonly string[];
  statuses(): (string | undefined)[];
}

/** One run holds the events of inputs with these payloads, and waits for a permission. */
async function waitingTogether(payloads: readonly number[]): Promise<Batch> {
  const inputs = startInputs();
  const { under } = inputs;
  const workflowId = await under.add(BATCH);
  under.store.grants.remove(workflowId, 'outside');
  under.engine.commands.pause(workflowId, '');
  const ids: string[] = [];
  for (const payload of payloads) {
    ids.push(await inputs.start(workflowId, payload));
    await inputs.pass(1);
  }
  under.engine.commands.resume(workflowId);
  await inputs.idle();
  const statuses = (): (string | undefined)[] => ids.map((id) => inputs.run(id).state.status);
  return { ...inputs, workflowId, ids, statuses };
}

async function grant({ under, workflowId, idle }: Batch): Promise<void> {
  under.store.grants.set(workflowId, 'outside', {});
  under.engine.commands.resume(workflowId);
  await idle();
}

describe('a stopped input', () => {
  it.each<Stop>(['skipped', 'canceled'])(
    '[AR-11] that is %s gives the events of the others back, and a new run takes them',
    async (as) => {
      const batch = await waitingTogether([1, 2, 3]);
      const { under, workflowId, ids, statuses } = batch;
      expect(under.runs(workflowId).map(({ state }) => state.phase)).toEqual(['suspended']);
      under.engine.decisions.submit(workflowId, {
        kind: 'stop_input',
        inputId: ids[1] ?? '',
        as,
        reason: 'twice',
      });
      await batch.idle();
      expect(statuses()).toEqual(['needs_human', as, 'needs_human']);
      await grant(batch);
      expect(under.outside.arrived.map(({ params }) => params)).toEqual([
        [1, 3],
        { merged: [1, 3] },
      ]);
      expect(statuses()).toEqual(['succeeded', as, 'succeeded']);
      const attempts = ids.map((id) => {
        const [first = ''] = under.store.inputChain.eventIds(id, 1);
        return under.store.events.get(first)?.state.attempt;
      });
      expect(attempts).toEqual([1, 1, 1]);
    },
  );
});

/** Two inputs were merged, and the effect that follows has an unknown outcome. */
async function mergedAndUnknown(): Promise<Batch> {
  const batch = await waitingTogether([1, 2]);
  batch.under.outside.answers.push(
    { type: 'applied', result: null },
    { type: 'ambiguous', error: 'lost' },
  );
  await grant(batch);
  return batch;
}

async function settleUnknown({ under, workflowId, idle }: Batch): Promise<void> {
  const [open] = under.store.mutations.byStatus('indeterminate');
  under.engine.decisions.settle('decision', {
    mutationId: open?.id ?? '',
    workflowId,
    resolution: 'user_assert_applied',
    result: null,
    note: undefined,
    isConfirmed: false,
  });
  await idle();
}

describe('what follows a run that took events of two inputs', () => {
  it('[AR-12] counts for both: they need a person together and succeed together', async () => {
    const batch = await mergedAndUnknown();
    expect(batch.statuses()).toEqual(['needs_human', 'needs_human']);
    await settleUnknown(batch);
    expect(batch.statuses()).toEqual(['succeeded', 'succeeded']);
  });

  it('[AR-12] is dropped only when all of the inputs are stopped', async () => {
    const batch = await waitingTogether([1, 2, 3]);
    const { under, workflowId, ids } = batch;
    const { events, inputChain } = under.store;
    under.outside.answers.push(() => {
      under.engine.commands.pause(workflowId, 'before the merged event is taken');
      return { type: 'applied', result: null };
    });
    await grant(batch);
    const merged = () =>
      inputChain
        .eventIds(ids[0] ?? '', 9)
        .map((id) => events.get(id))
        .find((event) => event?.title === 'Merged')?.state.status;
    expect(merged()).toBe('pending');
    const after: unknown[] = [];
    for (const inputId of ids) {
      const stop = { kind: 'stop_input', inputId, as: 'canceled', reason: '' } as const;
      under.engine.decisions.submit(workflowId, stop);
      await batch.idle();
      after.push(merged());
    }
    expect(after).toEqual(['pending', 'pending', 'skipped']);
    expect(under.outside.arrived).toHaveLength(1);
  });

  it('[AR-12] is listed under both, and so is what follows that', async () => {
    const batch = await mergedAndUnknown();
    await settleUnknown(batch);
    const { events, inputChain } = batch.under.store;
    const titles = batch.ids.map((id) =>
      inputChain.eventIds(id, 9).map((event) => events.get(event)?.title),
    );
    expect(titles).toEqual([
      ['Manual', 'Merged', 'Late'],
      ['Manual', 'Merged', 'Late'],
    ]);
  });

  it('[AR-12] is dropped only when both are stopped', async () => {
    const batch = await waitingTogether([1, 2]);
    const { under, workflowId, ids, statuses } = batch;
    const skip = (inputId = ''): void => {
      const request = { kind: 'stop_input', inputId, as: 'skipped', reason: 'no' } as const;
      under.engine.decisions.submit(workflowId, request);
    };
    // The workflow pauses as soon as the two are merged.
    under.outside.answers.push(() => {
      under.engine.commands.pause(workflowId, '');
      return { type: 'applied', result: null };
    });
    await grant(batch);
    const merged = under.store.inputChain.eventIds(ids[0] ?? '', 9)[1] ?? '';
    skip(ids[0]);
    expect(under.store.events.get(merged)?.state.status).toBe('pending');
    expect(statuses()).toEqual(['running', 'running']);
    skip(ids[1]);
    expect(under.store.events.get(merged)?.state.status).toBe('skipped');
    expect(statuses().includes('running')).toBe(false);
  });

  it('[AR-12] a run that would take events of more inputs than the limit stops before its effect', async () => {
    const batch = await waitingTogether([1]);
    const { under, workflowId } = batch;
    const topic = under.store.topics.ensure(workflowId, 'in');
    under.store.events.publish({
      topic,
      messageId: 'many',
      title: 'Many',
      payload: 2,
      causedBy: 'input',
      alsoCausedBy: Array.from({ length: MAX_INPUTS_OF_RUN }, (_, n) => `input-${n}`),
    });
    await grant(batch);
    expect(under.outside.arrived).toEqual([]);
    expect(under.store.workflows.get(workflowId)?.statusReason).toContain('inputs');
  });
});
