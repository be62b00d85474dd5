// One function per check of `holdfast doctor`. Checks are read-only, also on a running host's
// database.
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { rendererFolder } from '#main/api/transport/static-files.ts';
import { readToken, tokenPath } from '#main/boundary/token.ts';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';
import { isFolderLocked, readHostRecord } from '#main/data-folder/folder-lock.ts';
import { packageRoot } from '#main/platform/package-root.ts';
import { unrunnableScripts } from '#main/runner/build-command.ts';
import { runnerConfig } from '#main/runner/config.ts';
import { createNetworkIsolation } from '#main/runner/network-isolation.ts';
import { RegistryFile } from '#main/runner/registry-file.ts';
import { isDamaged } from '#main/store/sqlite/sqlite-errors.ts';
import { crsqlitePath, describeCrsqlite } from '#main/store/sqlite/crsqlite-path.ts';
import { latestVersion, loadMigrations } from '#main/store/sqlite/migrate.ts';
import { proveCrsqlite } from '#main/store/sqlite/prove-crsqlite.ts';

export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly says: string;
}

type Check = (dataDir: string) => Omit<Finding, 'what'> | Promise<Omit<Finding, 'what'>>;

const ok = (says: string): Omit<Finding, 'what'> => ({ state: 'ok', says });
const note = (says: string): Omit<Finding, 'what'> => ({ state: 'note', says });
const wrong = (says: string): Omit<Finding, 'what'> => ({ state: 'wrong', says });

export const CHECKS: { readonly [what: string]: Check } = {
  Node: () =>
    Number.parseInt(process.versions.node, 10) >= 24
      ? ok(process.versions.node)
      : wrong(`${process.versions.node} is too old: 24 or newer is needed. Run "npm install".`),

  'cr-sqlite': () => {
    const problem = process.env['HOLDFAST_CRSQLITE_PROBLEM'];
    if (problem) return wrong(problem);
    const path = crsqlitePath();
    if (!existsSync(path)) return wrong(`missing at ${path}. Run "npm run setup".`);
    proveCrsqlite();
    return ok(`${describeCrsqlite(path)}; merge test passed`);
  },

  window: () =>
    existsSync(join(rendererFolder(), 'index.html'))
      ? ok('built')
      : wrong('not built. Run "npm run build".'),

  Electron: () =>
    process.env['ELECTRON_OVERRIDE_DIST_PATH'] ||
    existsSync(join(packageRoot(), 'node_modules/electron/dist'))
      ? ok('installed')
      : note('not installed; Holdfast opens in the browser. Run "npx install-electron" to add it.'),

  display: () =>
    process.platform !== 'linux' || process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']
      ? ok('available')
      : note('none; Holdfast opens in the browser.'),

  'data folder': (dataDir) => {
    if (!existsSync(dataDir))
      return note(`${dataDir} does not exist yet; the first start creates it.`);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(dataDir);
  },

  host: (dataDir) => {
    if (!existsSync(join(dataDir, 'host.lock')) || !isFolderLocked(dataDir)) {
      return note('not running on this data folder');
    }
    const record = readHostRecord(dataDir);
    return ok(`process ${record?.pid ?? 'unknown'}${record?.url ? ` at ${record.url}` : ''}`);
  },

  database: (dataDir) => checkDatabase(join(dataDir, DATABASE_FILE)),

  workflows: (dataDir) => checkOwners(join(dataDir, DATABASE_FILE)),

  'runner scripts': async (dataDir) => {
    const { registryPath } = runnerConfig(dataDir, process.env);
    if (!existsSync(registryPath)) return ok('none');
    const { registry, problems } = new RegistryFile(registryPath, () => undefined).read();
    if (!registry) return wrong(`${registryPath} is invalid: ${problems.join('; ')}`);
    const unrunnable = await unrunnableScripts(registry, createNetworkIsolation());
    if (unrunnable.length > 0) return wrong(unrunnable.join(' '));
    return ok(`${Object.keys(registry.scripts).length} can run`);
  },

  'scripts without network': async () => {
    const why = await createNetworkIsolation().check();
    return why === null
      ? ok('can be enforced')
      : note(`can't be enforced on this system: ${why}. Scripts with "network": "none" don't run.`);
  },

  'damaged databases': (dataDir) => {
    const damaged = existsSync(dataDir)
      ? readdirSync(dataDir).filter((file) => /\.damaged-[^.]*Z$/.test(file))
      : [];
    return damaged.length === 0 ? ok('none') : note(`saved earlier: ${damaged.join(', ')}`);
  },

  token: (dataDir) => {
    const path = tokenPath(dataDir);
    if (!existsSync(path)) return note('none yet; "holdfast serve" creates it.');
    if (!readToken(dataDir)) return wrong(`${path} does not contain a token. Delete it.`);
    const isReadable = process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0;
    return isReadable
      ? wrong(`other users can read ${path}. Run "chmod 600 ${path}".`)
      : ok('readable by its owner only');
  },
};

/** A copied folder is a new device that owns nothing, and so runs nothing. */
function checkOwners(path: string): Omit<Finding, 'what'> {
  if (!existsSync(path)) return ok('none yet');
  const sqlite = new SQLite(path, { readonly: true });
  try {
    const version = Number(sqlite.pragma('user_version', { simple: true }));
    if (version !== latestVersion(loadMigrations()))
      return note('not checked before the migration');
    const { workflows, ours, peers } = sqlite
      .prepare(
        `SELECT (SELECT count(*) FROM workflows) AS workflows,
           (SELECT count(*) FROM peers WHERE unpaired_at IS NULL) AS peers,
           (SELECT count(*) FROM workflows AS w WHERE (
              SELECT device_id FROM ownership_claims WHERE workflow_id = w.id
              ORDER BY epoch DESC, device_id LIMIT 1
            ) = (SELECT value ->> '$' FROM settings WHERE key = 'device_id')) AS ours`,
      )
      .get() as { workflows: number; ours: number; peers: number };
    if (workflows === 0) return ok('none yet');
    if (ours > 0 || peers > 0) return ok(`${ours} of ${workflows} run on this device`);
    return wrong(
      `none of ${workflows} runs here: another device owns each of them, and this one is paired with none. This happens when the folder was copied, its key was lost or a backup was restored. Pair the devices ("holdfast pair"). If the other device is gone, take over each workflow ("holdfast takeover WORKFLOW"), or after a restore run "holdfast restored".`,
    );
  } finally {
    sqlite.close();
  }
}

function checkDatabase(path: string): Omit<Finding, 'what'> {
  if (!existsSync(path)) return note('none yet; the first start creates it.');
  const known = latestVersion(loadMigrations());
  try {
    // Structure and version can be read without the cr-sqlite extension.
    const sqlite = new SQLite(path, { readonly: true });
    try {
      const version = Number(sqlite.pragma('user_version', { simple: true }));
      if (version > known) {
        return wrong(
          `version ${version} is from a newer Holdfast (this one supports ${known}). Install the newer Holdfast.`,
        );
      }
      const integrity = String(sqlite.pragma('quick_check(1)', { simple: true }));
      if (integrity !== 'ok') return wrong(`damaged: ${integrity}. Restore a backup.`);
      return version < known
        ? note(`version ${version}; the next start migrates it to ${known}.`)
        : ok(`version ${version}, integrity check passed`);
    } finally {
      sqlite.close();
    }
  } catch (error) {
    if (isDamaged(error))
      return wrong('damaged. The next start saves a copy and explains how to recover.');
    throw error;
  }
}
