// The simulated disk itself: what a power cut may take, and what it must not.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { createSimulatedClock, type SimulatedClock } from '#main/testing/simulated-clock.ts';
import { SimulatedDisk } from '#test/simulation/simulated-disk.ts';
import { migratedTemplate } from '#test/support/migrated-database.ts';
import { createRandom, type Random } from '#test/support/seeded-random.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

interface UnderTest {
  readonly disk: SimulatedDisk;
  readonly clock: SimulatedClock;
  readonly random: Random;
  open(): Database;
}

function diskWith(seed: number): UnderTest {
  const path = join(tempFolder(), 'test.db');
  copyFileSync(migratedTemplate(), path);
  const clock = createSimulatedClock();
  const random = createRandom(seed);
  const disk = new SimulatedDisk({ path, random, isTimed: true, onFsync: () => () => undefined });
  const open = (): Database => {
    const db = new Database(path, { fsync: disk.fsyncFor(clock) });
    disk.opened(db);
    return db;
  };
  return { disk, clock, random, open };
}

/** Rows of some pages each, so that their commits need several frames. */
function write(db: Database, from: number, count: number): void {
  for (let n = from; n < from + count; n += 1) {
    db.write(() => db.run('INSERT INTO t VALUES (?, ?)', n, 'x'.repeat(3000)));
  }
}

function rows(db: Database): number[] {
  return db.values<number>('SELECT n FROM t ORDER BY n');
}

async function fsync(clock: SimulatedClock, db: Database): Promise<void> {
  const done = db.fsync();
  await clock.pass(5000, async () => undefined);
  await done;
}

describe('a power cut on the simulated disk', () => {
  it('[SI-4] takes no fsynced commit, and of the others only the last ones, at any tear', async () => {
    const survived = new Set<number>();
    for (let seed = 1; seed <= 60; seed += 1) {
      const { disk, clock, random, open } = diskWith(seed);
      const db = open();
      db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)');
      write(db, 0, 3);
      await fsync(clock, db);
      write(db, 3, 4);
      disk.cutPower(random);
      const after = open();
      const left = rows(after);
      expect(left).toEqual([0, 1, 2, 3, 4, 5, 6].slice(0, Math.max(3, left.length)));
      expect(after.pragma('integrity_check')).toBe('ok');
      survived.add(left.length);
      after.close();
    }
    expect([...survived].toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6, 7]);
  });

  it('[SI-4] takes what a process left in the WAL, and a commit that SQLite fsyncs itself stays', () => {
    const lost: number[][] = [];
    for (let seed = 1; seed <= 20; seed += 1) {
      const { disk, random, open } = diskWith(seed);
      const db = open();
      db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)');
      db.writeDurably(() => db.run('INSERT INTO t VALUES (0, NULL)'));
      write(db, 1, 2);
      disk.endProcess();
      // The power can fail before or after the next start.
      if (seed % 2 === 0) expect(rows(open())).toEqual([0, 1, 2]);
      disk.cutPower(random);
      const after = open();
      lost.push(rows(after));
      after.close();
    }
    expect(lost).toContainEqual([0]);
    expect(lost).toContainEqual([0, 1, 2]);
    expect(lost.every(([first]) => first === 0)).toBe(true);
  });

  it('[SI-7] a failed fsync drops its commits until they are written again', async () => {
    const left: number[] = [];
    for (let seed = 1; seed <= 20; seed += 1) {
      const { disk, clock, random, open } = diskWith(seed);
      const db = open();
      db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)');
      await fsync(clock, db);
      write(db, 0, 2);
      disk.failNext(1);
      const failed = db.fsync().catch((error: Error) => error.message);
      await clock.pass(5000, async () => undefined);
      expect(await failed).toContain('EIO');
      write(db, 2, 1);
      await fsync(clock, db);
      disk.cutPower(random);
      const after = open();
      left.push(rows(after).length);
      after.close();
    }
    expect(left).toEqual(left.map(() => 3));
  });

  it('[SI-7] a full disk refuses most commits whole', () => {
    const { disk, open } = diskWith(1);
    const db = open();
    db.exec('CREATE TABLE t (n INTEGER PRIMARY KEY, text TEXT)');
    disk.setFull(true);
    const kept: number[] = [];
    for (let n = 0; n < 50; n += 1) {
      try {
        write(db, n, 1);
        kept.push(n);
      } catch (error) {
        expect(error).toMatchObject({ message: 'database or disk is full' });
      }
    }
    expect(kept.length).toBeLessThan(25);
    disk.setFull(false);
    write(db, 100, 1);
    expect(rows(db)).toEqual([...kept, 100]);
    db.close();
  });
});
