// Effects whose outcome is unknown: when checks prove that they didn't happen.
import { describe, expect, it } from 'vitest';
import { MAX_RECONCILE_ATTEMPTS, MAX_TRANSIENT_RETRIES, SEND_WITHIN_MS } from '#shared/limits.ts';
import type { MutationState } from '#shared/machines/mutation.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { startDevices } from '#test/support/start-devices.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';

const HOUR = 60 * 60_000;
const AFTER_A_MINUTE = { type: 'not_there', windowMs: 60_000 } as const;
const AT_ONCE = { type: 'not_there', windowMs: 0 } as const;
const UNCLEAR = { type: 'unknown', error: '500' } as const;
const LOST = { type: 'ambiguous', error: 'lost' } as const;

interface InDoubt extends EngineUnderTest {
  readonly workflowId: string;
  effect(): MutationState | undefined;
}

async function inDoubt(...answers: EngineUnderTest['outside']['reconciles']): Promise<InDoubt> {
  const under = startEngine({ canReconcile: true });
  const workflowId = await under.add(POSTER);
  under.outside.answers.push(LOST);
  under.outside.reconciles.push(...answers);
  await under.publish(workflowId, 'in', 'm1');
  return withEffect(under, workflowId);
}

function withEffect(under: EngineUnderTest, workflowId: string): InDoubt {
  const effect = (): MutationState | undefined =>
    under.store.mutations.ofRun(under.runs(workflowId)[0]?.id ?? '')?.state;
  return { ...under, workflowId, effect };
}

/** In steps, so that each check ends before the time goes on. */
async function passing({ pass }: EngineUnderTest, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) await pass(1000);
}

/** Calls `act` once, at the next time the engine reaches this point. */
function once(under: EngineUnderTest, point: string, act: () => void): void {
  let isDone = false;
  Object.assign(under.engine.context, {
    probe: (reached: string) => {
      if (reached !== point || isDone) return;
      isDone = true;
      act();
    },
  });
}

describe('a check that does not find the effect', () => {
  it('[DO-1] proves nothing alone; after a second one past the window, a new run sends the effect', async () => {
    const under = await inDoubt();
    under.outside.reconciles.push(...Array.from({ length: 20 }, () => AFTER_A_MINUTE));
    await passing(under, 59_000);
    expect(under.effect()).toMatchObject({ status: 'needs_reconcile' });
    expect(under.outside.arrived).toHaveLength(1);
    await passing(under, 20_000);
    expect(under.effect()).toMatchObject({ status: 'failed' });
    expect(under.outside.arrived).toHaveLength(2);
  });

  it('[DO-1] counts only with a second one; an unclear answer between them discards the first', async () => {
    const under = await inDoubt(AT_ONCE, UNCLEAR, AT_ONCE, UNCLEAR);
    await passing(under, 30_000);
    expect(under.outside.asked).toBe(4);
    expect(under.effect()).toMatchObject({ status: 'needs_reconcile' });
    under.outside.reconciles.push(AT_ONCE, AT_ONCE);
    await passing(under, 120_000);
    expect(under.effect()).toMatchObject({ status: 'failed' });
  });

  it('[DO-2] proves nothing after hours of sleep: the window starts again', async () => {
    const under = await inDoubt(AFTER_A_MINUTE);
    under.outside.reconciles.push(...Array.from({ length: 20 }, () => AFTER_A_MINUTE));
    for (let n = 0; n < 3; n += 1) {
      under.store.clock.suspend(3 * HOUR);
      await under.pass(0);
      await passing(under, 10_000);
      expect(under.effect()).toMatchObject({ status: 'needs_reconcile' });
    }
    expect(under.outside.asked).toBeGreaterThan(3);
    expect(under.outside.arrived).toHaveLength(1);
    await passing(under, 300_000);
    expect(under.outside.arrived).toHaveLength(2);
  });

  it('[DO-2] proves nothing after a restart, because the time in between is unknown', async () => {
    const before = await inDoubt(AFTER_A_MINUTE, AFTER_A_MINUTE, AFTER_A_MINUTE);
    await passing(before, 55_000);
    const under = withEffect(before.crash(), before.workflowId);
    await under.idle();
    under.outside.reconciles.push(...Array.from({ length: 20 }, () => AFTER_A_MINUTE));
    await passing(under, 59_000);
    expect(under.effect()).toMatchObject({ status: 'needs_reconcile' });
    expect(under.outside.arrived).toHaveLength(1);
    await passing(under, 300_000);
    expect(under.outside.arrived).toHaveLength(2);
  });

  it('[DO-4] is repeated when it can be conclusive, however long the window is', async () => {
    const daily = { type: 'not_there', windowMs: 24 * HOUR } as const;
    const under = await inDoubt(...Array.from({ length: 20 }, () => daily));
    for (let minute = 0; minute < 23 * 60; minute += 1) await under.pass(60_000);
    expect(under.effect()).toMatchObject({ status: 'needs_reconcile' });
    for (let minute = 0; minute < 3 * 60; minute += 1) await under.pass(60_000);
    expect(under.effect()).toMatchObject({ status: 'failed' });
    expect(under.outside.asked).toBeLessThanOrEqual(MAX_RECONCILE_ATTEMPTS);
    expect(under.outside.arrived).toHaveLength(2);
  });

  it('[DO-4] asks a person if the last one is inconclusive, too', async () => {
    const answers = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? UNCLEAR : AT_ONCE));
    const under = await inDoubt(...answers);
    for (let minute = 0; minute < 60; minute += 1) await under.pass(60_000);
    expect(under.outside.asked).toBe(MAX_RECONCILE_ATTEMPTS);
    expect(under.effect()).toMatchObject({ status: 'indeterminate' });
    expect(under.outside.arrived).toHaveLength(1);
  });
});

describe('between the commit and the first byte', () => {
  it('[DO-6] after a sleep nothing is sent; the run starts over and uses up no attempt', async () => {
    const under = startEngine();
    const { add, publish, outside, store, runs, pass } = under;
    const workflowId = await add(POSTER);
    // More often than a handler may fail.
    for (let n = 0; n < MAX_TRANSIENT_RETRIES + 2; n += 1) {
      once(under, 'in_flight:after', () => store.clock.suspend(SEND_WITHIN_MS + 1));
      await publish(workflowId, 'in', `m${n}`);
      await pass(0);
    }
    const all = runs(workflowId);
    expect(all.map(({ state }) => state.phase)).toEqual(
      Array.from({ length: MAX_TRANSIENT_RETRIES + 2 }, () => ['failed', 'committed']).flat(),
    );
    const [first] = all;
    expect(store.mutations.ofRun(first?.id ?? '')?.state).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^15 s passed between .* Nothing was sent\./),
    });
    expect(outside.arrived).toHaveLength(MAX_TRANSIENT_RETRIES + 2);
    expect(store.workflows.get(workflowId)?.status).toBe('active');
    expect(store.consumerWakes.get(workflowId, 'post').failures).toBe(0);
  });

  it('[DO-6] a clock that was set back in between counts as a sleep; a few seconds do not', async () => {
    for (const [ms, phases] of [
      [-HOUR, ['failed', 'committed']],
      [SEND_WITHIN_MS, ['committed']],
    ] as const) {
      const under = startEngine();
      const workflowId = await under.add(POSTER);
      once(under, 'send:before', () => under.store.clock.suspend(ms));
      await under.publish(workflowId, 'in', 'm1');
      expect(under.runs(workflowId).map(({ state }) => state.phase)).toEqual(phases);
    }
  });

  it('[DO-6] the former owner sends nothing if a take-over arrives there', async () => {
    const { all, outside, workflowId } = await startDevices(['a', 'b']);
    const [a, b] = all as [EngineUnderTest, EngineUnderTest];
    once(a, 'send:before', () => {
      b.engine.ownership.takeOver(workflowId);
      exchange(b.store.db, a.store.db);
    });
    await a.publish(workflowId, 'in', 'm1');
    expect(a.engine.ownership.owns(workflowId)).toBe(false);
    expect(outside.arrived).toHaveLength(0);
    expect(a.runs(workflowId).map(({ state }) => state.phase)).toEqual(['failed']);
  });

  it('[DO-7] a sleep before a resend that a person chose leaves the outcome unknown, and nothing is sent', async () => {
    const under = startEngine();
    const workflowId = await under.add(POSTER);
    under.outside.answers.push(LOST);
    await under.publish(workflowId, 'in', 'm1');
    const [open] = under.store.mutations.byStatus('indeterminate');
    once(under, 'send:before', () => under.store.clock.suspend(SEND_WITHIN_MS + 1));
    under.engine.decisions.settle('decision', {
      mutationId: open?.id ?? '',
      workflowId,
      resolution: 'user_retry',
    });
    await under.idle();
    expect(under.outside.arrived).toHaveLength(1);
    const { effect } = withEffect(under, workflowId);
    expect(effect()).toMatchObject({
      status: 'indeterminate',
      error: expect.stringContaining('Nothing was sent.'),
    });
  });
});

it('[DO-8] an effect id that was sent before is known to the tool: by any row that was in flight, on any device', async () => {
  const under = await inDoubt(AT_ONCE, AT_ONCE);
  const known: boolean[] = [];
  type Call = (context: { wasSentBefore: boolean }, params: unknown) => unknown;
  const post = under.outside.tools['outside']?.methods['post'] as never as { call: Call };
  const { call } = post;
  Object.assign(post, {
    call: (context: { wasSentBefore: boolean }, params: unknown) => {
      known.push(context.wasSentBefore);
      return call(context, params);
    },
  });
  await passing(under, 20_000);
  await under.publish(under.workflowId, 'in', 'm2');
  expect(known).toEqual([true, false]);
});
