// Undoing a decision about an unknown outcome, on the owner and on another device.
import { describe, expect, it } from 'vitest';
import { mutationId } from '#shared/ids.ts';
import { fillDisk } from '#test/support/full-disk.ts';
import { send, startDevices, type Devices } from '#test/support/start-devices.ts';
import type { EngineUnderTest } from '#test/support/start-engine.ts';

const GRACE = 5_000;

async function withUnknown(names: readonly string[]): Promise<
  Devices & {
    readonly owner: EngineUnderTest;
    readonly unknown: string;
    decide(on: EngineUnderTest, id: string, graceMs?: number): string;
    status(on: EngineUnderTest, id: string): string | undefined;
    withdraw(on: EngineUnderTest, id: string): string;
  }
> {
  const devices = await startDevices(names);
  const { all, outside, workflowId } = devices;
  const owner = all[0] as EngineUnderTest;
  outside.answers.push({ type: 'ambiguous', error: 'cut off' });
  await owner.publish(workflowId, 'in', 'm1');
  for (const other of all.slice(1)) await send(owner, other);
  const unknown = mutationId(owner.runs(workflowId)[0]?.id ?? '');
  return {
    ...devices,
    owner,
    unknown,
    // The decision that sends it again.
    decide: ({ engine }, id, graceMs) =>
      engine.decisions.settle(id, {
        mutationId: unknown,
        workflowId,
        resolution: 'user_assert_failed',
        graceMs,
      }).status,
    status: ({ store }, id) => store.resolutions.get(id)?.status,
    withdraw: ({ engine }, resolutionId) =>
      engine.decisions.submit(workflowId, { kind: 'withdraw', resolutionId }).status,
  };
}

describe('a decision that can be undone', () => {
  it('[DX-1] is carried out when its undo period ends, not before, and once', async () => {
    const { owner, outside, decide, status } = await withUnknown(['a']);
    expect(decide(owner, 'r', GRACE)).toBe('waiting');
    await owner.pass(GRACE - 1);
    expect(status(owner, 'r')).toBe('waiting');
    expect(outside.arrived.length).toBe(1);
    await owner.pass(1);
    expect(status(owner, 'r')).toBe('done');
    expect(outside.arrived.length).toBe(2);
    await owner.pass(GRACE);
    expect(outside.arrived.length).toBe(2);
  });

  it('[DB-19] is tried again if the disk was full when its undo period ended, and sent once', async () => {
    const { owner, outside, decide, status } = await withUnknown(['a']);
    decide(owner, 'r', GRACE);
    const { db } = owner.store;
    const empty = fillDisk(db, /^\s*UPDATE resolutions/);
    await owner.pass(GRACE);
    expect(status(owner, 'r')).toBe('waiting');
    expect(outside.arrived.length).toBe(1);
    empty();
    await owner.pass(10_000);
    expect(status(owner, 'r')).toBe('done');
    expect(outside.arrived.length).toBe(2);
  });

  it('[DX-1] sends nothing if it is undone in time, and another decision can be made', async () => {
    const { owner, outside, decide, status, withdraw, unknown } = await withUnknown(['a']);
    decide(owner, 'r', GRACE);
    expect(withdraw(owner, 'r')).toBe('done');
    await owner.pass(GRACE);
    expect(status(owner, 'r')).toBe('superseded');
    expect(outside.arrived.length).toBe(1);
    expect(owner.store.mutations.get(unknown)?.state.status).toBe('indeterminate');
    decide(owner, 'again');
    expect(status(owner, 'again')).toBe('done');
  });

  it('[DX-1] stays done if it is undone too late', async () => {
    const { owner, decide, status, withdraw } = await withUnknown(['a']);
    decide(owner, 'r', GRACE);
    await owner.pass(GRACE);
    expect(withdraw(owner, 'r')).toBe('superseded');
    expect(status(owner, 'r')).toBe('done');
  });

  it('[DX-1] survives a restart and is carried out when its undo period ends', async () => {
    const { owner, outside, decide, status } = await withUnknown(['a']);
    decide(owner, 'r', GRACE);
    // Stopped, not killed, because the shared clock would wake a killed engine too.
    await owner.engine.stop();
    const again = owner.restart();
    await again.idle();
    expect(status(again, 'r')).toBe('waiting');
    await again.pass(GRACE);
    expect(status(again, 'r')).toBe('done');
    expect(outside.arrived.length).toBe(2);
  });

  it('[DX-2] does nothing if it reaches the owner together with its undo', async () => {
    const { all, owner, outside, decide, status, withdraw } = await withUnknown(['a', 'b']);
    const b = all[1] as EngineUnderTest;
    expect(decide(b, 'r')).toBe('waiting');
    expect(withdraw(b, 'r')).toBe('waiting');
    // Only the owner writes the outcome.
    expect(status(b, 'r')).toBe('waiting');
    await send(b, owner);
    await send(owner, b);
    expect(status(b, 'r')).toBe('superseded');
    expect(outside.arrived.length).toBe(1);
  });

  it("[DX-2] is carried out at once by an owner that did not write it, even if the writer's clock is ahead", async () => {
    const { all, owner, decide, status } = await withUnknown(['a', 'b']);
    const b = all[1] as EngineUnderTest;
    await b.store.clock.advance(3_600_000);
    decide(b, 'r', GRACE);
    await send(b, owner);
    expect(status(owner, 'r')).toBe('done');
  });

  it('[DX-2] stays done if its undo reaches the owner too late, and the undo says so', async () => {
    const { all, owner, workflowId, decide, status, withdraw } = await withUnknown(['a', 'b']);
    const b = all[1] as EngineUnderTest;
    decide(b, 'r');
    await send(b, owner);
    withdraw(b, 'r');
    await send(b, owner);
    await send(owner, b);
    expect(status(b, 'r')).toBe('done');
    const [withdrawal] = b.store.intents.list({ workflowId, limit: 1 }).intents;
    expect(withdrawal).toMatchObject({
      status: 'superseded',
      message: 'Too late to undo: the owner had already handled this decision.',
    });
  });
});
