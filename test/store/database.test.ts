import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/database.ts';
import { BadCursor } from '#main/store/page.ts';
import { addWorkflow, openStore } from '#test/support/open-store.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

describe('the file', () => {
  it('[DB-10] a new file has small pages, an older one keeps its own; the log is as long in bytes', () => {
    const folder = tempFolder();
    const older = join(folder, 'older.db');
    new SQLite(older).exec('PRAGMA page_size = 4096; CREATE TABLE t (a)').close();
    const sizes = [join(folder, 'new.db'), older].map((path) => {
      const db = new Database(path);
      const [page, log] = [db.pragma('page_size'), db.pragma('wal_autocheckpoint')].map(Number);
      db.close();
      return { page, logBytes: Number(page) * Number(log) };
    });
    expect(sizes).toEqual([
      { page: 2048, logBytes: 14 * 1024 * 1024 },
      { page: 4096, logBytes: 14 * 1024 * 1024 },
    ]);
  });

  it('[DB-10] one that is closed has nothing to fold, and does not throw', () => {
    const { db } = openStore();
    db.close();
    expect([1, 64, 64].map((works) => db.foldLongLog(works))).toEqual([null, null, null]);
  });

  it('[DB-10] what another connection reads is not folded away under it, and nothing fails', async () => {
    const { db, settings } = openStore();
    const reader = new Database(db.path, { readonly: true });
    reader.prepare('BEGIN').run();
    settings.set('a', 1);
    expect(reader.value('SELECT count(*) FROM settings WHERE key = ?', 'a')).toBe(1);
    settings.set('long', 'x'.repeat(8 * 1024 * 1024));
    const folded = [1, 62, 1].map((works) => db.foldLongLog(works));
    expect(folded).toEqual([null, null, expect.any(Promise)]);
    await folded[2];
    expect(reader.value('SELECT count(*) FROM settings WHERE key = ?', 'long')).toBe(0);
    reader.prepare('COMMIT').run();
    expect(reader.value('SELECT count(*) FROM settings WHERE key = ?', 'long')).toBe(1);
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

  it('[DB-1] a nested write that fails takes back only itself', () => {
    const { db, settings } = openStore();
    db.write(() => {
      settings.set('kept', 1);
      expect(() =>
        db.write(() => {
          settings.set('lost', 1);
          throw new Error('boom');
        }),
      ).toThrow('boom');
    });
    expect(settings.get('kept')).toBe(1);
    expect(settings.get('lost')).toBeUndefined();
  });

  it('[DB-2] a durable write refuses to be part of another', () => {
    const { db } = openStore();
    expect(() => db.write(() => db.writeDurably(() => 1))).toThrow('its commit must be its own');
    expect(db.writeDurably(() => 1)).toBe(1);
  });

  it('[DB-2] a durable write is synced in full, an ordinary one is not', () => {
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

  it('[DB-3] changes are announced once, after the commit, with what was written', () => {
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

  it('[DB-3] nothing is announced of a write that was rolled back', () => {
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

  it('[DB-1] a closed database lets go of its files', () => {
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
  it('[DB-4] keyset pages give every row once, also with equal times', () => {
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

  it('[DB-4] a cursor that is not ours is refused with a sentence', () => {
    const store = openStore();
    for (const after of ['', 'x', '1', '.a', '1e9.a', '99999999999999999999.a']) {
      expect(() => store.workflows.list({ after, limit: 3 })).toThrow(BadCursor);
    }
  });
});
