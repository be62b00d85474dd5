// One run that takes the events of several inputs: what happens to one must not lose the others, and
// what follows counts for all of them.
import { describe, expect, it } from 'vitest';
import type { Stop } from '#shared/inputs/kinds.ts';
import { startInputs, type InputsUnderTest } from '#test/support/start-inputs.ts';

/** Posts all pending events in one call. */
const BATCH = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Batch', uses: { outside: {} }, topics: ['in', 'merged'],
  consumers: {
    merge: {
      subscribes: 'in', publishes: ['merged'],
      async prepare(ctx) {
        const events = await ctx.peek('in', { limit: 10 });
        return { reservations: events, data: events.map(({ payload }) => payload) };
      },
      async mutate(ctx, { data }) { await ctx.tools.outside.post(data); },
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
      expect(under.outside.arrived.map(({ params }) => params)).toEqual([[1, 3]]);
      expect(statuses()).toEqual(['succeeded', as, 'succeeded']);
      const attempts = ids.flatMap((id) =>
        under.store.inputChain
          .eventIds(id, 9)
          .map((event) => under.store.events.get(event)?.state.attempt),
      );
      expect(attempts).toEqual([1, 1, 1]);
    },
  );
});
