// What a run needs from a person, for the inbox and for the status of its workflow.
import { expect, it } from 'vitest';
import { needOfRun } from '#main/api/views/run-needs.ts';
import type { SuspendReason } from '#shared/machines/handler-run.ts';
import type { MutationTransition } from '#shared/machines/mutation.ts';
import { mutationId } from '#shared/ids.ts';
import { toWorkflowView } from '#main/api/views/workflow-views.ts';
import { openStore } from '#test/support/open-store.ts';
import { POSTER, startEngine } from '#test/support/start-engine.ts';

const CALL = { toolNamespace: 'outside', toolMethod: 'post', params: {}, idempotencyKey: 'e' };

/** A run suspended with this reason, whose effect made these steps; null: it has none. */
function needOf(
  effect: readonly MutationTransition[] | 'question' | null,
  reason: SuspendReason,
): string | null {
  const store = openStore();
  const { handlerRuns, mutations } = store;
  const run = {
    scriptRunId: 's',
    workflowId: 'w',
    handlerName: 'post',
    inputState: null,
    epoch: 1,
  };
  const { id } = handlerRuns.create({ ...run, handlerType: 'consumer' });
  handlerRuns.moveConsumer(id, { type: 'prepare' });
  handlerRuns.checkpoint(id, {});
  handlerRuns.moveConsumer(id, { type: 'mutate' });
  const mutation = { handlerRunId: id, workflowId: 'w', epoch: 1 };
  if (effect === 'question') mutations.record(mutation, CALL);
  else if (effect !== null) {
    mutations.markInFlight(mutation, CALL);
    for (const step of effect) expect(mutations.move(mutationId(id), step).type).toBe('moved');
  }
  expect(handlerRuns.moveConsumer(id, { type: 'suspend', reason }).type).toBe('moved');
  const stored = handlerRuns.get(id);
  if (!stored) throw new Error('no run');
  return needOfRun(store, stored);
}

it('[CL-7] a run whose outcome is being checked needs nobody', () => {
  expect(needOf([{ type: 'doubt', error: 'lost' }], 'reconciliation')).toBeNull();
  expect(needOf([], 'reconciliation')).toBeNull();
  expect(needOf(null, 'transient')).toBeNull();
});

it('[CL-7] an unknown outcome, a question and a missing permission need a person', () => {
  expect(needOf([{ type: 'give_up', error: 'lost' }], 'reconciliation')).toBe('unknown_effect');
  expect(needOf('question', 'approval')).toBe('question');
  expect(needOf(null, 'approval')).toBe('approval');
});

it('[CL-7] the list counts a run once it needs a person, not while its outcome is being checked', async () => {
  const { add, publish, outside, store, engine } = startEngine({ canReconcile: true });
  const workflowId = await add(POSTER);
  const counted = (): number => {
    const workflow = store.workflows.get(workflowId);
    if (!workflow) throw new Error('no workflow');
    return toWorkflowView(engine, workflow).openQuestions;
  };
  outside.answers.push({ type: 'ambiguous', error: 'lost' });
  outside.reconciles.push({ type: 'unknown', error: 'not yet' });
  await publish(workflowId, 'in', 'm1');
  expect(store.mutations.byStatus('needs_reconcile').length).toBe(1);
  expect(counted()).toBe(0);
  const [checked] = store.mutations.byStatus('needs_reconcile');
  store.mutations.move(checked?.id ?? '', { type: 'give_up', error: 'lost' });
  expect(counted()).toBe(1);
});
