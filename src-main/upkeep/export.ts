// `holdfast export`: history and settings as plain files, from one consistent snapshot of the
// database. A host may be running. Secrets, tokens and keys are not exported.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { appVersion } from '#main/platform/app-version.ts';
import { StartError } from '#main/platform/start-error.ts';
import { syncFolder } from '#main/secrets/secret-file.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { fsyncWal } from '#main/store/sqlite/wal-fsync.ts';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { exportArtifacts } from '#main/upkeep/export-artifacts.ts';
import {
  EXPORT_FORMAT,
  LOCAL_TABLES,
  MANIFEST,
  USER_SETTINGS,
  type ExportedRow,
  type Manifest,
} from '#main/upkeep/export-format.ts';
import { hashOfFile, writeJsonLines } from '#main/upkeep/jsonl-file.ts';
import { sha256Hex } from '#shared/ids.ts';
import { ROW_ITSELF, type Value } from '#main/sync/changes/change.ts';

const CHANGES = `SELECT pk, cid, val, col_version, site_id, cl FROM crsql_changes
  WHERE "table" = ? ORDER BY pk`;
type ChangeRow = [
  pk: Buffer,
  column: string,
  value: Value,
  version: bigint,
  site: Buffer,
  causalLength: bigint,
];

/** Folders of the data folder that belong to the export. */
export interface ExportedFolders {
  readonly archive: string;
  readonly artifacts: string;
}

/** Throws `StartError`; `dir` then has no manifest and cannot be imported. */
export function exportTo(
  database: string,
  folders: ExportedFolders,
  dir: string,
  at: number,
): Manifest {
  prepareFolder(dir);
  const db = new Database(database, { readonly: true });
  try {
    db.exec('BEGIN');
    // The first read fixes the snapshot. What leaves this device must survive a power cut on it.
    db.pragma('schema_version');
    fsyncWal(database);
    const files: Manifest['files'] = {
      ...writeTables(db, dir),
      ...writeSources(db, dir),
      ...copyArchive(folders.archive, dir),
      ...exportArtifacts(db, folders.artifacts, dir),
    };
    const deviceId = db.value<string>(`SELECT value ->> '$' FROM settings WHERE key = 'device_id'`);
    const manifest: Manifest = {
      format: EXPORT_FORMAT,
      holdfast: appVersion(),
      schemaVersion: Number(db.pragma('user_version')),
      exportedAt: at,
      deviceId: deviceId ?? 'unknown',
      files,
    };
    // The manifest is written last and atomically: a folder without one is an incomplete export.
    const partial = join(dir, `${MANIFEST}.partial`);
    writeFileSync(partial, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600 });
    renameSync(partial, join(dir, MANIFEST));
    syncFolder(dir);
    return manifest;
  } finally {
    db.close();
  }
}

function prepareFolder(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (readdirSync(dir).length === 0) {
      for (const name of ['history', 'local', 'workflows']) mkdirSync(join(dir, name));
      return;
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError('not_writable', `Could not export to ${dir}: ${why}.`, { cause: error });
  }
  throw new StartError(
    'not_writable',
    `The folder ${dir} is not empty. Nothing was exported. Choose an empty or new folder.`,
  );
}

function writeTables(db: Database, dir: string): Manifest['files'] {
  const files: Manifest['files'] = {};
  const write = (name: string, rows: Iterable<unknown>): void => {
    files[name] = writeJsonLines(join(dir, name), rows);
  };
  for (const table of syncedTables(db)) write(`history/${table}.jsonl`, rowsOf(db, table));
  for (const table of LOCAL_TABLES) write(`local/${table}.jsonl`, iterate(db, table));
  const settings = USER_SETTINGS.map((key) =>
    db.get('SELECT key, value FROM settings WHERE key = ?', key),
  );
  write(
    'local/settings.jsonl',
    settings.filter((row) => row !== undefined),
  );
  return files;
}

function iterate(db: Database, table: string): Iterable<unknown> {
  return db.prepare(`SELECT * FROM ${table}`).iterate() as Iterable<unknown>;
}

function* rowsOf(db: Database, table: string): Generator<ExportedRow, void> {
  let row: ExportedRow | undefined;
  const changes = db.prepare(CHANGES).safeIntegers().raw().iterate(table);
  for (const change of changes as IterableIterator<ChangeRow>) {
    const [key, column, value, version, site, causalLength] = change;
    const pk = key.toString('hex');
    if (row?.pk !== pk) {
      if (row) yield row;
      row = { pk, cl: Number(causalLength), values: {}, clock: {} };
    }
    row.clock[column] = [Number(version), site.toString('hex')];
    if (column !== ROW_ITSELF) row.values[column] = toJsonValue(value);
  }
  if (row) yield row;
}

function toJsonValue(value: Value): string | number | null {
  if (typeof value !== 'bigint') return value as string | number | null;
  if (Number.isSafeInteger(Number(value))) return Number(value);
  throw new Error(`The number ${value} can't be written as JSON.`);
}

/** The source of each workflow's active version, for people to read. */
function writeSources(db: Database, dir: string): Manifest['files'] {
  const files: Manifest['files'] = {};
  // A row of a peer that can't be read is in the history only.
  const sources = db.all<{ id: string; name: string; code: string }>(
    `SELECT workflows.id, workflows.name, scripts.code FROM workflows
     JOIN scripts ON scripts.id = workflows.script_id
     WHERE typeof(workflows.name) = 'text' AND typeof(scripts.code) = 'text' ORDER BY workflows.id`,
  );
  for (const { id, name, code } of sources) {
    const file = nameOfSource(files, slug(name), id);
    writeFileSync(join(dir, file), code, { flag: 'wx', mode: 0o600 });
    files[file] = { sha256: hashOfFile(join(dir, file)), lines: code.split('\n').length };
  }
  return files;
}

/** Peers choose ids, so they may be equal at the beginning, or a path. */
function nameOfSource(files: Manifest['files'], name: string, id: string): string {
  const isPlain = /^[a-zA-Z\d]{8}/.test(id);
  const file = `workflows/${name}-${isPlain ? id.slice(0, 8) : sha256Hex(id).slice(0, 8)}.ts`;
  return Object.hasOwn(files, file) ? `workflows/${name}-${sha256Hex(id)}.ts` : file;
}

function slug(name: string): string {
  const words = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return words.replaceAll(/^-|-$/g, '').slice(0, 40) || 'workflow';
}

/** Archived history is part of the export. */
function copyArchive(archive: string, dir: string): Manifest['files'] {
  if (!existsSync(archive)) return {};
  mkdirSync(join(dir, 'archive'));
  const names = readdirSync(archive).filter((name) => name.endsWith('.jsonl.gz'));
  return Object.fromEntries(
    names.map((name) => {
      const file = `archive/${name}`;
      copyFileSync(join(archive, name), join(dir, file));
      return [file, { sha256: hashOfFile(join(dir, file)), lines: 0 }];
    }),
  );
}
