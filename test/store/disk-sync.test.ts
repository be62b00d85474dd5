// On disk before anyone acts, without holding up the thread.
import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Database } from '#main/store/database.ts';
import { DiskSync } from '#main/store/disk-sync.ts';
import { openStore } from '#test/support/open-store.ts';
import { createSlowDisk } from '#test/support/slow-disk.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function watch(promise: Promise<void>): () => string {
  let state = 'waiting';
  promise.then(
    () => (state = 'on disk'),
    (error: Error) => (state = error.message),
  );
  return () => state;
}

function failOnce(db: Database, finish: (error: Error) => void): Promise<void> {
  const { onDisk } = db.writeThenSync(() => undefined);
  finish(new Error('EIO'));
  return onDisk;
}

describe('putting the log on disk', () => {
  it('[DB-5] ends when the disk says so, not before', async () => {
    const { syncFile, finish } = createSlowDisk();
    const disk = new DiskSync('unused', { syncFile });
    const first = watch(disk.sync());
    await turn();
    expect(first()).toBe('waiting');
    finish();
    await turn();
    expect(first()).toBe('on disk');
  });

  it('[DB-5] what is committed while the disk works waits for the next time, all together', async () => {
    const { syncFile, begun, finish } = createSlowDisk();
    const disk = new DiskSync('unused', { syncFile });
    const first = watch(disk.sync());
    const later = [watch(disk.sync()), watch(disk.sync())];
    expect(begun()).toBe(1);
    finish();
    await turn();
    expect([first(), ...later.map((state) => state())]).toEqual(['on disk', 'waiting', 'waiting']);
    expect(begun()).toBe(2);
    finish();
    await turn();
    expect(later.map((state) => state())).toEqual(['on disk', 'on disk']);
  });

  it('[DB-5] a disk that fails is told to those who waited for it, and tried again for the others', async () => {
    const { syncFile, finish } = createSlowDisk();
    const disk = new DiskSync('unused', { syncFile });
    const first = watch(disk.sync());
    const second = watch(disk.sync());
    finish(new Error('EIO'));
    await turn();
    expect([first(), second()]).toEqual(['EIO', 'waiting']);
    finish();
    await turn();
    expect(second()).toBe('on disk');
  });

  it('[DB-11] what nobody waits for fails for the next who does, once', async () => {
    const { syncFile, begun, finish } = createSlowDisk();
    const disk = new DiskSync('unused', { syncFile });
    disk.syncInPassing();
    finish(new Error('EIO'));
    await turn();
    await expect(disk.sync()).rejects.toThrow('EIO');
    expect(begun()).toBe(1);
    const next = watch(disk.sync());
    finish();
    await turn();
    expect(next()).toBe('on disk');
  });

  it('[DB-11] what was committed is put on disk in passing once, and not where somebody waited for it', () => {
    const { syncFile, begun, finish } = createSlowDisk();
    const { db, settings } = openStore('device-a', undefined, { syncFile });
    const synced = (): number => {
      const before = begun();
      db.syncInPassing();
      finish();
      return begun() - before;
    };
    db.writeDurably(() => settings.set('a', 0));
    expect(synced()).toBe(0);
    settings.set('a', 1);
    expect([synced(), synced()]).toEqual([1, 0]);
    settings.set('a', 2);
    void db.writeThenSync(() => settings.set('b', 2));
    finish();
    expect(synced()).toBe(0);
    settings.set('a', 3);
    db.close();
    expect(synced()).toBe(0);
  });

  it('[DB-8] a fast disk is waited for by who is alone; a slow one, or one that failed, by nobody', async () => {
    const { syncFile, begun, finish } = createSlowDisk();
    const waits: (() => void)[] = [];
    let waited = 0;
    let now = 0;
    const disk = new DiskSync('unused', {
      syncFile,
      syncNow: () => {
        waited += 1;
        waits.shift()?.();
      },
      now: () => now,
    });
    const byOthers = async (): Promise<void> => {
      const before = begun();
      const state = watch(disk.sync(true));
      expect(begun()).toBe(before + 1);
      finish();
      await turn();
      expect(state()).toBe('on disk');
    };
    // Nothing is known of it yet.
    await byOthers();
    await disk.sync(true);
    expect(waited).toBe(1);
    const shared = watch(disk.sync());
    expect(begun()).toBe(2);
    // What is committed while the disk works is not in it, alone or not.
    const next = watch(disk.sync(true));
    finish();
    await turn();
    expect([shared(), next(), waited]).toEqual(['on disk', 'waiting', 1]);
    finish();
    await turn();
    expect(next()).toBe('on disk');
    waits.push(() => {
      throw new Error('EIO');
    });
    await expect(disk.sync(true)).rejects.toThrow('EIO');
    await byOthers();
    waits.push(() => {
      now += 5;
    });
    await disk.sync(true);
    expect(waited).toBe(3);
    await byOthers();
  });

  it('[DB-13] after a failure what was lost is made good first; where it cannot be, that is told', async () => {
    const { syncFile, begun, finish } = createSlowDisk();
    const tries: (() => void)[] = [];
    let made = 0;
    const disk = new DiskSync('unused', {
      syncFile,
      syncNow: () => undefined,
      now: () => 0,
      makeGood: () => {
        tries.shift()?.();
        made += 1;
      },
    });
    const first = watch(disk.sync());
    const second = watch(disk.sync());
    tries.push(() => {
      throw new Error('it is read');
    });
    finish(new Error('EIO'));
    await turn();
    // The disk was not asked again: what it says of what it lost means nothing.
    expect([first(), second(), begun(), made]).toEqual(['EIO', 'it is read', 1, 0]);
    const third = watch(disk.sync(true));
    expect([begun(), made]).toEqual([2, 1]);
    finish();
    await turn();
    expect(third()).toBe('on disk');
    await disk.sync(true);
    expect([begun(), made]).toEqual([2, 1]);
  });

  it('[DB-13] the log is brought into the file, all of it, or nothing is called on disk', async () => {
    const { syncFile, finish } = createSlowDisk();
    const { db, settings, path } = openStore('device-a', undefined, { syncFile, busyTimeoutMs: 1 });
    const log = (): number => statSync(`${path}-wal`).size;
    const lost = db.writeThenSync(() => settings.set('a', 1));
    finish(new Error('EIO'));
    await expect(lost.onDisk).rejects.toThrow('EIO');
    expect(settings.get('a')).toBe(1);

    const reader = new SQLite(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM settings').get();
    await expect(db.writeThenSync(() => settings.set('a', 2)).onDisk).rejects.toThrow(
      'cannot be written again while another program reads the database',
    );
    expect(() => db.writeDurably(() => settings.set('a', 3))).toThrow('another program reads');
    expect(settings.get('a')).toBe(2);
    reader.close();

    expect(log()).toBeGreaterThan(0);
    const { onDisk } = db.writeThenSync(() => settings.set('a', 4));
    expect(log()).toBe(0);
    finish();
    await onDisk;
    settings.set('a', 5);
    await expect(failOnce(db, finish)).rejects.toThrow('EIO');
    db.writeDurably(() => settings.set('a', 6));
    // What came before it is in the file; it is alone in a log of its own.
    const copy = join(tempFolder(), 'copy.db');
    copyFileSync(path, copy);
    const alone = new SQLite(copy);
    expect(alone.prepare(`SELECT value FROM settings WHERE key = 'a'`).pluck().get()).toBe('5');
    alone.close();
  });

  it('[DB-5] works on the real log, and may hold durable writes', async () => {
    const { db, settings } = openStore();
    const { result, onDisk } = db.writeThenSync(() =>
      db.writeDurably(() => {
        settings.set('kept', 1);
        return 'done';
      }),
    );
    await onDisk;
    expect(result).toBe('done');
    expect(settings.get('kept')).toBe(1);
    expect(() => db.write(() => db.writeThenSync(() => 1))).toThrow('its commit must be its own');
  });
});
