// Opens a data folder: locks it, migrates the database, loads the device identity. A failing step
// undoes the earlier ones.
import { accessSync, constants, existsSync, mkdirSync, realpathSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import {
  HighWaterMark,
  readGeneration,
  readMark,
  type Mark,
  type MarkPlaces,
} from '#main/data-folder/high-water-mark.ts';
import { machineId } from '#main/platform/machine-id.ts';
import { StartError } from '#main/platform/start-error.ts';
import { lockFolder, type FolderLock } from '#main/data-folder/folder-lock.ts';
import { claimIdentity, type DeviceIdentity } from '#main/sync/device-identity.ts';
import {
  markRestored,
  markWentBack,
  readBackupMark,
  type BackupMark,
} from '#main/store/queries/backup-mark.ts';
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
  readonly mark: HighWaterMark;
  /** The last host on this folder did not stop cleanly. */
  readonly wasUnclean: boolean;
  close(): void;
}

export interface DataFolderOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly migrations?: readonly Migration[];
  /** Encrypts the private key, if the system has a keychain. */
  readonly cipher?: Cipher | undefined;
  /** Where the second copy of the high-water mark is; without it there is only the one in the folder. */
  readonly stateDir?: string | undefined;
  /** Replaces how the id of this machine is read, for tests. */
  readonly machineId?: (() => string | null) | undefined;
}

export function openDataFolder(options: DataFolderOptions): DataFolder {
  const { clock, ids } = options;
  ensureWritable(options.dir);
  // Symbolic links resolved: lock, marks and the fsync of the WAL must be beside the real files.
  const dir = realpathSync(options.dir);
  const lock = lockFolder(dir);
  let db: Database | undefined;
  try {
    lock.announce({ pid: process.pid, startedAt: clock.now() });
    const path = realDatabase(dir);
    const migrated = migrateDatabase(
      path,
      options.migrations ?? loadMigrations(),
      clock.now(),
      join(dir, 'backups'),
    );
    db = openDatabase(path, clock.now());
    const places = { dataDir: dir, stateDir: options.stateDir ?? null };
    const { identity, mark } = loadIdentity(db, places, options);
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
      mark: new HighWaterMark({
        ...places,
        db: opened,
        clock,
        deviceId: identity.deviceId,
        from: Math.max(readGeneration(opened).generation, mark?.generation ?? 0),
        wasOpen: mark?.isOpen ?? false,
      }),
      wasUnclean: mark?.isOpen ?? false,
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

/** SQLite resolves a linked database itself, and puts its WAL beside the real file. */
export function realDatabase(dir: string): string {
  const path = join(dir, DATABASE_FILE);
  return existsSync(path) ? realpathSync(path) : path;
}

function migrateDatabase(
  path: string,
  migrations: readonly Migration[],
  at: number,
  backups: string,
): MigrateResult {
  try {
    return migrateFile(path, migrations, at, backups);
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
  db: Database,
  places: MarkPlaces,
  { clock, cipher, machineId: readMachineId = machineId }: DataFolderOptions,
): { readonly identity: DeviceIdentity; readonly mark: Mark | null } {
  const settings = new SettingsStore({ db, clock });
  const known = settings.get('device_id');
  const formerDeviceId = typeof known === 'string' ? known : null;
  const mark = formerDeviceId === null ? null : readMark(places, formerDeviceId);
  const { generation, at } = readGeneration(db);
  const wentBack = mark !== null && generation < mark.generation ? { madeAt: at } : null;
  const hasPeers = db.value('SELECT 1 FROM peers WHERE unpaired_at IS NULL LIMIT 1') === 1;
  // Without peers, no device knows what is missing, so treat it like a restored backup.
  const backup = readBackupMark(settings) ?? (hasPeers ? null : wentBack);
  const identity = claimIdentity(
    places.dataDir,
    {
      knownToDatabase: formerDeviceId ?? undefined,
      isBackup: backup !== null,
      machineId: readMachineId(),
    },
    cipher,
  );
  const { deviceId, renewed, formerId } = identity;
  // A copied folder has no peers any more.
  const missing = backup ?? (renewed ? wentBack : null);
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
    if (known !== deviceId) settings.set('device_id', deviceId);
    if (missing) markRestored(settings, { ...missing, formerDeviceId, openedAt: clock.now() });
    else if (wentBack) askLater(db, settings, wentBack, mark, clock.now());
  });
  return { identity, mark: renewed ? null : mark };
}

/** The device keeps its id, and its peers are asked before anything runs. */
function askLater(
  db: Database,
  settings: SettingsStore,
  { madeAt }: BackupMark,
  mark: Mark | null,
  openedAt: number,
): void {
  const reached = mark && !mark.isOpen ? { lineage: mark.lineage, version: mark.version } : null;
  markWentBack(settings, { madeAt, openedAt, reached });
  failOpenJobs(db, openedAt);
}
