// Opens a data folder: takes the lock, brings the database up to date, knows who it is. In that
// order, and undone in the reverse one when a step fails.
import { accessSync, constants, existsSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '#main/platform/start-error.ts';
import { lockFolder, type FolderLock } from '#main/data-folder/folder-lock.ts';
import { claimIdentity, type DeviceIdentity } from '#main/sync/device-identity.ts';
import { markRestored, readBackupMark } from '#main/store/queries/backup-mark.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { isDamaged } from '#main/store/sqlite/sqlite-errors.ts';
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

const OF_THE_FORMER_DEVICE = [
  'peers',
  'peer_cursors',
  'merged_versions',
  'staged_changes',
  'lineages',
  // When it would have been due: computed anew by whoever takes the workflow over.
  'producer_schedules',
  // What it had yet to do for its inputs: whoever takes the workflow over takes them up anew.
  'outbox',
  'automation_leases',
  'idempotency_keys',
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
  /** Seals the private key, where there is one. */
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
    const migrated = bringUpToDate(path, options.migrations ?? loadMigrations(), clock.now());
    db = openDatabase(path, clock.now());
    const identity = identify(dir, db, clock, options.cipher);
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

export function ensureWritable(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError(
      'not_writable',
      `The data folder ${dir} cannot be written to (${why}). Nothing was changed. Make it writable, or choose another one with --data.`,
      { cause: error },
    );
  }
}

function bringUpToDate(path: string, migrations: readonly Migration[], at: number): MigrateResult {
  try {
    return migrateFile(path, migrations, at);
  } catch (error) {
    if (isDamaged(error)) throw setAside(path, at, error);
    if (error instanceof FutureDatabaseError) {
      throw new StartError('newer_version', error.message, { cause: error });
    }
    if (error instanceof MigrationError) {
      if (isDamaged(error.cause)) throw setAside(path, at, error);
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

/** Moves what is damaged out of the way, whole, so that nothing can write over it. */
function setAside(path: string, at: number, cause: unknown): StartError {
  const stamp = new Date(at).toISOString().replaceAll(/[:.]/g, '-');
  const aside = `${path}.damaged-${stamp}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  }
  return new StartError(
    'damaged',
    `The database ${path} is damaged. It was kept, unchanged, as ${aside}. To go on from a backup, use "holdfast restore" with one of the folder "backups"; to begin anew, start again.`,
    { cause },
  );
}

function identify(
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
        // They are paired with the key that this device no longer has, or never had; and what it
        // knew of how far each is, it knew as somebody else. Versions of its own mean something
        // only under a lineage that is not the original's, too.
        for (const table of OF_THE_FORMER_DEVICE) db.run(`DELETE FROM ${table}`);
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
