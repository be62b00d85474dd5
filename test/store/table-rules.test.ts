// The rules that the database itself enforces: what each trigger refuses, that it lets the same write
// pass in a merge, and what each one writes.
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Database } from '#main/store/sqlite/database.ts';
import { createMigratedDatabase } from '#test/support/migrated-database.ts';
import { SCHEMA_ROWS } from '#test/support/schema-rows.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** A database with a row in every table. */
const db = createRows();

function createRows(): Database {
  const folder = tempFolder(afterAll);
  const path = join(folder, 'rows.db');
  createMigratedDatabase(path);
  const opened = new Database(path);
  afterAll(() => opened.close());
  opened.write(() => {
    for (const rows of Object.values(SCHEMA_ROWS)) for (const row of rows) opened.run(row);
  });
  return opened;
}

class Undo extends Error {}

/** What the test writes is rolled back. */
function undone(work: () => void): void {
  const write = (): void =>
    db.write(() => {
      work();
      throw new Undo();
    });
  expect(write).toThrow(Undo);
}

/** Runs a write as a merge does, without the rules for local writes. */
function asMerge(sql: string): void {
  db.run('SELECT crsql_internal_sync_bit(1)');
  try {
    db.run(sql);
  } finally {
    db.run('SELECT crsql_internal_sync_bit(0)');
  }
}

const run = (id: string, type: string, progress: string, more = ''): string =>
  `INSERT INTO handler_runs (id, facts, progress${more === '' ? '' : ', prepare_result'})
   VALUES ('${id}', '{"workflow_id":"workflow-1","handler_type":"${type}"}', '${progress}'${more})`;
const PENDING_RUN = run('run-9', 'consumer', '{"phase":"pending"}');
const PENDING_PRODUCER = run('run-9', 'producer', '{"phase":"pending"}');
const OTHER_DEVICE = `INSERT INTO devices (id, facts, profile) VALUES ('device-9', '{}', '{"name":"D"}')`;
const mutation = (id: string, outcome: string): string =>
  `INSERT INTO mutations (id, facts, outcome) VALUES ('${id}', '{"handler_run_id":"${id}"}', '${outcome}')`;
const job = (id: string, status = 'queued'): string =>
  `INSERT INTO runner_jobs (id, requested_by, idempotency_key, payload_hash, repo_key, script_key,
     args, timeout_ms, status, created_at, finished_at)
   VALUES ('${id}', 'me', 'key', 'h', 'main', 's', '{}', 1000, '${status}', 9, NULL)`;
const session = (id: string, progress: string): string =>
  `INSERT INTO script_runs (id, facts, progress) VALUES ('${id}',
     '{"workflow_id":"workflow-2","lane":"main"}', '${progress}')`;
const claim = (epoch: number): string =>
  `INSERT INTO ownership_claims (workflow_id, epoch, device_id) VALUES ('workflow-1', ${epoch}, 'd')`;
const record = (key: string, seq: number): string =>
  `INSERT INTO run_events (run_id, idempotency_key, facts)
   VALUES ('session-1', '${key}', '{"run_seq":${seq},"event_type":"x"}')`;

interface Refusal {
  /** Part of the message. */
  readonly refusal: string;
  readonly sql: string;
  readonly before?: string;
  /** `before` is written as by a merge. */
  readonly mergedBefore?: string;
  /** Local tables are never merged. */
  readonly isLocal?: true;
}

const ILLEGAL: { readonly [fault: string]: Refusal } = {
  'an input run that begins as running': {
    refusal: 'automation_runs must start as queued',
    sql: `INSERT INTO automation_runs (id, progress) VALUES ('a', '{"status":"running"}')`,
  },
  'a transition of an input run that is not allowed': {
    refusal: 'illegal transition: automation_runs',
    sql: `UPDATE automation_runs SET progress = '{"status":"succeeded"}'`,
  },
  'a second completion of an input run': {
    refusal: 'immutable: automation_runs.completion',
    before: `UPDATE automation_runs SET completion = '{"result":1}'`,
    sql: `UPDATE automation_runs SET completion = '{"result":2}'`,
  },
  'a lease whose token falls': {
    refusal: 'a fencing token never falls',
    sql: 'UPDATE automation_leases SET lease_version = 0',
    isLocal: true,
  },
  'an effect in the side effect ledger that changes': {
    refusal: 'immutable: automation_side_effects',
    sql: `UPDATE automation_side_effects SET response_json = '1'`,
  },
  'a row for another device': { refusal: 'not ours: devices', sql: OTHER_DEVICE },
  'a profile of another device': {
    refusal: 'not ours: devices.profile',
    mergedBefore: OTHER_DEVICE,
    sql: `UPDATE devices SET profile = '{"name":"X"}' WHERE id = 'device-9'`,
  },
  'the content of an event that is reserved': {
    refusal: 'immutable: events.content',
    sql: `UPDATE events SET content = '{}' WHERE id = 'event-1'`,
  },
  'an event that begins as consumed': {
    refusal: 'events must start as pending',
    sql: `INSERT INTO events (id, progress) VALUES ('e', '{"status":"consumed"}')`,
  },
  'a transition of an event that is not allowed': {
    refusal: 'illegal transition: events',
    sql: `UPDATE events SET progress = '{"status":"consumed"}' WHERE id = 'event-2'`,
  },
  'a run of neither kind': {
    refusal: 'neither producer nor consumer',
    sql: run('r', 'other', '{"phase":"pending"}'),
  },
  'a run that begins in the middle': {
    refusal: 'cannot start in this phase',
    sql: run('r', 'consumer', '{"phase":"mutating"}'),
  },
  'a run that begins as prepared, without a result': {
    refusal: 'cannot start in this phase',
    sql: run('r', 'consumer', '{"phase":"prepared"}'),
  },
  'a transition of a consumer run that is not allowed': {
    refusal: 'illegal transition: handler_runs',
    before: PENDING_RUN,
    sql: `UPDATE handler_runs SET progress = '{"phase":"committed"}' WHERE id = 'run-9'`,
  },
  'a transition of a producer run that is not allowed': {
    refusal: 'illegal transition: handler_runs',
    before: PENDING_PRODUCER,
    sql: `UPDATE handler_runs SET progress = '{"phase":"committed"}' WHERE id = 'run-9'`,
  },
  'progress and take-over of a run in one write': {
    refusal: 'two writers',
    before: PENDING_RUN,
    sql: `UPDATE handler_runs SET progress = '{"phase":"preparing"}',
      takeover = '{"phase":"failed","over":"{}"}' WHERE id = 'run-9'`,
  },
  'a take-over that does not say what it saw': {
    refusal: 'illegal transition: handler_runs.takeover',
    before: PENDING_RUN,
    sql: `UPDATE handler_runs SET takeover = '{"phase":"failed"}' WHERE id = 'run-9'`,
  },
  "a take-over that commits another device's run": {
    refusal: 'illegal transition: handler_runs.takeover',
    before: run('run-9', 'consumer', '{"phase":"prepared"}', `, '{"data":1}'`),
    sql: `UPDATE handler_runs SET takeover = '{"phase":"committed","over":"{}"}' WHERE id = 'run-9'`,
  },
  'a second result of prepare': {
    refusal: 'immutable: handler_runs.prepare_result',
    before: run('run-9', 'consumer', '{"phase":"prepared"}', `, '{"data":1}'`),
    sql: `UPDATE handler_runs SET prepare_result = '{"data":2}' WHERE id = 'run-9'`,
  },
  'an answer that changes': {
    refusal: 'an answer that was given is immutable',
    before: `UPDATE idempotency_keys SET status = 'answered', answer = x'00', answered_at = 10`,
    sql: `UPDATE idempotency_keys SET answer = x'01'`,
    isLocal: true,
  },
  'a key of another call': {
    refusal: 'an answer that was given is immutable',
    sql: `UPDATE idempotency_keys SET call = 'workflows.remove'`,
    isLocal: true,
  },
  'a key of another body': {
    refusal: 'an answer that was given is immutable',
    sql: `UPDATE idempotency_keys SET body_hash = 'other'`,
    isLocal: true,
  },
  'a second outcome of an intent': {
    refusal: 'immutable: intents.outcome',
    before: `UPDATE intents SET outcome = '{"status":"done"}'`,
    sql: `UPDATE intents SET outcome = '{"status":"refused"}'`,
  },
  'another call of an effect': {
    refusal: 'immutable: mutations.call',
    sql: `UPDATE mutations SET call = '{"tool_namespace":"mail"}'`,
  },
  'an effect that begins as applied': {
    refusal: 'mutations must start as pending or in_flight',
    sql: mutation('m', '{"status":"applied"}'),
  },
  'an effect that begins in flight without its call': {
    refusal: 'mutations must start as pending or in_flight',
    sql: mutation('m', '{"status":"in_flight"}'),
  },
  'an effect in flight without its call': {
    refusal: 'illegal transition: mutations',
    before: mutation('m', '{"status":"pending"}'),
    sql: `UPDATE mutations SET outcome = '{"status":"in_flight"}' WHERE id = 'm'`,
  },
  'a transition of an effect that is not allowed': {
    refusal: 'illegal transition: mutations',
    sql: `UPDATE mutations SET outcome = '{"status":"applied"}'`,
  },
  'outcome and take-over of an effect in one write': {
    refusal: 'one writer each',
    before: mutation('m', '{"status":"pending"}'),
    sql: `UPDATE mutations SET outcome = '{"status":"applied"}', takeover = '{"status":"failed"}'
      WHERE id = 'm'`,
  },
  "a transition of the maker's side after a crash that is not allowed": {
    refusal: 'illegal transition: mutations',
    before: mutation('m', '{"status":"pending"}'),
    sql: `UPDATE mutations SET recovered = '{"status":"applied"}' WHERE id = 'm'`,
  },
  'a second release of a claim': {
    refusal: 'immutable: ownership_claims.release',
    before: `UPDATE ownership_claims SET release = '{"to_device_id":"a"}'`,
    sql: `UPDATE ownership_claims SET release = '{"to_device_id":"b"}'`,
  },
  'a claim that skips an epoch': {
    refusal: 'not the next epoch of this workflow',
    sql: claim(3),
  },
  'a claim of an epoch that is taken': {
    refusal: 'not the next epoch of this workflow',
    sql: claim(1),
  },
  'another key of a paired device': {
    refusal: 'immutable: peers.key_hash',
    sql: `UPDATE peers SET key_hash = 'other'`,
    isLocal: true,
  },
  'a second outcome of a decision': {
    refusal: 'immutable: resolutions.outcome',
    before: `UPDATE resolutions SET outcome = '{"status":"applied"}'`,
    sql: `UPDATE resolutions SET outcome = '{"status":"superseded"}'`,
  },
  'a record of the run log that changes': {
    refusal: 'immutable: run_events',
    sql: `UPDATE run_events SET facts = '{"run_seq":1}'`,
  },
  'a record with a number that is not the next': {
    refusal: 'not the next number of this run',
    sql: record('key-3', 3),
  },
  'a record with a number that is taken': {
    refusal: 'not the next number of this run',
    sql: record('key-2', 1),
  },
  'a change in the history of a job': {
    refusal: 'immutable: runner_job_events',
    sql: `UPDATE runner_job_events SET type = 'failed'`,
    isLocal: true,
  },
  'a deletion in the history of a job': {
    refusal: 'immutable: runner_job_events',
    sql: 'DELETE FROM runner_job_events',
    isLocal: true,
  },
  'a job that is deleted': {
    refusal: 'immutable: runner_jobs',
    sql: 'DELETE FROM runner_jobs',
    isLocal: true,
  },
  'other arguments of a job': {
    refusal: 'immutable: runner_jobs',
    sql: `UPDATE runner_jobs SET args = '{"a":1}'`,
    isLocal: true,
  },
  'a job that begins as failed': {
    refusal: 'runner_jobs must start as queued',
    sql: job('job-2', 'failed').replace(', NULL)', ', 9)'),
    isLocal: true,
  },
  'a transition of a job that is not allowed': {
    refusal: 'illegal transition: runner_jobs',
    sql: `UPDATE runner_jobs SET status = 'succeeded', exit_code = 0, started_at = 9, finished_at = 9`,
    isLocal: true,
  },
  'a session that begins as running': {
    refusal: 'script_runs must start as booting',
    sql: session('s', '{"status":"running"}'),
  },
  'a transition of a session that is not allowed': {
    refusal: 'illegal transition: script_runs',
    sql: `UPDATE script_runs SET progress = '{"status":"booting"}' WHERE id = 'session-1'`,
  },
  'another sandbox of a session': {
    refusal: 'immutable: script_runs.sandbox_id',
    before: `UPDATE script_runs SET progress = '{"status":"running","sandbox_id":"a"}'
      WHERE id = 'session-2'`,
    sql: `UPDATE script_runs SET progress = '{"status":"validating","sandbox_id":"b"}'
      WHERE id = 'session-2'`,
  },
  'a version of a workflow that changes': {
    refusal: 'immutable: scripts',
    sql: `UPDATE scripts SET facts = '{}'`,
  },
  'a topic that changes': { refusal: 'immutable: topics', sql: `UPDATE topics SET facts = '{}'` },
  'an input that changes': {
    refusal: 'immutable: trigger_events',
    sql: `UPDATE trigger_events SET raw_payload = '2'`,
  },
};

const CHANGED_FACTS = Object.fromEntries(
  [
    'automation_runs',
    'devices',
    'events',
    'handler_runs',
    'handler_state',
    'incidents',
    'intents',
    'mutations',
    'ownership_claims',
    'resolutions',
    'script_runs',
    'workflows',
  ].map((table): [string, Refusal] => [
    `facts of ${table} that change`,
    {
      refusal: `immutable: ${table}.facts`,
      sql: `UPDATE ${table} SET facts = json_set(facts, '$.x', 1)`,
    },
  ]),
);

/** Rows that are never deleted. */
const PERMANENT = ['devices', 'incidents', 'ownership_claims'];
/** Rows that only archiving deletes. */
const ARCHIVED = [
  'automation_runs',
  'automation_side_effects',
  'events',
  'handler_runs',
  'intents',
  'mutations',
  'reservations',
  'resolutions',
  'run_events',
  'script_runs',
  'trigger_events',
];

const DELETED = Object.fromEntries(
  [...PERMANENT, ...ARCHIVED].map((table): [string, Refusal] => [
    `rows of ${table} that are deleted`,
    { refusal: `immutable: ${table}`, sql: `DELETE FROM ${table}` },
  ]),
);

const REFUSALS = { ...ILLEGAL, ...CHANGED_FACTS, ...DELETED };
const MERGEABLE = Object.fromEntries(Object.entries(REFUSALS).filter(([, one]) => !one.isLocal));

function prepare({ before, mergedBefore }: Refusal): void {
  if (before !== undefined) db.run(before);
  if (mergedBefore !== undefined) asMerge(mergedBefore);
}

function archive(table: string, where = 'true'): void {
  db.run('INSERT INTO archiving DEFAULT VALUES');
  db.run(`DELETE FROM ${table} WHERE ${where}`);
  db.run('DELETE FROM archiving');
}

describe('a local write', () => {
  it.each(Object.entries(REFUSALS))('[TB-1] the database refuses %s', (_, refusal) => {
    undone(() => {
      prepare(refusal);
      const table = /(?:INTO|UPDATE|FROM) (\w+)/.exec(refusal.sql)?.[1] ?? '';
      const rows = (): unknown => db.all(`SELECT * FROM ${table}`);
      const before = rows();
      expect(() => db.run(refusal.sql)).toThrow(refusal.refusal);
      expect(rows()).toEqual(before);
    });
  });
});

describe('a merge', () => {
  it.each(Object.entries(MERGEABLE))('[SY-3] may bring %s', (_, refusal) => {
    undone(() => {
      prepare(refusal);
      expect(() => asMerge(refusal.sql)).not.toThrow();
    });
  });
});

describe('archiving', () => {
  it.each(ARCHIVED)('[RT-6] a row of %s that is deleted is staged, with every column', (table) => {
    undone(() => {
      const columns = db.values<string>('SELECT name FROM pragma_table_info(?)', table);
      const pairs = columns.map((name) => `'${name}', ${name}`).join(', ');
      const rows = db.values<string>(`SELECT json_object(${pairs}) FROM ${table}`).toSorted();
      archive(table);
      const sql = `SELECT content FROM archived_rows WHERE kind = ? AND content <> '{"id":"event-0"}'`;
      expect(db.values<string>(sql, table).toSorted()).toEqual(rows);
      expect(rows.length).toBeGreaterThan(0);
    });
  });

  const REBORN = {
    events: `INSERT OR IGNORE INTO events (id, facts, content, progress) VALUES ('event-2', '{}', '{}',
      '{"status":"pending"}')`,
    trigger_events: `INSERT OR IGNORE INTO trigger_events (id, facts) VALUES ('input-1', '{}')`,
  };
  it.each(Object.entries(REBORN))(
    '[RT-3] an archived row of %s is not inserted again by this device; a merge may bring it',
    (table, sql) => {
      undone(() => {
        archive(table);
        db.run(sql);
        expect(db.value(`SELECT count(*) FROM ${table}`)).toBe(0);
        asMerge(sql);
        expect(db.value(`SELECT count(*) FROM ${table}`)).toBe(1);
      });
    },
  );
});

describe('merged rows', () => {
  /** By kind: an insert, the id that is noted, and the updates that matter. */
  const MERGED: {
    readonly [kind: string]: readonly [insert: string, id: string, ...updates: string[]];
  } = {
    automation_runs: [
      `INSERT INTO automation_runs (id) VALUES ('new')`,
      'new',
      `UPDATE automation_runs SET progress = '{"status":"failed"}' WHERE id = 'new'`,
    ],
    events: [
      `INSERT INTO events (id) VALUES ('new')`,
      'new',
      `UPDATE events SET progress = '{"status":"consumed"}' WHERE id = 'new'`,
    ],
    handler_runs: [
      `INSERT INTO handler_runs (id) VALUES ('new')`,
      'new',
      `UPDATE handler_runs SET takeover = '{"phase":"failed"}' WHERE id = 'new'`,
    ],
    intents: [`INSERT INTO intents (id) VALUES ('new')`, 'new'],
    mutations: [
      `INSERT INTO mutations (id) VALUES ('new')`,
      'new',
      `UPDATE mutations SET outcome = '{"status":"applied"}' WHERE id = 'new'`,
      `UPDATE mutations SET recovered = '{"status":"applied"}' WHERE id = 'new'`,
    ],
    ownership_claims: [
      claim(7),
      'workflow-1',
      `UPDATE ownership_claims SET release = '{}' WHERE epoch = 7`,
    ],
    reservations: [`INSERT INTO reservations VALUES ('new', 1, 'run-1')`, 'new'],
    resolutions: [`INSERT INTO resolutions (id) VALUES ('new')`, 'new'],
    workflows: [`INSERT INTO workflows (id) VALUES ('new')`, 'new'],
  };

  it.each(Object.entries(MERGED))(
    '[RP-3] a merged row of %s is noted for examination',
    (kind, [insert, id, ...updates]) => {
      undone(() => {
        const takeNoted = (): unknown[] => {
          const noted = db.all('SELECT kind, id FROM merged_rows');
          db.run('DELETE FROM merged_rows');
          return noted;
        };
        takeNoted();
        asMerge(insert);
        expect(takeNoted()).toEqual([{ kind, id }]);
        for (const update of updates) {
          asMerge(update);
          expect(takeNoted()).toEqual([{ kind, id }]);
        }
      });
    },
  );

  it('[RL-8] a merged record of the run log, new or completed, removes the snapshot of its run', () => {
    undone(() => {
      const snapshots = (): unknown => db.value('SELECT count(*) FROM run_snapshots');
      expect(snapshots()).toBe(1);
      asMerge(record('merged', 2));
      expect(snapshots()).toBe(0);
      db.run(`INSERT INTO run_snapshots VALUES ('session-1', 2, '{}')`);
      asMerge(`UPDATE run_events SET facts = '{"run_seq":2}' WHERE idempotency_key = 'merged'`);
      expect(snapshots()).toBe(0);
    });
  });

  it('[RL-13] a merged record with a number that is taken marks the log as forked, until it is archived', () => {
    undone(() => {
      const forks = (): unknown[] => db.all('SELECT run_id, term FROM run_log_forks');
      db.run('DELETE FROM run_log_forks');
      asMerge(record('merged', 1));
      expect(forks()).toEqual([{ run_id: 'session-1', term: 0 }]);
      db.run('DELETE FROM run_log_forks');
      asMerge(record('completed', 2));
      expect(forks()).toEqual([]);
      asMerge(`UPDATE run_events SET facts = '{"run_seq":1}' WHERE idempotency_key = 'completed'`);
      expect(forks()).toEqual([{ run_id: 'session-1', term: 0 }]);
      archive('run_events');
      expect(forks()).toEqual([]);
    });
  });
});

describe('what the database derives from events', () => {
  const event = (id: string, status: string, causes: string): string =>
    `INSERT INTO events (id, facts, progress) VALUES ('${id}',
       '{"topic_id":"topic-9","also_caused_by":${causes}}', '{"status":"${status}"}')`;

  it('[EN-27] a pending event, new, changed or merged, revises its topic; another does not', () => {
    undone(() => {
      const revision = (): unknown =>
        db.value(`SELECT revision FROM topic_revisions WHERE topic_id = 'topic-9'`);
      db.run(event('e', 'pending', '[]'));
      expect(revision()).toBe(1);
      db.run(`UPDATE events SET content = '{"title":"T"}' WHERE id = 'e'`);
      expect(revision()).toBe(2);
      db.run(`UPDATE events SET progress = '{"status":"reserved"}' WHERE id = 'e'`);
      expect(revision()).toBe(2);
      asMerge(event('f', 'consumed', '[]'));
      expect(revision()).toBe(2);
      asMerge(`UPDATE events SET progress = '{"status":"pending"}' WHERE id = 'f'`);
      expect(revision()).toBe(3);
    });
  });

  it('[AR-12] the inputs that led to an event are listed when it comes or is completed, until it is archived', () => {
    undone(() => {
      const causes = (): string[] =>
        db.values(`SELECT input_id FROM event_causes WHERE event_id = 'e' ORDER BY input_id`);
      db.run(event('e', 'pending', '["i1","i2"]'));
      expect(causes()).toEqual(['i1', 'i2']);
      asMerge(
        `UPDATE events SET facts = json_set(facts, '$.also_caused_by[2]', 'i3') WHERE id = 'e'`,
      );
      expect(causes()).toEqual(['i1', 'i2', 'i3']);
      archive('events', `id = 'e'`);
      expect(causes()).toEqual([]);
    });
  });
});

describe('unique indexes with a condition', () => {
  it('[RU-6] one active job has a key; ended ones do not count', () => {
    undone(() => {
      db.run(job('job-2'));
      expect(() => db.run(job('job-3'))).toThrow('UNIQUE constraint failed');
      db.run(`UPDATE runner_jobs SET status = 'failed', finished_at = 9 WHERE id = 'job-2'`);
      db.run(job('job-3'));
      db.run(`UPDATE runner_jobs SET status = 'failed', finished_at = 9 WHERE id = 'job-3'`);
      db.run(job('job-4'));
    });
  });

  it('[SR-2] one active session has a lane, ended ones do not count; one end has a session', () => {
    undone(() => {
      const end = (id: string): unknown =>
        db.run(`UPDATE script_runs SET progress = '{"status":"failed","terminal_event_id":"t"}'
          WHERE id = '${id}'`);
      db.run(session('s1', '{"status":"booting"}'));
      expect(() => db.run(session('s2', '{"status":"booting"}'))).toThrow(
        'UNIQUE constraint failed',
      );
      end('s1');
      db.run(session('s2', '{"status":"booting"}'));
      end('s2');
      db.run(session('s3', '{"status":"booting"}'));
      const again = `INSERT INTO run_guard VALUES ('s2', 'w', 'main', 'failed', 't')`;
      expect(() => db.run(again)).toThrow('UNIQUE constraint failed');
    });
  });
});
