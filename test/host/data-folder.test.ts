import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ensureToken } from '#main/boundary/token.ts';
import { chooseDataDir } from '#main/data-folder/data-dir.ts';
import { openDataFolder, type DataFolder } from '#main/data-folder/data-folder.ts';
import { readHostRecord } from '#main/data-folder/folder-lock.ts';
import { createLog } from '#main/host/log.ts';
import { createMasker } from '#main/secrets/masker.ts';
import { StartError } from '#main/platform/start-error.ts';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { latestVersion, loadMigrations, type Migration } from '#main/store/sqlite/migrate.ts';
import { exitOf, runNode, serveHost } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

function open(dir: string, migrations?: readonly Migration[]): DataFolder {
  const folder = openDataFolder({
    dir,
    clock: systemClock,
    ids: createSystemIds(systemClock),
    ...(migrations ? { migrations } : {}),
  });
  onTestFinished(() => {
    if (existsSync(join(dir, 'host.json'))) folder.close();
  });
  return folder;
}

function refusal(work: () => unknown): StartError {
  try {
    work();
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  throw new Error('Opening was not refused.');
}

const siteOf = (folder: DataFolder): string =>
  (folder.db.get('SELECT hex(crsql_site_id()) AS id') as { id: string }).id;

describe('choosing the folder', () => {
  it('[DF-1] uses --data, else HOLDFAST_DATA, else the app data folder of the platform', () => {
    vi.stubEnv('HOLDFAST_DATA', '/from/env');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    expect(chooseDataDir('here')).toBe(resolve('here'));
    expect(chooseDataDir(undefined)).toBe(resolve('/from/env'));
    vi.stubEnv('HOLDFAST_DATA', undefined);
    vi.stubEnv('XDG_DATA_HOME', undefined);
    vi.stubGlobal('process', { ...process, platform: 'linux', env: {}, cwd: () => '/' });
    expect(chooseDataDir(undefined)).toBe(join(homedir(), '.local/share/holdfast'));
    vi.stubGlobal('process', { ...process, platform: 'darwin', env: {}, cwd: () => '/' });
    expect(chooseDataDir(undefined)).toBe(join(homedir(), 'Library/Application Support/Holdfast'));
    vi.stubGlobal('process', { ...process, platform: 'win32', env: { APPDATA: '/app' } });
    expect(chooseDataDir(undefined)).toBe('/app/Holdfast');
    vi.unstubAllGlobals();
  });

  it.each(['', 'relative/place'])(
    '[DF-1] ignores an XDG_DATA_HOME of %j and an empty HOLDFAST_DATA',
    (dataHome) => {
      const env = { HOLDFAST_DATA: '', XDG_DATA_HOME: dataHome };
      vi.stubGlobal('process', { ...process, platform: 'linux', env, cwd: () => '/' });
      onTestFinished(() => {
        vi.unstubAllGlobals();
      });
      expect(chooseDataDir(undefined)).toBe(join(homedir(), '.local/share/holdfast'));
      env.XDG_DATA_HOME = '/elsewhere';
      expect(chooseDataDir(undefined)).toBe('/elsewhere/holdfast');
    },
  );
});

describe('one host per folder', () => {
  it('[DF-2] a second host in this process is refused with the pid of the first', () => {
    const dir = tempFolder();
    const first = open(dir);
    expect(refusal(() => open(dir))).toMatchObject({
      type: 'in_use',
      message: expect.stringContaining(`Process ${process.pid} is using the data folder`) as string,
    });
    first.close();
    expect(open(dir).identity.deviceId).toBe(first.identity.deviceId);
  });

  it('[DF-2] a second process is refused with the pid of the first, and exits with 1', async () => {
    const dir = tempFolder();
    const first = await serveHost(dir);
    const second = await runNode('bin/holdfast.mjs', ['serve', '--data', dir, '--json']);
    expect(second.code).toBe(1);
    expect(second.stdout).toBe('');
    expect(second.stderr).toContain(`Process ${first.pid} is using the data folder ${dir}.`);
  });

  it('[DF-2] a killed host leaves no lock', async () => {
    const dir = tempFolder();
    const first = await serveHost(dir);
    first.child.kill('SIGKILL');
    await exitOf(first.child);
    expect(readHostRecord(dir)?.pid).toBe(first.pid);
    expect((await serveHost(dir)).pid).not.toBe(first.pid);
  });
});

describe('identity', () => {
  it('[DF-3] survives restarts and moving the folder', () => {
    const parent = tempFolder();
    const first = open(join(parent, 'a'));
    const [device, site] = [first.identity.deviceId, siteOf(first)];
    expect(first.identity.renewed).toBeNull();
    first.close();
    renameSync(join(parent, 'a'), join(parent, 'b'));
    const again = open(join(parent, 'b'));
    expect(again.identity).toMatchObject({ deviceId: device, renewed: null });
    expect(siteOf(again)).toBe(site);
    expect(again.space.id).toBe(first.space.id);
  });

  it('[DF-3] is new for a copied folder; the original keeps its own', () => {
    const parent = tempFolder();
    const first = open(join(parent, 'a'));
    const site = siteOf(first);
    first.close();
    cpSync(join(parent, 'a'), join(parent, 'b'), { recursive: true, preserveTimestamps: true });
    const copy = open(join(parent, 'b'));
    expect(copy.identity.renewed).toBe('folder copied');
    expect(copy.identity.deviceId).not.toBe(first.identity.deviceId);
    expect(siteOf(copy)).not.toBe(site);
    copy.close();
    expect(open(join(parent, 'b')).identity).toMatchObject({
      deviceId: copy.identity.deviceId,
      renewed: null,
    });
    const original = open(join(parent, 'a'));
    expect(original.identity).toMatchObject({ deviceId: first.identity.deviceId, renewed: null });
    expect(siteOf(original)).toBe(site);
  });

  it.each([true, false])(
    '[DF-3] is new for a database copied into another folder (that folder was used: %s)',
    (used) => {
      const parent = tempFolder();
      const first = open(join(parent, 'a'));
      const site = siteOf(first);
      first.close();
      mkdirSync(join(parent, 'b'));
      if (used) open(join(parent, 'b')).close();
      copyFileSync(join(parent, 'a/holdfast.db'), join(parent, 'b/holdfast.db'));
      const copy = open(join(parent, 'b'));
      expect(copy.identity.renewed).toBe('database copied');
      expect(copy.identity.deviceId).not.toBe(first.identity.deviceId);
      expect(siteOf(copy)).not.toBe(site);
    },
  );
});

describe('opening fails', () => {
  it('[DF-4] a file that is not a database is saved unchanged, and the next start is empty', () => {
    const dir = tempFolder();
    open(dir).close();
    const garbage = Buffer.from('not a database at all, '.repeat(500));
    writeFileSync(join(dir, 'holdfast.db'), garbage);
    const error = refusal(() => open(dir));
    expect(error.type).toBe('damaged');
    const aside = readdirSync(dir).find((file) => file.startsWith('holdfast.db.damaged-'));
    expect(error.message).toContain(join(dir, aside as string));
    expect(readFileSync(join(dir, aside as string))).toEqual(garbage);
    expect(existsSync(join(dir, 'holdfast.db'))).toBe(false);
    expect(open(dir).migrated.from).toBe(0);
    expect(readFileSync(join(dir, aside as string))).toEqual(garbage);
  });

  it('[DF-4] a database with a damaged schema is saved', () => {
    const dir = tempFolder();
    open(dir).close();
    const path = join(dir, 'holdfast.db');
    const bytes = readFileSync(path);
    // The first page has the root of the schema; everything after the header is overwritten.
    bytes.fill(0x5a, 100, 4096);
    writeFileSync(path, bytes);
    expect(refusal(() => open(dir)).type).toBe('damaged');
    expect(readdirSync(dir).some((file) => file.startsWith('holdfast.db.damaged-'))).toBe(true);
  });

  it('[DF-4] what was only in the write-ahead log is saved with a damaged database', () => {
    const [used, dir] = [tempFolder(), tempFolder()];
    const { db } = open(used);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.write(() =>
      db.run(`INSERT INTO settings (key, value, updated_at) VALUES ('last', '"words"', 1)`),
    );
    for (const file of ['holdfast.db', 'holdfast.db-wal']) {
      copyFileSync(join(used, file), join(dir, file));
    }
    const path = join(dir, 'holdfast.db');
    const bytes = readFileSync(path);
    expect(bytes.includes('"words"')).toBe(false);
    writeFileSync(path, bytes.fill(0x5a, 100, 4096));
    expect(refusal(() => open(dir)).type).toBe('damaged');
    const saved = readdirSync(dir).filter((file) => file.startsWith('holdfast.db.damaged-'));
    expect(saved.some((file) => readFileSync(join(dir, file)).includes('"words"'))).toBe(true);
  });

  it('[DF-5] a folder that cannot be created is refused with a hint to --data', () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    expect(refusal(() => open(join(file, 'data')))).toMatchObject({
      type: 'not_writable',
      message: expect.stringContaining('choose another folder with --data') as string,
    });
  });

  const isRoot = process.getuid?.() === 0;
  const why = isRoot ? ' (not run: root may write anywhere)' : '';
  it.skipIf(isRoot)(`[DF-5] a read-only folder is refused${why}`, () => {
    const dir = tempFolder();
    chmodSync(dir, 0o500);
    expect(refusal(() => open(dir)).type).toBe('not_writable');
  });

  it('[MG-3] a failed migration is a start error, and the folder is unlocked again', () => {
    const dir = tempFolder();
    open(dir).close();
    const next = latestVersion(loadMigrations()) + 1;
    const broken = [...loadMigrations(), { version: next, name: 'broken', sql: 'SELECT no();' }];
    expect(refusal(() => open(dir, broken))).toMatchObject({ type: 'migration_failed' });
    expect(open(dir).migrated).toMatchObject({ from: next - 1, backup: null });
  });

  it('[MG-4] a newer database is a start error with its version', () => {
    const dir = tempFolder();
    open(dir).close();
    const db = new Database(join(dir, 'holdfast.db'));
    db.exec('PRAGMA user_version = 77');
    db.close();
    expect(refusal(() => open(dir))).toMatchObject({
      type: 'newer_version',
      message: expect.stringContaining('version 77') as string,
    });
  });
});

describe('permissions', () => {
  it('[DF-6] files of a host are readable by their owner only', () => {
    const dir = join(tempFolder(), 'data');
    const folder = open(dir);
    folder.db.exec('CREATE TABLE x (y)');
    ensureToken(dir);
    createLog(dir, createMasker()).info('hello');
    const modeOf = (file: string): string => (statSync(join(dir, file)).mode & 0o777).toString(8);
    expect(modeOf('.')).toBe('700');
    for (const file of [
      'holdfast.db',
      'holdfast.db-wal',
      'device.json',
      'device-key.json',
      'host.json',
      'api-token',
      'logs/host.log',
    ]) {
      expect([file, modeOf(file)]).toEqual([file, '600']);
    }
  });

  it('[DF-6] a token file that others can read becomes owner-only again', () => {
    const dir = tempFolder();
    const token = ensureToken(dir);
    chmodSync(join(dir, 'api-token'), 0o644);
    expect(ensureToken(dir)).toBe(token);
    expect(statSync(join(dir, 'api-token')).mode & 0o777).toBe(0o600);
  });
});
