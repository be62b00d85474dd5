// Group commit: one transaction and one fsync for everything that is ready in one event loop turn.
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CommitQueue } from '#main/store/sqlite/commit-queue.ts';
import { openStore } from '#test/support/open-store.ts';
import { createSlowDisk } from '#test/support/slow-disk.ts';

function openQueue() {
  const disk = createSlowDisk();
  const { db, settings } = openStore('device-a', undefined, disk);
  const commits = { made: 0 };
  db.changes.onCommit(() => {
    commits.made += 1;
  });
  const settled: string[] = [];
  const queue = new CommitQueue(db);
  const write = (name: string, isDurable = false): Promise<unknown> =>
    queue[isDurable ? 'commitDurably' : 'commit'](() => settings.set(name, 1)).then(() =>
      settled.push(name),
    );
  return { db, settings, disk, commits, settled, queue, write };
}

describe('group commit', () => {
  it('[EN-19] writes of one event loop turn share a transaction; durable ones resolve after its fsync, others after its commit', async () => {
    const { disk, commits, settled, write, queue } = openQueue();
    const settledInside: number[] = [];
    const all = Promise.all([
      write('a'),
      write('b', true),
      queue.commit(() => settledInside.push(settled.length)),
    ]);
    await pause(20);
    expect(settled).toEqual(['a']);
    disk.finish();
    await all;
    expect(settled).toEqual(['a', 'b']);
    expect(settledInside).toEqual([0]);
    expect(commits.made).toBe(1);
    expect(disk.begun()).toBe(1);
  });

  it('[EN-19] a write that throws is rolled back and rejected; the other writes of its group commit', async () => {
    const { settings, disk, commits, settled, write, queue } = openQueue();
    let tries = 0;
    const all = Promise.allSettled([
      write('a'),
      queue.commit(() => {
        tries += 1;
        settings.set('b', 1);
        throw new Error('boom');
      }),
      write('c', true),
    ]);
    await pause(20);
    expect(settled).toEqual(['a']);
    disk.finish();
    expect(await all).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { message: 'boom' } },
      { status: 'fulfilled' },
    ]);
    expect([settings.get('a'), settings.get('b'), settings.get('c')]).toEqual([1, undefined, 1]);
    expect(tries).toBe(2);
    expect(commits.made).toBe(2);
  });

  it('[EN-19] if the commit itself fails, the whole group is rejected and not retried', async () => {
    const { db, settings, queue } = openQueue();
    let tries = 0;
    db.beforeCommit(() => {
      throw new Error('no room');
    });
    const all = await Promise.allSettled(
      ['a', 'b'].map((name) =>
        queue.commit(() => {
          tries += 1;
          settings.set(name, 1);
        }),
      ),
    );
    expect(all).toMatchObject([
      { reason: { message: 'no room' } },
      { reason: { message: 'no room' } },
    ]);
    expect(tries).toBe(2);
    expect([settings.get('a'), settings.get('b')]).toEqual([undefined, undefined]);
  });

  it('[EN-19] a failed fsync rejects the durable write that waited for it', async () => {
    const { disk, write } = openQueue();
    const durable = write('c', true);
    await pause(20);
    disk.finish(new Error('EIO'));
    await expect(durable).rejects.toThrow('EIO');
  });

  it('[EN-19] a closed database rejects every later write', async () => {
    const { db, queue } = openQueue();
    db.close();
    for (let group = 0; group < 8; group += 1) {
      await expect(queue.commit(() => group)).rejects.toThrow('not open');
    }
  });
});
