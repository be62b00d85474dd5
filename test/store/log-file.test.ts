// The log as scripts/crsqlite/log-file.c writes it: in few calls, and never what it must not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/database.ts';
import { openStore } from '#test/support/open-store.ts';
import { runNode } from '#test/support/processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Some fill one page, some several, and some of these more than is ever held back. */
const SIZES = [10, 900, 5_000, 70_000] as const;

/** A transaction of one of two connections, in steps; each step may be taken back by itself. */
const arbTransaction = fc.record({
  by: fc.nat(1),
  steps: fc.array(
    fc.record({
      numbers: fc.array(fc.record({ n: fc.nat(60), size: fc.constantFrom(...SIZES) }), {
        maxLength: 12,
      }),
      isKept: fc.boolean(),
      looksAt: fc.nat(60),
    }),
    { maxLength: 4 },
  ),
  isCommitted: fc.boolean(),
  afterwards: fc.constantFrom('nothing', 'nothing', 'fold', 'fold later', 'look', 'reopen'),
});

type Transaction = typeof arbTransaction extends fc.Arbitrary<infer T> ? T : never;

/** With room for ten pages: the others go into the log before the commit, and are read from there. */
function open(path: string): SQLite.Database {
  const sqlite = new SQLite(path);
  sqlite.pragma('page_size = 1024');
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('cache_size = 10');
  sqlite.pragma('wal_autocheckpoint = 0');
  sqlite.exec(
    'CREATE TABLE IF NOT EXISTS numbers (n INTEGER PRIMARY KEY, size INTEGER, body TEXT)',
  );
  sqlite.exec('CREATE INDEX IF NOT EXISTS numbers_body ON numbers (substr(body, 1, 40))');
  return sqlite;
}

function play(
  sqlite: SQLite.Database,
  { steps, isCommitted }: Transaction,
  model: Map<number, number>,
) {
  const mine = new Map(model);
  sqlite.exec('BEGIN IMMEDIATE');
  for (const { numbers, isKept, looksAt } of steps) {
    const before = new Map(mine);
    sqlite.exec('SAVEPOINT step');
    for (const { n, size } of numbers) {
      const body = String(n).repeat(size).slice(0, size);
      sqlite.prepare('INSERT OR REPLACE INTO numbers VALUES (?, ?, ?)').run(n, size, body);
      mine.set(n, size);
    }
    expect(lengthOf(sqlite, looksAt)).toBe(mine.get(looksAt));
    if (!isKept) {
      sqlite.exec('ROLLBACK TO step');
      mine.clear();
      for (const [n, size] of before) mine.set(n, size);
    }
    sqlite.exec('RELEASE step');
    expect(lengthOf(sqlite, looksAt)).toBe(mine.get(looksAt));
  }
  sqlite.exec(isCommitted ? 'COMMIT' : 'ROLLBACK');
  return isCommitted ? mine : model;
}

function lengthOf(sqlite: SQLite.Database, n: number): unknown {
  return sqlite.prepare('SELECT length(body) FROM numbers WHERE n = ?').pluck().get(n);
}

describe('the log of the database', () => {
  it('[DB-12] [DB-14] holds what was committed and nothing of what was given up, whoever writes and folds', async () => {
    // From here on this process opens databases in our way.
    openStore();
    const folder = tempFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbTransaction, { minLength: 3, maxLength: 25 }),
        async (played) => {
          const path = join(folder, `numbers-${(count += 1)}.db`);
          const sides = [open(path), open(path)];
          let model = new Map<number, number>();
          for (const transaction of played) {
            const { by, afterwards } = transaction;
            model = play(sides[by] as SQLite.Database, transaction, model);
            if (afterwards === 'fold later') sides[by]?.pragma('fold_sync = later');
            if (afterwards.startsWith('fold')) sides[by]?.pragma('wal_checkpoint(PASSIVE)');
            if (afterwards === 'look') sides[by]?.pragma('fold_sync');
            if (afterwards === 'reopen') {
              sides[by]?.close();
              sides[by] = open(path);
            }
            const other = sides[1 - by] as SQLite.Database;
            expect(
              other.prepare('SELECT n, length(body) FROM numbers ORDER BY n').raw().all(),
            ).toEqual(sorted(model));
          }
          expect(sides[0]?.pragma('integrity_check', { simple: true })).toBe('ok');
          if (count % 10 === 0) {
            const { stdout } = await runNode('test/support/workers/read-numbers.ts', [path]);
            expect(JSON.parse(stdout)).toEqual({ numbers: sorted(model), isSound: 'ok' });
          }
          for (const side of sides) side.close();
        },
      ),
      { numRuns: 150 },
    );
  }, 120_000);
});

function sorted(model: ReadonlyMap<number, number>): number[][] {
  return [...model].toSorted(([a], [b]) => a - b);
}

const counts = process.platform === 'linux';
const why = counts ? '' : ' (not run: only Linux counts the calls of a process)';

describe.skipIf(!counts)(`calls to the system${why}`, () => {
  it('[DB-12] a commit of many pages is written in few', () => {
    const db = new Database(join(tempFolder(), 'many.db'));
    db.exec('CREATE TABLE many (n INTEGER PRIMARY KEY, body TEXT)');
    const before = writesOfProcess();
    db.write(() => {
      for (let n = 0; n < 500; n += 1)
        db.run('INSERT INTO many VALUES (?, ?)', n, 'x'.repeat(1500));
    });
    const writes = writesOfProcess() - before;
    // 500 pages of 2 KiB, up to 64 KiB at a time; SQLite by itself makes 1000.
    expect(writes).toBeGreaterThanOrEqual(16);
    expect(writes).toBeLessThan(60);
    db.close();
  });
});

function writesOfProcess(): number {
  return Number(/syscw: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}
