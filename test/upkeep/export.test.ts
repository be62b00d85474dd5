import fs, {
  cpSync,
  fstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { StartError } from '#main/platform/start-error.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { LOCAL_TABLES, type Manifest } from '#main/upkeep/export-format.ts';
import { exportTo } from '#main/upkeep/export.ts';
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { loadMigrations, migrateFile } from '#main/store/sqlite/migrate.ts';
import { importFrom, type ImportResult } from '#main/upkeep/import.ts';
import { ArchiveFiles } from '#main/upkeep/archive-file.ts';
import { readArchive } from '#test/support/read-archive.ts';
import { sha256Hex } from '#shared/ids.ts';
import { holdfastWith, refused, succeeds } from '#test/cli/holdfast.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { POSTER, startEngine, type EngineUnderTest } from '#test/support/start-engine.ts';
import { startInputs } from '#test/support/start-inputs.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Creates runs, effects, a resolution, an intent, a claim and jobs. */
async function withHistory(): Promise<EngineUnderTest & { readonly workflowId: string }> {
  const under = startEngine();
  const { store, outside } = under;
  const workflowId = await under.add(POSTER);
  store.grants.set(workflowId, 'outside', {});
  store.settings.set('flags', { sandboxPreview: false });
  store.settings.set('device_id', 'device-a');
  store.devices.ensureOwn('k'.repeat(64), 'Laptop “ä”');
  await under.publish(workflowId, 'in', 'm1', {
    text: 'naïve 🌊',
    big: 2 ** 53 - 1,
    deep: [[1.5]],
  });
  outside.answers.push({ type: 'ambiguous', error: 'lost' });
  await under.publish(workflowId, 'in', 'm2');
  const [open] = store.mutations.byStatus('indeterminate');
  under.engine.decisions.settle('resolution-1', {
    mutationId: open?.id ?? '',
    workflowId,
    resolution: 'user_assert_applied',
  });
  await under.idle();
  under.engine.decisions.submit(workflowId, { kind: 'pause', reason: 'enough' });
  const columns =
    'id, requested_by, payload_hash, repo_key, script_key, args, timeout_ms, created_at';
  const job = (id: string, status: string): void => {
    store.db.run(
      `INSERT INTO runner_jobs (${columns}, status) VALUES (?, 'me', 'h', 'r', 's', '{}', 9, 1, 'queued')`,
      id,
    );
    store.db.run(
      `INSERT INTO runner_job_events (job_id, seq, type, at) VALUES (?, 1, 'queued', 1)`,
      id,
    );
    if (status === 'queued') return;
    store.db.run(
      `UPDATE runner_jobs SET status = 'running', started_at = 2, launcher_version = 1 WHERE id = ?`,
      id,
    );
    if (status === 'canceled') {
      store.db.run(
        `UPDATE runner_jobs SET status = 'cancel_requested', cancel_requested_at = 3 WHERE id = ?`,
        id,
      );
    }
    const exit = status === 'succeeded' ? 0 : null;
    store.db.run(
      'UPDATE runner_jobs SET status = ?, finished_at = 4, exit_code = ? WHERE id = ?',
      status,
      exit,
      id,
    );
  };
  for (const status of ['succeeded', 'canceled', 'timed_out', 'queued'])
    job(`job-${status}`, status);
  return { ...under, workflowId };
}

const foldersOf = ({ path }: OpenStore) => ({
  archive: join(path, '..', 'archive'),
  artifacts: join(path, '..', 'artifacts'),
});

const exported = (store: OpenStore, dir = join(tempFolder(), 'export')): string => {
  exportTo(store.path, foldersOf(store), dir, 5000);
  return dir;
};

const imported = (dir: string, store: OpenStore, withGrants = true): ImportResult =>
  importFrom(
    dir,
    {
      db: store.db,
      settings: store.settings,
      deviceId: store.context.deviceId,
      ...foldersOf(store),
      now: store.clock.now() + 1,
    },
    { withGrants },
  );

const local = ({ db }: OpenStore, table: string): unknown[] =>
  db.all(`SELECT * FROM ${table} ORDER BY 1, 2`);

describe('export and import', () => {
  it('[EX-1] [EX-3] restore every row; a second import changes nothing', async () => {
    const { store } = await withHistory();
    const rows = dumpRows(store.db);
    for (const table of ['handler_runs', 'mutations', 'resolutions', 'run_events', 'intents']) {
      expect(rows[table]?.length, table).toBeGreaterThan(0);
    }
    const dir = exported(store);
    const other = openStore('device-b');
    const first = imported(dir, other);
    expect(first.rows).toBeGreaterThan(10);
    expect(dumpRows(other.db)).toEqual(rows);
    for (const table of ['grants', 'runner_repos']) {
      expect(local(other, table)).toEqual(local(store, table));
    }
    const ended = (jobs: unknown[]): unknown[] =>
      jobs.filter((job) => (job as { status: string }).status !== 'queued');
    expect(local(other, 'runner_jobs')).toEqual(ended(local(store, 'runner_jobs')));
    expect(local(other, 'runner_jobs')).toHaveLength(3);
    expect(local(other, 'runner_job_events')).toHaveLength(3);
    expect(other.settings.get('flags')).toEqual({ sandboxPreview: false });
    expect(other.settings.get('device_id')).toBeUndefined();
    expect(imported(dir, other)).toMatchObject({ rows: 0, localRows: 0 });
    expect(dumpRows(other.db)).toEqual(rows);
  });

  it('[DT-3] contain only what is on disk: the WAL is fsynced before the first file is written', async () => {
    const { store } = await withHistory();
    const dir = join(tempFolder(), 'out');
    const synced: { inode: number; files: number }[] = [];
    const real = fs.fdatasyncSync;
    vi.spyOn(fs, 'fdatasyncSync').mockImplementation((file) => {
      const files = readdirSync(dir, { recursive: true, withFileTypes: true });
      synced.push({
        inode: fstatSync(file).ino,
        files: files.filter((one) => one.isFile()).length,
      });
      real(file);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    exportTo(store.path, { archive: tempFolder(), artifacts: tempFolder() }, dir, 1);
    expect(synced).toEqual([{ inode: statSync(`${store.path}-wal`).ino, files: 0 }]);
  });

  it('[EX-3] give rows that sync like any others', async () => {
    const { store } = await withHistory();
    const other = openStore('device-b');
    imported(exported(store), other);
    const third = openStore('device-c');
    exchange(other.db, third.db);
    expect(dumpRows(third.db)).toEqual(dumpRows(store.db));
    // An exchange with the original device changes nothing.
    exchange(store.db, third.db);
    exchange(third.db, store.db);
    expect(dumpRows(third.db)).toEqual(dumpRows(store.db));
  });

  it('[EX-3] do not overwrite newer local rows and settings', async () => {
    const { store, workflowId, publish, engine } = await withHistory();
    const dir = exported(store);
    engine.commands.resume(workflowId);
    await publish(workflowId, 'in', 'm3');
    store.settings.set('flags', { sandboxPreview: true });
    const rows = dumpRows(store.db);
    expect(imported(dir, store)).toMatchObject({ rows: 0 });
    expect(dumpRows(store.db)).toEqual(rows);
    expect(store.settings.get('flags')).toEqual({ sandboxPreview: true });
    expect(store.settings.get('restored'), 'not marked as restored').toBeUndefined();
  });

  it('[EX-1] [EX-3] include archived history, once', async () => {
    const { store } = await withHistory();
    const row = { kind: 'events', content: '{"id":"e","facts":"{\\"created_at\\":1}"}' };
    new ArchiveFiles(join(store.path, '..', 'archive')).append([row], 1);
    const other = openStore('device-b');
    const dir = exported(store);
    for (let time = 0; time < 2; time += 1) imported(dir, other);
    const archive = join(other.path, '..', 'archive');
    const [name, ...more] = readdirSync(archive);
    expect(more).toEqual([]);
    expect(readArchive(join(archive, name ?? ''))).toEqual([
      { table: 'events', row: { id: 'e', facts: '{"created_at":1}' } },
    ]);
  });

  it('[EX-1] include workflow sources as files, and a manifest with every file and its hash', async () => {
    const { store, workflowId } = await withHistory();
    const dir = exported(store);
    const source = join('workflows', `poster-${workflowId.slice(0, 8)}.ts`);
    expect(readFileSync(join(dir, source), 'utf8')).toBe(POSTER);
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Manifest;
    const files = ['history', 'local', 'workflows'].flatMap((folder) =>
      readdirSync(join(dir, folder)).map((name) => `${folder}/${name}`),
    );
    expect(Object.keys(manifest.files).toSorted()).toEqual(files.toSorted());
    for (const [file, { sha256 }] of Object.entries(manifest.files)) {
      expect(sha256Hex(readFileSync(join(dir, file), 'utf8')), file).toBe(sha256);
    }
    expect(manifest).toMatchObject({ format: 1, deviceId: 'device-a', exportedAt: 5000 });
  });
});

describe('an import', () => {
  it('[EX-4] [NU-5] refuses changed, incomplete, newer or invalid exports and writes nothing', async () => {
    const { store } = await withHistory();
    const dir = exported(store);
    const other = openStore('device-b');
    const before = dumpRows(other.db);
    const spoil = (work: (copy: string) => void): StartError => {
      const copy = join(tempFolder(), 'copy');
      cpSync(dir, copy, { recursive: true });
      work(copy);
      try {
        imported(copy, other);
      } catch (error) {
        if (error instanceof StartError) return error;
        throw error;
      }
      throw new Error('The import was accepted.');
    };
    const rewrite = (copy: string, file: string, change: (text: string) => string): void => {
      const path = join(copy, file);
      const text = change(readFileSync(path, 'utf8'));
      writeFileSync(path, text);
      const manifest = JSON.parse(readFileSync(join(copy, 'manifest.json'), 'utf8')) as Manifest;
      const entry = manifest.files[file];
      if (entry) entry.sha256 = sha256Hex(text);
      writeFileSync(join(copy, 'manifest.json'), JSON.stringify(manifest));
    };
    const EVENTS = 'history/events.jsonl';
    expect(spoil((copy) => rmSync(join(copy, 'manifest.json'))).message).toMatch(
      /not a complete export/,
    );
    expect(spoil((copy) => rmSync(join(copy, EVENTS))).message).toMatch(/is missing/);
    expect(
      spoil((copy) => writeFileSync(join(copy, EVENTS), '{}\n', { flag: 'a' })).message,
    ).toMatch(/was changed after the export/);
    expect(
      spoil((copy) =>
        rewrite(copy, 'manifest.json', (text) =>
          text.replace(/"schemaVersion": \d+/, '"schemaVersion": 9999'),
        ),
      ).message,
    ).toMatch(/newer Holdfast/);
    // Invalid rows with a correct hash.
    for (const [file, change] of [
      [EVENTS, (text: string) => text.replace(/"pk":"../, '"pk":"ff')],
      [EVENTS, (text: string) => `${text}not json\n`],
      [EVENTS, (text: string) => text.replace('"progress":', '"regress":')],
      [EVENTS, (text: string) => text.replace('{\\"status\\"', '{\\"status')],
      [EVENTS, (text: string) => text.replace('{\\"status\\"', '{\\"n\\":1e400,\\"status\\"')],
      ['history/mutations.jsonl', (text: string) => text.replace('"cl":1', '"cl":2')],
      ['local/runner_jobs.jsonl', (text: string) => text.replace('"reason"', '"treason"')],
      ['local/settings.jsonl', (text: string) => `${text}{"key":"device_id","value":"1"}\n`],
    ] as const) {
      const error = spoil((copy) => rewrite(copy, file, change));
      expect(error.message, file).toMatch(/invalid data.* Nothing was imported\.$/s);
    }
    expect(dumpRows(other.db)).toEqual(before);
    expect(local(other, 'runner_jobs')).toEqual([]);
  });

  it('[EF-4] takes an export of an earlier version, whose effects had another key', () => {
    const path = join(tempFolder(), 'older.db');
    migrateFile(path, loadMigrations().slice(0, 37));
    const older = new Database(path);
    older.run(`INSERT INTO settings VALUES ('device_id', '"device-old"', 1)`);
    const add = (id: string, space: string): void => {
      older.run(
        'INSERT INTO automation_side_effects (effect_id, facts, response_json) VALUES (?, ?, ?)',
        id,
        JSON.stringify({ organization_id: space, run_id: 'r', kind: 'http.post' }),
        '{"ok":true}',
      );
    };
    // Longer than 255 bytes: its length takes two bytes in a packed key.
    const long = 's'.repeat(300);
    add('kept', 'space-1');
    add('long', long);
    add('archived', 'space-1');
    older.write(() => archiveDelete(older, 'automation_side_effects', 'effect_id', 'archived'));
    older.close();
    const dir = join(tempFolder(), 'out');
    exportTo(path, { archive: tempFolder(), artifacts: tempFolder() }, dir, 5000);
    const target = openStore('device-b');
    target.settings.set('space_id', 'space-1');
    // This device still has the effect that the other one archived.
    const effect = { runIds: ['r'], handlerRunId: 'h', kind: 'k', provider: 'p', response: null };
    target.sideEffects.record({ ...effect, effectId: 'archived' });
    imported(dir, target);
    expect(target.sideEffects.ofRun('r')).toMatchObject([
      { effectId: 'kept', organizationId: 'space-1', kind: 'http.post', response: { ok: true } },
      { effectId: 'long', organizationId: long },
    ]);
    expect(target.sideEffects.get('archived')).toBeUndefined();
    const before = dumpRows(target.db);
    imported(dir, target);
    expect(dumpRows(target.db)).toEqual(before);
  });

  it('[EX-5] starts no workflow; a take-over pauses it', async () => {
    const { store, workflowId, engine, outside, publish } = await withHistory();
    engine.commands.resume(workflowId);
    engine.commands.pause(workflowId, 'not now');
    await publish(workflowId, 'in', 'm3');
    engine.context.stores.workflows.setStatus(workflowId, 'active');
    const dir = exported(store);
    const sent = outside.arrived.length;
    const target = openStore('device-b');
    imported(dir, target, false);
    const other = startEngine({ store: target, outside });
    await other.idle();
    expect(outside.arrived).toHaveLength(sent);
    expect(target.events.unfinished(workflowId).length, 'work is pending').toBeGreaterThan(0);
    expect(target.grants.of(workflowId), 'grants only on request').toEqual({});
    other.engine.ownership.takeOver(workflowId);
    await other.idle();
    expect(outside.arrived).toHaveLength(sent);
    expect(target.workflows.get(workflowId)?.statusReason).toMatch(/^Restored from a backup/);
  });

  it('[EX-2] gets no secret and no device key, because the export has none', async () => {
    const data = tempFolder();
    await holdfastWith('canary-of-secrets\n', 'secret', 'set', 'mail', '--data', data);
    const keyFile = readFileSync(join(data, 'device-key.json'), 'utf8');
    expect(readFileSync(join(data, 'secrets.json'), 'utf8')).toContain('canary-of-secrets');
    const dir = join(data, 'out');
    await succeeds('export', dir, '--data', data);
    const key = /-----BEGIN PRIVATE KEY-----\\n(.{40})/.exec(keyFile)?.[1];
    expect(key).toBeDefined();
    for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      for (const canary of ['canary-of-secrets', key ?? '']) expect(text).not.toContain(canary);
    }
  });
});

it('[EX-6] every table is exported, or listed below with the reason why not', () => {
  const { db } = openStore();
  const named = new Set([...syncedTables(db), ...LOCAL_TABLES, ...Object.keys(NOT_EXPORTED)]);
  const tables = db
    .all<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
         AND name NOT LIKE '%crsql%'`,
    )
    .map(({ name }) => name);
  expect(tables.filter((table) => !named.has(table))).toEqual([]);
});

it('[EX-1] [EX-3] the export and import commands give the same rows; a non-empty folder is refused', async () => {
  const data = tempFolder();
  const { store } = await withHistory();
  store.settings.remove('device_id');
  const copy = join(data, 'holdfast.db');
  store.db.run('VACUUM INTO ?', copy);
  const dir = join(data, 'out');
  expect(await succeeds('export', dir, '--data', data)).toMatch(/^Exported \d+ rows of history/);
  expect(await refused('export', dir, '--data', data)).toMatch(/is not empty/);
  const empty = join(data, 'empty');
  mkdirSync(empty);
  expect(await succeeds('import', dir, '--data', empty)).toMatch(/^Imported .*: \d+ new rows/);
  const [one, other] = [copy, join(empty, 'holdfast.db')].map((path) => {
    const db = new Database(path, { readonly: true });
    const { devices: _devices, ...rows } = dumpRows(db);
    db.close();
    return rows;
  });
  expect(other).toEqual(one);
});

/** Local tables that the export leaves out on purpose, with the reason. */
const NOT_EXPORTED: { readonly [table: string]: string } = {
  settings: 'identity of this device; user preferences are exported by name',
  run_contexts: 'sessions active right now on this device',
  run_guard: 'starts and ends of sessions on this device',
  run_log_forks: 'derived from the log',
  lane_validation: 'derived from the scripts',
  run_snapshots: 'derived from the log',
  producer_schedules: 'next times on this device; computed again',
  consumer_wakes: 'next times on this device; computed again',
  topic_revisions: 'counted on this device from its own writes',
  raw_payloads: 'sealed with a key of this device; only the redacted payload leaves it',
  event_causes: 'derived from the events',
  workflow_costs: 'derived from the runs',
  peers: 'a pairing is between two keys, and keys are not exported',
  lineages: 'versions of this database file',
  peer_cursors: 'sync position of this database file',
  merged_versions: 'sync position of this database file',
  staged_changes: 'sync position of this database file',
  merged_rows: 'merged rows this device has not processed yet',
  refused_rows: 'what this device and version can not read',
  archiving: 'has rows only within one transaction',
  archived_rows: 'waiting for the archive, which is exported as it is',
  hooks: 'addresses of this device, whose secrets are not exported',
  hook_proofs: 'replay protection of those addresses',
  automation_leases: 'who is working on an input right now',
  outbox: 'pending work of this device',
  idempotency_keys: 'answers given to programs on this device',
  runner_launcher: 'process that starts scripts right now',
};

describe('artifacts', () => {
  it('[AF-15] an export has the content that rows refer to, and an import brings it; a false or changed file is refused', async () => {
    const inputs = startInputs();
    const { store } = inputs.under;
    const workflowId = await inputs.under.add(POSTER);
    const run = inputs.run(await inputs.start(workflowId, { n: 1 }));
    const unused = await inputs.artifacts.put({ unused: true });
    const dir = join(tempFolder(), 'export');
    const folders = { ...foldersOf(store), artifacts: inputs.artifacts.folder };
    exportTo(store.path, folders, dir, 5000);
    const { enrichment = '', sources = '', policy = '' } = run.artifacts ?? {};
    const refs = [enrichment, sources, policy];
    expect(readdirSync(join(dir, 'artifacts'))).toEqual(expect.arrayContaining(refs));
    expect(readdirSync(join(dir, 'artifacts'))).not.toContain(unused.ref);
    const other = openStore('device-b');
    imported(dir, other);
    imported(dir, other);
    const { artifacts } = foldersOf(other);
    for (const ref of refs) {
      const content = readFileSync(join(artifacts, ref.slice(0, 2), ref.slice(2)), 'utf8');
      expect(sha256Hex(content)).toBe(ref);
    }
    const path = join(dir, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as Manifest;
    const false1 = sha256Hex('x');
    writeFileSync(join(dir, 'artifacts', 'x'), 'x');
    const files = { ...manifest.files, 'artifacts/x': { sha256: false1, lines: 0 } };
    writeFileSync(path, JSON.stringify({ ...manifest, files }));
    const third = openStore('device-c');
    expect(() => imported(dir, third)).toThrow('artifacts/x is not named after its content');
    expect(third.db.value('SELECT count(*) FROM automation_runs')).toBe(0);
  });
});
