import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { BadCursor } from '#main/store/sqlite/keyset-cursor.ts';
import { addWorkflow, openStore } from '#test/support/open-store.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

describe('the file', () => {
  it('a new file has pages of 2 KiB, an existing one keeps its own', () => {
    const folder = tempFolder();
    const existing = join(folder, 'existing.db');
    new SQLite(existing).exec('PRAGMA page_size = 4096; CREATE TABLE t (a)').close();
    const sizes = [join(folder, 'new.db'), existing].map((path) => {
      const db = new Database(path);
      const bytes = db.pragma('page_size');
      db.close();
      return bytes;
    });
    expect(sizes).toEqual([2048, 4096]);
  });

  it('[DB-10] the commit that makes the WAL longer than 1,000 pages checkpoints all of it', () => {
    const { db, settings } = openStore();
    const wal = (): { log: number; checkpointed: number } =>
      db.get('PRAGMA wal_checkpoint(NOOP)') as { log: number; checkpointed: number };
    db.pragma('wal_checkpoint(TRUNCATE)');
    settings.set('a', 'x'.repeat(900 * 2048));
    expect(wal().log).toBeGreaterThan(900);
    expect(wal()).toMatchObject({ checkpointed: 0 });
    settings.set('b', 'x'.repeat(100 * 2048));
    const { log, checkpointed } = wal();
    expect(log).toBeGreaterThan(1000);
    expect(checkpointed).toBe(log);
  });

  it('[DB-10] a checkpoint leaves a reader of another connection its snapshot', () => {
    const { db, settings } = openStore();
    const reader = new Database(db.path, { readonly: true });
    const count = (key: string): unknown =>
      reader.value('SELECT count(*) FROM settings WHERE key = ?', key);
    reader.prepare('BEGIN').run();
    expect(count('long')).toBe(0);
    settings.set('long', 'x'.repeat(8 * 1024 * 1024));
    expect(count('long')).toBe(0);
    reader.prepare('COMMIT').run();
    expect(count('long')).toBe(1);
    reader.close();
  });
});

describe('transactions', () => {
  it('[DB-1] a write is all or nothing', () => {
    const { db, settings } = openStore();
    expect(() =>
      db.write(() => {
        settings.set('a', 1);
        throw new Error('boom');
      }),
    ).toThrow('boom');
    expect(settings.get('a')).toBeUndefined();
  });

  it('[DB-1] a nested write that fails rolls back only itself', () => {
    const { db, settings } = openStore();
    db.write(() => {
      settings.set('outer', 1);
      expect(() =>
        db.write(() => {
          settings.set('nested', 1);
          throw new Error('boom');
        }),
      ).toThrow('boom');
    });
    expect(settings.get('outer')).toBe(1);
    expect(settings.get('nested')).toBeUndefined();
  });

  it('[DB-2] a durable write throws inside an ordinary write', () => {
    const { db } = openStore();
    expect(() => db.write(() => db.writeDurably(() => 1))).toThrow('its commit must be its own');
    expect(db.writeDurably(() => 1)).toBe(1);
  });

  it('[DB-2] a durable write commits with synchronous FULL, an ordinary one with NORMAL', () => {
    const { db } = openStore();
    expect(db.writeDurably(() => db.pragma('synchronous'))).toBe(2);
    expect(db.write(() => db.pragma('synchronous'))).toBe(1);
    expect(() =>
      db.writeDurably(() => {
        throw new Error('boom');
      }),
    ).toThrow('boom');
    expect(db.pragma('synchronous')).toBe(1);
  });

  it('[DB-3] listeners get the changed rows once, after the commit', () => {
    const store = openStore();
    const heard: object[] = [];
    store.db.changes.subscribe((changes) => {
      expect(store.topics.list('w').length).toBe(2);
      heard.push(Object.fromEntries([...changes].map(([table, ids]) => [table, ids.size])));
    });
    store.db.write(() => {
      store.topics.ensure('w', 'a');
      store.topics.ensure('w', 'b');
      store.topics.ensure('w', 'a');
      expect(heard).toEqual([]);
    });
    expect(heard).toEqual([{ topics: 2 }]);
  });

  it('[DB-3] listeners get nothing from a write that was rolled back', () => {
    const store = openStore();
    const heard: unknown[] = [];
    store.db.changes.subscribe((changes) => heard.push(changes));
    expect(() =>
      store.db.write(() => {
        store.topics.ensure('w', 'a');
        throw new Error('boom');
      }),
    ).toThrow('boom');
    store.settings.set('other', 1);
    expect(heard).toEqual([]);
  });

  it('[DB-1] a closed database can be opened again, and closing it twice is harmless', () => {
    const path = join(tempFolder(), 'a.db');
    const db = new Database(path);
    db.exec('CREATE TABLE t (x)');
    db.close();
    db.close();
    const again = new Database(path);
    expect(again.get('SELECT count(*) AS n FROM t')).toEqual({ n: 0 });
    again.close();
  });
});

describe('pages', () => {
  it('[DB-4] keyset pages return every row once, also with equal times', () => {
    const store = openStore();
    for (let n = 0; n < 7; n += 1) addWorkflow(store, `w${n}`);
    const seen: string[] = [];
    let after: string | undefined;
    do {
      const page = store.workflows.list({ after, limit: 3 });
      seen.push(...page.workflows.map(({ id }) => id));
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect(seen).toEqual(['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6']);
  });

  it('[DB-4] a malformed cursor throws BadCursor', () => {
    const store = openStore();
    for (const after of ['', 'x', '1', '.a', '1e9.a', '99999999999999999999.a']) {
      expect(() => store.workflows.list({ after, limit: 3 })).toThrow(BadCursor);
    }
  });
});
