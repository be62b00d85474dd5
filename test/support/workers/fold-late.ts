// Folds the log onto a disk that waits or fails (test/support/failing-disk.c), and says what came of it.
import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { Database } from '#main/store/database.ts';

const [scenario, folder] = process.argv.slice(2) as [keyof typeof scenarios, string];
const path = join(folder, 'numbers.db');
const wait = join(folder, 'wait');

const scenarios = {
  /** Commits while the disk works, and then the power is cut: the disk has the file as it was. */
  async 'power cut'() {
    const db = openLong();
    const afterwards = join(folder, 'afterwards');
    copyFileSync(path, afterwards);
    writeFileSync(wait, '');
    const folded = foldNow(db);
    db.write(() => db.run('INSERT INTO numbers VALUES (?, ?)', 1001, 'own'));
    const other = new SQLite(path);
    other.pragma('wal_autocheckpoint = 0');
    other.prepare('INSERT INTO numbers VALUES (?, ?)').run(1002, `another connection's`);
    copyFileSync(`${path}-wal`, `${afterwards}-wal`);
    const whileItWorks = { found: look(afterwards), state: db.pragma('fold_sync') };
    rmSync(wait);
    await folded;
    const onceDone = db.pragma('fold_sync');
    other.close();
    db.close();
    return { whileItWorks, onceDone };
  },

  /** Nothing is written meanwhile: the log begins anew. */
  async done() {
    const db = openLong();
    writeFileSync(wait, '');
    const folded = foldNow(db);
    let isFolded = false;
    void folded.then(() => (isFolded = true));
    // Time for many looks: while `wait` is there the disk cannot have it, however long that is.
    await sleep(50);
    const before = { isFolded, log: logOf(db) };
    rmSync(wait);
    await folded;
    const after = logOf(db);
    db.write(() => db.run('INSERT INTO numbers VALUES (?, ?)', 1001, 'own'));
    const anew = logOf(db);
    db.close();
    return { before, after, anew };
  },

  /** What was folded is lost: nothing counts as on disk before all of it was written again. */
  async fails() {
    const db = openLong();
    loseOnce();
    await foldNow(db);
    const afterFailure = { state: db.pragma('fold_sync'), log: logOf(db) };
    await db.writeThenSync(() => db.run('INSERT INTO numbers VALUES (?, ?)', 1001, 'own')).onDisk;
    const synced = trace();
    const afterwards = join(folder, 'afterwards');
    copyFileSync(path, afterwards);
    return { afterFailure, synced, found: look(afterwards) };
  },

  /** Another connection has folded the rest and begun the log anew: what is in it now is not folded. */
  async 'begun anew by another'() {
    const db = new Database(path);
    db.exec('CREATE TABLE numbers (n)');
    db.run('INSERT INTO numbers VALUES (1)');
    db.get('PRAGMA wal_checkpoint(TRUNCATE)');
    db.run('UPDATE numbers SET n = 2');
    writeFileSync(wait, '');
    db.pragma('fold_sync = later');
    db.get('PRAGMA wal_checkpoint(PASSIVE)');
    const other = new SQLite(path);
    other.pragma('synchronous = OFF');
    other.pragma('wal_checkpoint(PASSIVE)');
    other.exec('UPDATE numbers SET n = 3');
    rmSync(wait);
    while (db.pragma('fold_sync') === 'working') await new Promise(setImmediate);
    return { state: db.pragma('fold_sync'), found: db.value('SELECT n FROM numbers') };
  },

  /** The log goes away only when the disk has what was in it. */
  'is closed'() {
    const db = openLong();
    writeFileSync(wait, '');
    void foldNow(db);
    spawn('sh', ['-c', 'sleep 0.2; rm "$0"', wait]);
    db.close();
    return { trace: trace() };
  },

  'fails and is closed'() {
    const db = openLong();
    loseOnce();
    void foldNow(db);
    db.close();
    return { trace: trace(), found: look(path) };
  },
};

/** With a log that is long enough to be folded, and a file that has nothing of it. */
function openLong(): Database {
  const db = new Database(path);
  db.exec('CREATE TABLE numbers (n INTEGER PRIMARY KEY, body TEXT)');
  db.write(() => {
    for (let n = 1; n <= 1000; n += 1) {
      db.run('INSERT INTO numbers VALUES (?, ?)', n, String(n).repeat(4000));
    }
  });
  // What follows counts; to create it took syncs, too.
  rmSync(join(folder, 'trace'));
  return db;
}

function foldNow(db: Database): Promise<void> {
  const folded = db.foldLongLog(64);
  if (!folded) throw new Error('The log was not long.');
  return folded;
}

function loseOnce(): void {
  copyFileSync(path, join(folder, 'lost'));
  writeFileSync(join(folder, 'fail'), '');
}

function logOf(db: Database): unknown {
  const { log, checkpointed } = db.get<{ log: number; checkpointed: number }>(
    'PRAGMA wal_checkpoint(NOOP)',
  ) ?? { log: 0, checkpointed: 0 };
  return { isLong: log > 3000, folded: checkpointed, open: log - checkpointed };
}

function look(file: string): unknown {
  const sqlite = new SQLite(file);
  const count = sqlite.prepare('SELECT count(*) FROM numbers').pluck().get();
  const isSound = sqlite.pragma('integrity_check', { simple: true });
  sqlite.close();
  return { count, isSound };
}

function trace(): string[] {
  return readFileSync(join(folder, 'trace'), 'utf8').trim().split('\n');
}

process.stdout.write(JSON.stringify(await scenarios[scenario]()));
