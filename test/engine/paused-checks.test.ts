// A pause stops effects and user code, not the search for the truth about an effect that was sent.
import { describe, expect, it } from 'vitest';
import { FINALIZER_PERIOD_MS, MAX_RECONCILE_ATTEMPTS, NEGATIVES_APART_MS } from '#shared/limits.ts';
import { NOT_THERE } from '#test/support/fake-outside.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

interface Paused extends EngineUnderTest {
  readonly workflowId: string;
  effect(): string | undefined;
  phases(): string[];
}

/** The outcome of an effect is unknown, and the workflow is paused. */
async function pausedWithUnknown(canReconcile: boolean): Promise<Paused> {
  const under = startEngine({ canReconcile });
  const workflowId = await under.add(POSTER);
  under.outside.answers.push({ type: 'ambiguous', error: 'lost' });
  await under.publish(workflowId, 'in', 'm1');
  under.engine.commands.pause(workflowId, 'holiday');
  return {
    ...under,
    workflowId,
    effect: () => under.store.mutations.ofRun(under.runs(workflowId)[0]?.id ?? '')?.state.status,
    phases: () => under.runs(workflowId).map(({ state }) => state.phase),
  };
}

describe('a paused workflow', () => {
  it('[EN-30] is checked as before; a known outcome is recorded, and the run waits for the resume', async () => {
    const paused = await pausedWithUnknown(true);
    paused.outside.reconciles.push({ type: 'happened', result: 1 });
    await paused.pass(2000);
    expect(paused.outside.asked).toBe(2);
    expect(paused.effect()).toBe('applied');
    expect(paused.phases()).toEqual(['mutated']);
    await paused.pass(3 * FINALIZER_PERIOD_MS);
    expect(paused.phases()).toEqual(['mutated']);
    paused.engine.commands.resume(paused.workflowId);
    await paused.idle();
    expect(paused.phases()).toEqual(['committed']);
    expect(paused.outside.arrived).toHaveLength(1);
  });

  it('[EN-30] leaves a run whose outcome is known as it is when Holdfast starts again', async () => {
    const paused = await pausedWithUnknown(true);
    paused.outside.reconciles.push({ type: 'happened', result: 1 });
    await paused.pass(2000);
    await paused.engine.stop();
    const after = paused.restart();
    await after.idle();
    expect(paused.phases()).toEqual(['mutated']);
    after.engine.commands.resume(paused.workflowId);
    await after.idle();
    expect(paused.phases()).toEqual(['committed']);
    expect(paused.outside.arrived).toHaveLength(1);
  });

  it('[EN-30] is checked up to the limit, then a person is asked', async () => {
    const paused = await pausedWithUnknown(true);
    for (let n = 0; n < 20; n += 1) await paused.pass(11 * 60_000);
    expect(paused.outside.asked).toBe(MAX_RECONCILE_ATTEMPTS);
    expect(paused.effect()).toBe('indeterminate');
  });

  it('[EN-30] is checked after a restart, and an effect that did not happen is sent after the resume only', async () => {
    const paused = await pausedWithUnknown(true);
    await paused.engine.stop();
    const after = paused.restart();
    paused.outside.reconciles.push(NOT_THERE, NOT_THERE);
    await after.pass(2000);
    await after.pass(NEGATIVES_APART_MS);
    expect(paused.effect()).toBe('failed');
    await after.pass(60_000);
    expect(paused.outside.arrived).toHaveLength(1);
    after.engine.commands.resume(paused.workflowId);
    await after.pass(60_000);
    expect(paused.outside.arrived).toHaveLength(2);
  });

  it('[EN-30] leaves a run that a person settled as it is until the resume', async () => {
    const paused = await pausedWithUnknown(false);
    const [open] = paused.store.mutations.byStatus('indeterminate');
    paused.engine.decisions.settle('decision', {
      mutationId: open?.id ?? '',
      workflowId: paused.workflowId,
      resolution: 'user_assert_applied',
      result: null,
    });
    await paused.pass(3 * FINALIZER_PERIOD_MS);
    expect(paused.phases()).toEqual(['mutated']);
    paused.engine.commands.resume(paused.workflowId);
    await paused.idle();
    expect(paused.phases()).toEqual(['committed']);
  });
});
