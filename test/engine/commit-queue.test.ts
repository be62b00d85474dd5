// What is ready together is committed together; each part stands for itself all the same.
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CommitQueue } from '#main/engine/commit-queue.ts';
import { openStore } from '#test/support/open-store.ts';
import { createSlowDisk } from '#test/support/slow-disk.ts';

function openQueue() {
  const disk = createSlowDisk();
  const { db, settings } = openStore('device-a', undefined, disk);
  const commits = { made: 0 };
  db.changes.onCommit(() => {
    commits.made += 1;
  });
  const told: string[] = [];
  const queue = new CommitQueue(db);
  /** What each of them came to, in the order of the names. */
  const write = (name: string, isDurable = false): Promise<unknown> =>
    queue[isDurable ? 'commitDurably' : 'commit'](() => settings.set(name, 1)).then(() =>
      told.push(name),
    );
  return { db, settings, disk, commits, told, queue, write };
}

describe('group commit', () => {
  it('[EN-19] what is ready in one turn shares a transaction, and is told after it', async () => {
    const { disk, commits, told, write, queue } = openQueue();
    const toldBefore: number[] = [];
    const all = Promise.all([
      write('a'),
      write('b', true),
      queue.commit(() => toldBefore.push(told.length)),
    ]);
    await pause(20);
    // Who needs the disk waits for it; the others do not.
    expect(told).toEqual(['a']);
    disk.finish();
    await all;
    expect(told).toEqual(['a', 'b']);
    expect(toldBefore).toEqual([0]);
    expect(commits.made).toBe(1);
    expect(disk.begun()).toBe(1);
  });

  it('[EN-19] one that throws leaves nothing behind, and spoils nothing for the others', async () => {
    const { settings, disk, commits, told, write, queue } = openQueue();
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
    expect(told).toEqual(['a']);
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

  it('[EN-19] where the commit itself fails, all are told, and nothing is tried again', async () => {
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

  it('[EN-19] a disk that fails is told to whoever waited for it', async () => {
    const { disk, write } = openQueue();
    const durable = write('c', true);
    await pause(20);
    disk.finish(new Error('EIO'));
    await expect(durable).rejects.toThrow('EIO');
  });

  it('[EN-19] a database that was closed meanwhile is told to everybody, group after group', async () => {
    const { db, queue } = openQueue();
    db.close();
    for (let group = 0; group < 8; group += 1) {
      await expect(queue.commit(() => group)).rejects.toThrow('not open');
    }
  });

  it('[DB-10] a log that has grown long is folded before a group, which waits until the disk has it', async () => {
    const { db, commits, queue, settings } = openQueue();
    const log = (): unknown => db.get('PRAGMA wal_checkpoint(NOOP)');
    const write = (): Promise<unknown> => queue.commit(() => settings.set('b', commits.made));
    for (let group = 0; group < 70; group += 1) await write();
    expect(log()).toMatchObject({ checkpointed: 0 });

    settings.set('long', 'x'.repeat(8 * 1024 * 1024));
    const turnsOf = async (): Promise<number> => {
      const done = write().then(() => true);
      const isDone = (): Promise<boolean> => Promise.race([done, turn(false)]);
      let turns = 1;
      while (!(await isDone())) turns += 1;
      return turns;
    };
    const before = commits.made;
    const all: number[] = [];
    while (all.length < 64) all.push(await turnsOf());
    // The others went on meanwhile, for at least one turn of the event loop.
    expect(all.filter((turns) => turns !== 1)).toHaveLength(1);
    expect(commits.made).toBe(before + 64);
    // What was in the log is in the file, and the log began anew.
    expect((log() as { log: number }).log).toBeLessThan(200);
  });
});
