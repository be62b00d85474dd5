// `holdfast import`: merges an exported folder into a database. Every file is validated like data from
// a peer before anything is written. Rows are merged by their CRDT versions, so an import is
// idempotent and newer local values win.
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StartError } from '#main/platform/start-error.ts';
import { markRestored } from '#main/store/queries/backup-mark.ts';
import type { Database } from '#main/store/sqlite/database.ts';
import { latestVersion, loadMigrations } from '#main/store/sqlite/migrate.ts';
import type { SettingsStore } from '#main/store/tables/settings.ts';
import { mergeChanges, rowsImpacted } from '#main/sync/changes/apply.ts';
import { ROW_ITSELF, type Change } from '#main/sync/changes/change.ts';
import { decodeChangeSet, type CheckedChange } from '#main/sync/changes/decode.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import { readSyncSchema, type SyncSchema } from '#main/sync/changes/sync-schema.ts';
import { falseArtifact, importArtifacts } from '#main/upkeep/export-artifacts.ts';
import {
  MANIFEST,
  manifestSchema,
  rowSchema,
  type ExportedRow,
  type Manifest,
} from '#main/upkeep/export-format.ts';
import { importLocal, readLocal, type LocalRows } from '#main/upkeep/import-local.ts';
import { hashOfFile, readJsonLines } from '#main/upkeep/jsonl-file.ts';
import { fromOlderExport } from '#main/upkeep/older-rows.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { SYNC_FRAME_BYTES, SYNC_FRAME_CHANGES } from '#shared/limits.ts';

export interface ImportTarget {
  readonly db: Database;
  readonly settings: SettingsStore;
  readonly deviceId: string;
  /** The archive folder of this device. */
  readonly archive: string;
  readonly artifacts: string;
  readonly now: number;
}

export interface ImportResult {
  readonly exportedAt: number;
  /** Rows of synced tables that were added or updated. */
  readonly rows: number;
  /** Rows of local tables that were added. */
  readonly localRows: number;
}

/** Throws `StartError`, and then has changed nothing. */
export function importFrom(
  dir: string,
  target: ImportTarget,
  options: { readonly withGrants: boolean },
): ImportResult {
  const manifest = readManifest(dir);
  const { db, settings, deviceId, archive, artifacts, now } = target;
  const schema = readSyncSchema(db);
  const source = { dir, schemaVersion: manifest.schemaVersion, spaceId: spaceOf(settings) };
  const local = validate(source, manifest, schema, db);
  // Before the rows that refer to them.
  importArtifacts(dir, manifest, artifacts);
  let rows = 0;
  for (const table of historyOf(manifest)) {
    for (const batch of batches(source, table, schema)) rows += mergeBatch(db, batch);
  }
  copyArchive(dir, manifest, archive);
  return db.write(() => {
    const localRows = importLocal(db, local, options.withGrants);
    if (rows > 0 && manifest.deviceId !== deviceId) {
      // As after a restore, what that device did since the export is unknown.
      const { exportedAt: madeAt, deviceId: formerDeviceId } = manifest;
      markRestored(settings, { madeAt, formerDeviceId, openedAt: now });
    }
    return { exportedAt: manifest.exportedAt, rows, localRows };
  });
}

interface Source {
  readonly dir: string;
  readonly schemaVersion: number;
  /** The space of this device. */
  readonly spaceId: string;
}

function spaceOf(settings: SettingsStore): string {
  const space = settings.get('space_id');
  return typeof space === 'string' ? space : '';
}

function readManifest(dir: string): Manifest {
  const path = join(dir, MANIFEST);
  if (!existsSync(path)) {
    throw refused(`${dir} has no ${MANIFEST}, so it is not a complete export.`);
  }
  let read: unknown;
  try {
    read = parseExactJson(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw refused(`${path} can't be read.`, cause);
  }
  const manifest = manifestSchema.safeParse(read);
  if (!manifest.success) throw refused(`${path} is not a valid manifest for this Holdfast.`);
  const known = latestVersion(loadMigrations());
  const { schemaVersion } = manifest.data;
  if (schemaVersion <= known) return manifest.data;
  throw refused(
    `The export is from a newer Holdfast (data version ${schemaVersion}; this one supports ${known}). Install the newer Holdfast first.`,
  );
}

/** Validates every line of every file without writing anything. */
function validate(source: Source, manifest: Manifest, schema: SyncSchema, db: Database): LocalRows {
  const { dir } = source;
  for (const [file, { sha256 }] of Object.entries(manifest.files)) {
    const path = join(dir, file);
    if (!existsSync(path)) throw refused(`The file ${file} is missing.`);
    if (hashOfFile(path) !== sha256)
      throw refused(`The file ${file} was changed after the export.`);
  }
  const wrong = falseArtifact(manifest);
  if (wrong !== undefined) throw refused(`The file ${wrong} is not named after its content.`);
  try {
    for (const table of historyOf(manifest)) {
      // Reading a batch validates it.
      for (const batch of batches(source, table, schema)) void batch;
    }
    return readLocal(db, dir, Object.keys(manifest.files));
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw refused(`The export contains invalid data: ${why}`, cause);
  }
}

function historyOf({ files }: Manifest): string[] {
  return Object.keys(files).flatMap((file) => /^history\/(\w+)\.jsonl$/.exec(file)?.[1] ?? []);
}

/** Throws `Refused` or a parse error for an invalid line. */
function* batches(
  { dir, schemaVersion, spaceId }: Source,
  table: string,
  schema: SyncSchema,
): Generator<readonly CheckedChange[], void> {
  let changes: Change[] = [];
  let bytes = 0;
  for (const line of readJsonLines(join(dir, `history/${table}.jsonl`))) {
    const read = fromOlderExport(table, rowSchema.parse(line), schemaVersion, spaceId);
    const row = changesOf(table, read);
    changes.push(...row);
    bytes += row.reduce((sum, { value }) => sum + String(value).length, 0);
    if (changes.length < SYNC_FRAME_CHANGES && bytes < SYNC_FRAME_BYTES) continue;
    yield checked(changes, schema);
    changes = [];
    bytes = 0;
  }
  if (changes.length > 0) yield checked(changes, schema);
}

/** Encodes and decodes as for a peer, so that the same validation protects cr-sqlite. */
function checked(changes: readonly Change[], schema: SyncSchema): readonly CheckedChange[] {
  const frame = encodeChangeSet({ after: 0, upTo: 1, part: 0, isLast: true, changes });
  return decodeChangeSet(frame, schema).changes;
}

function changesOf(table: string, { pk, cl, values, clock }: ExportedRow): Change[] {
  const key = Buffer.from(pk, 'hex');
  return Object.entries(clock).map(([column, [columnVersion, site]]) => {
    const value = column === ROW_ITSELF ? null : values[column];
    if (value === undefined)
      throw new Refused('malformed-frame', `${table}.${column} has no value.`);
    return {
      table,
      key,
      column,
      value: typeof value === 'number' ? BigInt(value) : value,
      columnVersion,
      causalLength: cl,
      site: Buffer.from(site, 'hex'),
    };
  });
}

function mergeBatch(db: Database, changes: readonly CheckedChange[]): number {
  return db.write(() => {
    const before = rowsImpacted(db);
    mergeChanges(db, changes, 0);
    const impact = rowsImpacted(db) - before;
    if (impact > 0) db.changes.markMerge();
    return impact;
  });
}

/** File names contain the hash of the content, so a copy is idempotent and overwrites nothing. */
function copyArchive(dir: string, { files }: Manifest, archive: string): void {
  for (const [file, { sha256 }] of Object.entries(files)) {
    if (!file.startsWith('archive/')) continue;
    mkdirSync(archive, { recursive: true, mode: 0o700 });
    const name = basename(file).replace(/^imported-[0-9a-f]{12}-/, '');
    copyFileSync(join(dir, file), join(archive, `imported-${sha256.slice(0, 12)}-${name}`));
  }
}

function refused(why: string, cause?: unknown): StartError {
  return new StartError('bad_export', `${why} Nothing was imported.`, { cause });
}
