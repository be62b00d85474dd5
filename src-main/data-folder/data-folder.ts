// Opens a data folder: locks it, migrates the database, loads the device identity. A failing step
// undoes the earlier ones.
import { accessSync, constants, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '#main/platform/start-error.ts';
import { lockFolder, type FolderLock } from '#main/data-folder/folder-lock.ts';
import { claimIdentity, type DeviceIdentity } from '#main/sync/device-identity.ts';
import { markRestored, readBackupMark } from '#main/store/queries/backup-mark.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { isDamaged, isDiskFull } from '#main/store/sqlite/sqlite-errors.ts';
import { failOpenJobs } from '#main/store/queries/fail-open-jobs.ts';
import { renameDevice } from '#main/store/queries/rename-device.ts';
import { SettingsStore } from '#main/store/tables/settings.ts';
import {
  FutureDatabaseError,
  loadMigrations,
  migrateFile,
  MigrationError,
  type Migration,
  type MigrateResult,
} from '#main/store/sqlite/migrate.ts';
import { Space } from '#main/store/tables/space.ts';
import type { Cipher } from '#main/secrets/secret-store.ts';
import type { Clock } from '#shared/clock.ts';
import type { IdSource } from '#shared/ids.ts';

/** Local tables that are invalid for a new device identity. */
const FORMER_DEVICE_TABLES = [
  'peers',
  'peer_cursors',
  'merged_versions',
  'staged_changes',
  'lineages',
  // The device that takes a workflow over computes its due times again.
  'producer_schedules',
  // The device that takes a workflow over creates the outbox rows of its inputs again.
  'outbox',
  'automation_leases',
  'idempotency_keys',
  // Sealed with a key of the former device.
  'raw_payloads',
  // Nobody ends the sessions of the former device, so they must not block a start.
  'run_guard',
];

export const DATABASE_FILE = 'holdfast.db';

export interface DataFolder {
  readonly dir: string;
  readonly db: Database;
  readonly lock: FolderLock;
  readonly identity: DeviceIdentity;
  readonly space: Space;
  readonly migrated: MigrateResult;
  close(): void;
}

export interface DataFolderOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly migrations?: readonly Migration[];
  /** Encrypts the private key, if the system has a keychain. */
  readonly cipher?: Cipher | undefined;
}

export function openDataFolder(options: DataFolderOptions): DataFolder {
  const { dir, clock, ids } = options;
  ensureWritable(dir);
  const lock = lockFolder(dir);
  let db: Database | undefined;
  try {
    lock.announce({ pid: process.pid, startedAt: clock.now() });
    const path = join(dir, DATABASE_FILE);
    const migrated = migrateDatabase(path, options.migrations ?? loadMigrations(), clock.now());
    db = openDatabase(path, clock.now());
    const identity = loadIdentity(dir, db, clock, options.cipher);
    if (identity.renewed) {
      // cr-sqlite reads its site id when a connection opens.
      db.close();
      db = openDatabase(path, clock.now());
    }
    const opened = db;
    return {
      dir,
      db: opened,
      lock,
      identity,
      space: new Space({ db: opened, clock, ids }),
      migrated,
      close: () => {
        opened.close();
        lock.release();
      },
    };
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
}

/** For an error while a folder is opened. */
export function asDiskFull(dir: string, error: unknown): unknown {
  if (!isDiskFull(error)) return error;
  return new StartError(
    'disk_full',
    `The disk of the data folder ${dir} is full, so Holdfast could not start. Everything saved so far is safe. Free some space, then start Holdfast again.`,
    { cause: error },
  );
}

export function ensureWritable(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (isDiskFull(error)) throw asDiskFull(dir, error);
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(
      'not_writable',
      `The data folder ${dir} is not writable (${why}). Nothing was changed. Make it writable, or choose another folder with --data.`,
      { cause: error },
    );
  }
}

function migrateDatabase(
  path: string,
  migrations: readonly Migration[],
  at: number,
): MigrateResult {
  try {
    return migrateFile(path, migrations, at);
  } catch (error) {
    if (isDamaged(error)) throw setAside(path, at, error);
    if (error instanceof FutureDatabaseError) {
      throw new StartError('newer_version', error.message, { cause: error });
    }
    if (error instanceof MigrationError) {
      if (isDamaged(error.cause)) throw setAside(path, at, error);
      if (isDiskFull(error.cause)) throw error.cause;
      throw new StartError('migration_failed', error.message, { cause: error });
    }
    throw error;
  }
}

function openDatabase(path: string, at: number): Database {
  try {
    return new Database(path);
  } catch (error) {
    if (isDamaged(error)) throw setAside(path, at, error);
    throw error;
  }
}

/** Renames a damaged database with its WAL, so that nothing overwrites it. */
function setAside(path: string, at: number, cause: unknown): StartError {
  const stamp = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  const aside = `${path}.damaged-${stamp}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return new StartError(
    'damaged',
    `The database ${path} is damaged. It was saved unchanged as ${aside}. To restore a backup, run "holdfast restore" with a file from the folder "backups". To start with an empty database, start Holdfast again.`,
    { cause },
  );
}

function loadIdentity(
  dir: string,
  db: Database,
  clock: Clock,
  cipher: Cipher | undefined,
): DeviceIdentity {
  const settings = new SettingsStore({ db, clock });
  const known = settings.get('device_id');
  const backup = readBackupMark(settings);
  const formerDeviceId = typeof known === 'string' ? known : null;
  const identity = claimIdentity(dir, formerDeviceId ?? undefined, cipher, backup !== null);
  const { deviceId, renewed, formerId } = identity;
  if (renewed || known !== deviceId) {
    db.write(() => {
      if (renewed) {
        db.run('UPDATE crsql_site_id SET site_id = randomblob(16) WHERE ordinal = 0');
        // Peers are paired with the former key, and cursors and lineages describe the former
        // device's versions.
        for (const table of FORMER_DEVICE_TABLES) db.run(`DELETE FROM ${table}`);
        settings.remove('synced_at');
        if (renewed !== 'key lost') failOpenJobs(db, clock.now());
      }
      if (formerId !== null) renameDevice(db, formerId, deviceId);
      settings.set('device_id', deviceId);
      if (backup) markRestored(settings, { ...backup, formerDeviceId, openedAt: clock.now() });
    });
  }
  return identity;
}
