// Durability without blocking the event loop, on slow and failing disks.
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { Database } from '#main/store/sqlite/database.ts';
import { WalFsync } from '#main/store/sqlite/wal-fsync.ts';
import { openStore } from '#test/support/open-store.ts';
import { createRandom } from '#test/support/seeded-random.ts';
import { createSlowDisk } from '#test/support/slow-disk.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { isLinux, onlyOnLinux } from '#test/support/not-run.ts';

function watch(promise: Promise<void>): () => string {
  let state = 'waiting';
  promise.then(
    () => (state = 'on disk'),
    (error: Error) => (state = error.message),
  );
  return () => state;
}

function failOnce(db: Database, finish: (error: Error) => void): Promise<void> {
  const { onDisk } = db.writeThenFsync(() => undefined);
  finish(new Error('EIO'));
  return onDisk;
}

describe('fsync of the WAL', () => {
  it('[DB-5] resolves when the disk has finished, not before', async () => {
    const { fsync, finish } = createSlowDisk();
    const disk = new WalFsync('unused', { fsync });
    const first = watch(disk.fsync());
    await turn();
    expect(first()).toBe('waiting');
    finish();
    await turn();
    expect(first()).toBe('on disk');
  });

  it('[DB-5] callers during an fsync share the next one', async () => {
    const { fsync, begun, finish } = createSlowDisk();
    const disk = new WalFsync('unused', { fsync });
    const first = watch(disk.fsync());
    const later = [watch(disk.fsync()), watch(disk.fsync())];
    expect(begun()).toBe(1);
    finish();
    await turn();
    expect([first(), ...later.map((state) => state())]).toEqual(['on disk', 'waiting', 'waiting']);
    expect(begun()).toBe(2);
    finish();
    await turn();
    expect(later.map((state) => state())).toEqual(['on disk', 'on disk']);
  });

  it('[DB-5] a failed fsync rejects its waiters and is repeated for the callers after it', async () => {
    const { fsync, finish } = createSlowDisk();
    const disk = new WalFsync('unused', { fsync });
    const first = watch(disk.fsync());
    const second = watch(disk.fsync());
    finish(new Error('EIO'));
    await turn();
    expect([first(), second()]).toEqual(['EIO', 'waiting']);
    finish();
    await turn();
    expect(second()).toBe('on disk');
  });

  it('[DB-11] the error of a background fsync rejects the next waiter, once', async () => {
    const { fsync, begun, finish } = createSlowDisk();
    const disk = new WalFsync('unused', { fsync });
    disk.fsyncInBackground();
    finish(new Error('EIO'));
    await turn();
    await expect(disk.fsync()).rejects.toThrow('EIO');
    expect(begun()).toBe(1);
    const next = watch(disk.fsync());
    finish();
    await turn();
    expect(next()).toBe('on disk');
  });

  it('[DB-11] a background fsync runs once per commit, and not after a durable write or a close', () => {
    const { fsync, begun, finish } = createSlowDisk();
    const { db, settings } = openStore('device-a', undefined, { fsync });
    const synced = (): number => {
      const before = begun();
      db.fsyncInBackground();
      finish();
      return begun() - before;
    };
    db.writeDurably(() => settings.set('a', 0));
    expect(synced()).toBe(0);
    settings.set('a', 1);
    expect([synced(), synced()]).toEqual([1, 0]);
    settings.set('a', 2);
    void db.writeThenFsync(() => settings.set('b', 2));
    finish();
    expect(synced()).toBe(0);
    settings.set('a', 3);
    db.close();
    expect(synced()).toBe(0);
  });

  it('[DB-8] a lone caller blocks on a disk that was fast the last time, never on a slow or failed one', async () => {
    const { fsync, begun, finish } = createSlowDisk();
    const waits: (() => void)[] = [];
    let waited = 0;
    let now = 0;
    const disk = new WalFsync('unused', {
      fsync,
      fsyncSync: () => {
        waited += 1;
        waits.shift()?.();
      },
      now: () => now,
    });
    const onThreadPool = async (): Promise<void> => {
      const before = begun();
      const state = watch(disk.fsync(true));
      expect(begun()).toBe(before + 1);
      finish();
      await turn();
      expect(state()).toBe('on disk');
    };
    // No fsync was timed yet.
    await onThreadPool();
    await disk.fsync(true);
    expect(waited).toBe(1);
    const shared = watch(disk.fsync());
    expect(begun()).toBe(2);
    // A commit during an fsync is not covered by it, alone or not.
    const next = watch(disk.fsync(true));
    finish();
    await turn();
    expect([shared(), next(), waited]).toEqual(['on disk', 'waiting', 1]);
    finish();
    await turn();
    expect(next()).toBe('on disk');
    waits.push(() => {
      throw new Error('EIO');
    });
    await expect(disk.fsync(true)).rejects.toThrow('EIO');
    await onThreadPool();
    waits.push(() => {
      now += 5;
    });
    await disk.fsync(true);
    expect(waited).toBe(3);
    await onThreadPool();
  });

  it('[DB-13] after a failed fsync, recovery runs before the next one and its error rejects the waiters', async () => {
    const { fsync, begun, finish } = createSlowDisk();
    const tries: (() => void)[] = [];
    let made = 0;
    const disk = new WalFsync('unused', {
      fsync,
      fsyncSync: () => undefined,
      now: () => 0,
      recover: () => {
        tries.shift()?.();
        made += 1;
      },
    });
    const first = watch(disk.fsync());
    const second = watch(disk.fsync());
    tries.push(() => {
      throw new Error('busy reader');
    });
    finish(new Error('EIO'));
    await turn();
    // No second fsync: after a failure, its success would mean nothing.
    expect([first(), second(), begun(), made]).toEqual(['EIO', 'busy reader', 1, 0]);
    const third = watch(disk.fsync(true));
    expect([begun(), made]).toEqual([2, 1]);
    finish();
    await turn();
    expect(third()).toBe('on disk');
    await disk.fsync(true);
    expect([begun(), made]).toEqual([2, 1]);
  });

  it('[DB-13] writes the same bytes of the WAL again, because the kernel may have dropped them', () => {
    const path = join(tempFolder(), 'test.db-wal');
    const bytes = createRandom(1).bytes(2_500_000);
    writeFileSync(path, bytes);
    utimesSync(path, 0, 0);
    new WalFsync(path).rewrite();
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(statSync(path).mtimeMs).toBeGreaterThan(0);
  });

  it('[DB-13] after a failed fsync, the WAL is written again before any checkpoint, also of SQLite', async () => {
    const { fsync, finish } = createSlowDisk();
    const { db, settings, path } = openStore('device-a', undefined, { fsync, busyTimeoutMs: 1 });
    db.pragma('wal_autocheckpoint = 500');
    const lost = db.writeThenFsync(() => settings.set('a', 1));
    expect(db.pragma('wal_autocheckpoint')).toBe(500);
    finish(new Error('EIO'));
    await expect(lost.onDisk).rejects.toThrow('EIO');
    expect(db.pragma('wal_autocheckpoint')).toBe(0);

    // A reader prevents the checkpoint, so only the rewriting is seen.
    const reader = new SQLite(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM settings').get();
    utimesSync(`${path}-wal`, 0, 0);
    expect(() => db.writeDurably(() => settings.set('a', 2))).toThrow('another program reads');
    expect(statSync(`${path}-wal`).mtimeMs).toBeGreaterThan(0);
    expect(db.pragma('wal_autocheckpoint')).toBe(0);
    reader.close();
    db.writeDurably(() => settings.set('a', 2));
    expect([settings.get('a'), db.pragma('wal_autocheckpoint')]).toEqual([2, 500]);
  });

  it('[DB-13] after a failed fsync, the whole WAL is checkpointed before a write counts as durable', async () => {
    const { fsync, finish } = createSlowDisk();
    const { db, settings, path } = openStore('device-a', undefined, { fsync, busyTimeoutMs: 1 });
    const log = (): number => statSync(`${path}-wal`).size;
    const lost = db.writeThenFsync(() => settings.set('a', 1));
    finish(new Error('EIO'));
    await expect(lost.onDisk).rejects.toThrow('EIO');
    expect(settings.get('a')).toBe(1);

    const reader = new SQLite(path, { readonly: true });
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM settings').get();
    await expect(db.writeThenFsync(() => settings.set('a', 2)).onDisk).rejects.toThrow(
      "can't write them again while another program reads the database",
    );
    expect(() => db.writeDurably(() => settings.set('a', 3))).toThrow('another program reads');
    expect(settings.get('a')).toBe(2);
    reader.close();

    expect(log()).toBeGreaterThan(0);
    const { onDisk } = db.writeThenFsync(() => settings.set('a', 4));
    expect(log()).toBe(0);
    finish();
    await onDisk;
    settings.set('a', 5);
    await expect(failOnce(db, finish)).rejects.toThrow('EIO');
    db.writeDurably(() => settings.set('a', 6));
    // Earlier commits are in the database file; only the last one is in the WAL.
    const copy = join(tempFolder(), 'copy.db');
    copyFileSync(path, copy);
    const alone = new SQLite(copy);
    expect(alone.prepare(`SELECT value FROM settings WHERE key = 'a'`).pluck().get()).toBe('5');
    alone.close();
  });

  it.skipIf(!isLinux)(
    `[DB-13] an existing database opens a descriptor of its WAL beside SQLite’s${onlyOnLinux}`,
    () => {
      const { path } = openStore();
      const descriptors = readdirSync('/proc/self/fd').map((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`);
        } catch {
          return null;
        }
      });
      expect(descriptors.filter((file) => file === realpathSync(`${path}-wal`))).toHaveLength(2);
    },
  );

  it('[DB-5] resolves on a real WAL, and may contain durable writes', async () => {
    const { db, settings } = openStore();
    const { result, onDisk } = db.writeThenFsync(() =>
      db.writeDurably(() => {
        settings.set('a', 1);
        return 'done';
      }),
    );
    await onDisk;
    expect(result).toBe('done');
    expect(settings.get('a')).toBe(1);
    expect(() => db.write(() => db.writeThenFsync(() => 1))).toThrow('its commit must be its own');
  });
});
