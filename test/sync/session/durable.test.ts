// Nothing leaves a device before it is on its disk. The disk completes an fsync when the test says so.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FRAME } from '#main/sync/session/control-messages.ts';
import { FolderSync } from '#main/sync/folder/folder-sync.ts';
import { SYNC_PUSH_WINDOW_MS } from '#shared/limits.ts';
import { addWorkflow } from '#test/support/open-store.ts';
import { createSlowDisk } from '#test/support/slow-disk.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import {
  clockForAll,
  connect,
  device,
  settle,
  type Connection,
  type Device,
} from '#test/sync/session/two-devices.ts';

const names = ({ store }: Device): string[] => store.db.values('SELECT name FROM workflows');

const acks = ({ link }: Connection): number =>
  link.delivered.filter((frame) => {
    const isControl = frame[0] === FRAME.control;
    return isControl && Buffer.from(frame).includes('"ack"');
  }).length;

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
}

describe('durable before shared', () => {
  it('[DT-1] changes are sent only after an fsync that began after their commit', async () => {
    const clock = clockForAll();
    const disk = createSlowDisk();
    const [one, other] = [device('a', clock, undefined, disk), device('b', clock)];
    addWorkflow(one.store, 'first');
    const connection = connect(one, other);
    await settle(clock, connection);
    expect([names(other), disk.begun()]).toEqual([[], 1]);

    // This commit comes too late for the fsync in progress.
    addWorkflow(one.store, 'second');
    disk.finish();
    await settle(clock, connection);
    expect([names(other), disk.begun()]).toEqual([['Workflow first'], 2]);

    disk.finish();
    await settle(clock, connection);
    expect(names(other)).toEqual(['Workflow first', 'Workflow second']);
  });

  it('[DT-1] a push asks for an fsync instead of waiting for one', async () => {
    const clock = clockForAll();
    const disk = createSlowDisk();
    const [one, other] = [device('a', clock, undefined, disk), device('b', clock)];
    const connection = connect(one, other);
    await settle(clock, connection);
    const before = disk.begun();
    addWorkflow(one.store, 'first');
    await clock.advance(SYNC_PUSH_WINDOW_MS);
    await turns();
    expect([names(other), disk.begun() - before]).toEqual([[], 1]);
    disk.finish();
    await settle(clock, connection);
    expect(names(other)).toEqual(['Workflow first']);
  });

  it('[DT-1] after a failed fsync nothing is sent; the next session sends it after a good one', async () => {
    const clock = clockForAll();
    const disk = createSlowDisk();
    const [one, other] = [device('a', clock, undefined, disk), device('b', clock)];
    addWorkflow(one.store, 'first');
    const broken = connect(one, other);
    await settle(clock, broken);
    disk.finish(new Error('EIO'));
    await settle(clock, broken);
    expect(names(other)).toEqual([]);
    expect(broken.sessions[0].state).toMatchObject({ name: 'ended', end: { name: 'failed' } });

    const next = connect(one, other);
    await settle(clock, next);
    expect(names(other)).toEqual([]);
    disk.finish();
    await settle(clock, next);
    expect(names(other)).toEqual(['Workflow first']);
  });

  it('[DT-1] commits of an earlier process count as lost until they are fsynced', async () => {
    const clock = clockForAll();
    const disk = createSlowDisk();
    const before = device('a', clock);
    addWorkflow(before.store, 'first');
    const one = device('a', clock, before.store.path, disk);
    const other = device('b', clock);
    const connection = connect(one, other);
    await settle(clock, connection);
    expect([names(other), disk.begun()]).toEqual([[], 1]);
    disk.finish();
    await settle(clock, connection);
    expect(names(other)).toEqual(['Workflow first']);
  });

  it('[DT-2] a merge is confirmed to its sender only when it is on disk', async () => {
    const clock = clockForAll();
    const disk = createSlowDisk();
    const [one, other] = [device('a', clock), device('b', clock, undefined, disk)];
    addWorkflow(one.store, 'first');
    const connection = connect(one, other);
    await settle(clock, connection);
    expect([names(other), acks(connection)]).toEqual([['Workflow first'], 0]);
    disk.finish();
    await settle(clock, connection);
    expect(acks(connection)).toBeGreaterThan(0);
    expect(acks(connection)).toBe(
      connection.link.delivered.filter((frame) => frame[0] === FRAME.changes).length,
    );
  });

  it('[DT-3] a shared folder gets nothing before it is on disk', async () => {
    const clock = clockForAll();
    const disk = createSlowDisk();
    const one = device('a', clock, undefined, disk);
    const other = device('b', clock);
    const key = { spaceKey: () => Buffer.alloc(32, 1) };
    const dir = tempFolder();
    const [ours, theirs] = [one, other].map(({ context }) => new FolderSync(context, key, dir));
    addWorkflow(one.store, 'first');
    await ours?.sync();
    addWorkflow(one.store, 'second');
    const syncing = ours?.sync();
    await turns();
    await theirs?.sync();
    expect([names(other), disk.begun()]).toEqual([['Workflow first'], 1]);
    disk.finish();
    await syncing;
    await theirs?.sync();
    expect(names(other)).toEqual(['Workflow first', 'Workflow second']);
  });
});
