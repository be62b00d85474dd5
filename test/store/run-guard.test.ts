// Spec 000: one active run per workflow and lane, and one write per terminal event, by unique indexes.
import { describe, expect, it } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { addWorkflow, openStore, type OpenStore } from '#test/support/open-store.ts';

const facts = (lane = 'main'): string =>
  JSON.stringify({ workflow_id: 'w', lane, device_id: 'device-a', created_at: 1 });

function insert(db: Database, id: string, lane?: string): number {
  const sql = `INSERT INTO script_runs (id, facts, progress) VALUES (?, ?, '{"status":"booting"}')`;
  return db.run(sql, id, facts(lane));
}

function end(db: Database, id: string, terminalEventId: string): number {
  const progress = JSON.stringify({ status: 'completed', terminal_event_id: terminalEventId });
  return db.run('UPDATE script_runs SET progress = ? WHERE id = ?', progress, id);
}

async function start(store: OpenStore, startRequestId: string): Promise<string> {
  const request = { workflowId: 'w', lane: 'main', startRequestId, trigger: 'manual' } as const;
  const started = await store.runContexts.createRunContext(request);
  if (started.type !== 'started') throw new Error(started.type);
  return started.run.id;
}

const guard = (db: Database): unknown[] =>
  db.all('SELECT run_id, lane, status, terminal_event_id AS e FROM run_guard ORDER BY run_id');

describe('one active run per workflow and lane', () => {
  it('[SR-2] the indexes are unique and partial, and hold the columns of the spec', () => {
    const { db } = openStore();
    const indexes = db.all<{ name: string; unique: number; partial: number }>(
      'SELECT name, "unique", partial FROM pragma_index_list(\'run_guard\') ORDER BY name',
    );
    expect(indexes).toEqual([
      { name: 'idx_run_guard_active', unique: 1, partial: 1 },
      { name: 'idx_run_guard_terminal', unique: 1, partial: 1 },
    ]);
    const columns = (name: string): string[] =>
      db.values(`SELECT name FROM pragma_index_info('${name}') ORDER BY seqno`);
    expect(columns('idx_run_guard_active')).toEqual(['workflow_id', 'lane']);
    expect(columns('idx_run_guard_terminal')).toEqual(['run_id', 'terminal_event_id']);
  });

  it('[SR-2] raw SQL on two connections: the second active run is refused until the first has ended', () => {
    const { db, path } = openStore();
    const other = new Database(path);
    insert(db, 'one');
    expect(() => insert(other, 'two')).toThrow('UNIQUE constraint failed: run_guard.workflow_id');
    expect(other.value('SELECT count(*) FROM script_runs')).toBe(1);
    expect(insert(other, 'draft', 'draft')).toBe(1);
    end(other, 'one', 'e1');
    expect(insert(db, 'two')).toBe(1);
    other.close();
  });

  it('[SR-2] a transaction that is rolled back leaves nothing in the guard', () => {
    const { db } = openStore();
    const fail = (): void =>
      db.write(() => {
        insert(db, 'one');
        throw new Error('crash');
      });
    expect(fail).toThrow('crash');
    expect(guard(db)).toEqual([]);
    expect(insert(db, 'two')).toBe(1);
  });

  it('[SR-7] raw SQL on two connections: a terminal event is not written twice, nor another after it', () => {
    const { db, path } = openStore();
    const other = new Database(path);
    insert(db, 'one');
    end(db, 'one', 'e1');
    const before = [guard(db), db.all('SELECT * FROM script_runs')];
    for (const connection of [db, other]) {
      for (const event of ['e1', 'e2']) {
        expect(() => end(connection, 'one', event)).toThrow('illegal transition: script_runs');
      }
      expect(() => insert(connection, 'one')).toThrow('UNIQUE constraint failed: script_runs.id');
    }
    expect([guard(db), db.all('SELECT * FROM script_runs')]).toEqual(before);
    other.close();
  });

  it('[SR-7] the index of the guard refuses a second row for one terminal event of a run', () => {
    const { db, path } = openStore();
    const other = new Database(path);
    insert(db, 'one');
    end(db, 'one', 'e1');
    const again = `INSERT INTO run_guard VALUES ('one', 'w', 'main', 'completed', ?)`;
    expect(() => other.run(again, 'e1')).toThrow(
      'UNIQUE constraint failed: run_guard.run_id, run_guard.terminal_event_id',
    );
    expect(() => other.run(again, null)).toThrow('CHECK');
    other.close();
  });

  it('[SR-2] the guard follows a session through its statuses and leaves with its archived row', async () => {
    const store = openStore();
    addWorkflow(store, 'w');
    const id = await start(store, 'a');
    const status = (): unknown => store.db.value('SELECT status FROM run_guard');
    expect(status()).toBe('booting');
    store.runContexts.bindRunSandbox(id, 'box');
    expect(status()).toBe('running');
    store.scriptRuns.move(id, { type: 'validate' });
    expect(status()).toBe('validating');
    store.runContexts.finishRun({ runId: id, status: 'failed', terminalEventId: 'e' });
    expect(guard(store.db)).toEqual([{ run_id: id, lane: 'main', status: 'failed', e: 'e' }]);
    store.db.write(() => archiveDelete(store.db, 'script_runs', 'id', id));
    expect(guard(store.db)).toEqual([]);
  });
});

describe('merged sessions', () => {
  it('[SR-17] an active session of another device blocks no start here', async () => {
    const [here, there] = [openStore('device-a'), openStore('device-b')];
    addWorkflow(there, 'w');
    await start(there, 'theirs');
    exchange(there.db, here.db);
    expect(guard(here.db)).toEqual([]);
    await start(here, 'ours');
    expect(guard(here.db)).toHaveLength(1);
  });

  it('[SR-17] a session that a peer ended without a terminal event blocks no start', async () => {
    const [here, there] = [openStore('device-a'), openStore('device-b')];
    addWorkflow(here, 'w');
    const id = await start(here, 'first');
    exchange(here.db, there.db);
    there.db.exec('DROP TRIGGER script_runs_legal');
    there.db.run(`UPDATE script_runs SET progress = '{"status":"failed"}' WHERE id = ?`, id);
    exchange(there.db, here.db);
    expect(guard(here.db)).toEqual([{ run_id: id, lane: 'main', status: 'failed', e: '' }]);
    await start(here, 'second');
  });

  it('[SR-17] a session that its new owner ended blocks no start; a merge that reopens it takes no place', async () => {
    const [here, there] = [openStore('device-a'), openStore('device-b')];
    addWorkflow(here, 'w');
    const id = await start(here, 'first');
    exchange(here.db, there.db);
    there.runContexts.finishRun({ runId: id, status: 'suspended', terminalEventId: 'adopted' });
    exchange(there.db, here.db);
    expect(guard(here.db)).toEqual([
      { run_id: id, lane: 'main', status: 'suspended', e: 'adopted' },
    ]);
    const second = await start(here, 'second');
    // A peer that claims the first is active again.
    there.db.value('SELECT crsql_internal_sync_bit(0)');
    there.db.exec('DROP TRIGGER script_runs_legal');
    there.db.run(`UPDATE script_runs SET progress = '{"status":"running"}' WHERE id = ?`, id);
    exchange(there.db, here.db);
    expect(here.scriptRuns.get(id)?.state.status).toBe('running');
    expect(here.db.value('SELECT status FROM run_guard WHERE run_id = ?', id)).toBe('suspended');
    expect(here.runContexts.get('w', 'main')?.activeRunId).toBe(second);
  });
});
