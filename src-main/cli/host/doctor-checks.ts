// One function for each thing the doctor looks at. They read; they never write, and never open the
// database of a running host for writing.
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { rendererFolder } from '#main/api/transport/static-files.ts';
import { readToken, tokenPath } from '#main/boundary/token.ts';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';
import { isFolderLocked, readHostRecord } from '#main/data-folder/folder-lock.ts';
import { packageRoot } from '#main/platform/package-root.ts';
import { isDamaged } from '#main/store/sqlite/sqlite-errors.ts';
import { crsqlitePath, describeCrsqlite } from '#main/store/sqlite/crsqlite-path.ts';
import { latestVersion, loadMigrations } from '#main/store/sqlite/migrate.ts';
import { proveCrsqlite } from '#main/store/sqlite/prove-crsqlite.ts';

export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'note' | 'wrong';
  readonly says: string;
}

type Check = (dataDir: string) => Omit<Finding, 'what'>;

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
    return ok(`${describeCrsqlite(path)}; two databases merge`);
  },

  window: () =>
    existsSync(join(rendererFolder(), 'index.html'))
      ? ok('built')
      : wrong('not built. Run "npm run build".'),

  Electron: () =>
    process.env['ELECTRON_OVERRIDE_DIST_PATH'] ||
    existsSync(join(packageRoot(), 'node_modules/electron/dist'))
      ? ok('its binary is here')
      : note('no binary here: Holdfast opens in the browser. "npx install-electron" fetches it.'),

  display: () =>
    process.platform !== 'linux' || process.env['DISPLAY'] || process.env['WAYLAND_DISPLAY']
      ? ok('there is one')
      : note('none: Holdfast is served to a browser.'),

  'data folder': (dataDir) => {
    if (!existsSync(dataDir))
      return note(`${dataDir} does not exist yet; the first start makes it.`);
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(dataDir);
  },

  host: (dataDir) => {
    if (!existsSync(join(dataDir, 'host.lock')) || !isFolderLocked(dataDir)) {
      return note('none is running on this folder.');
    }
    const record = readHostRecord(dataDir);
    return ok(`process ${record?.pid ?? 'unknown'}${record?.url ? ` at ${record.url}` : ''}`);
  },

  database: (dataDir) => checkDatabase(join(dataDir, DATABASE_FILE)),

  'set aside': (dataDir) => {
    const damaged = existsSync(dataDir)
      ? readdirSync(dataDir).filter((file) => /\.damaged-[^.]*Z$/.test(file))
      : [];
    return damaged.length === 0
      ? ok('no damaged database')
      : note(`kept from earlier: ${damaged.join(', ')}`);
  },

  token: (dataDir) => {
    if (!existsSync(tokenPath(dataDir))) return note('none yet; "holdfast serve" makes it.');
    if (!readToken(dataDir)) return wrong(`${tokenPath(dataDir)} is not a token. Remove it.`);
    const loose = process.platform !== 'win32' && (statSync(tokenPath(dataDir)).mode & 0o077) !== 0;
    return loose
      ? wrong(`others can read ${tokenPath(dataDir)}. Run: chmod 600 on it.`)
      : ok('only its owner can read it');
  },
};

function checkDatabase(path: string): Omit<Finding, 'what'> {
  if (!existsSync(path)) return note('none yet; the first start makes it.');
  const known = latestVersion(loadMigrations());
  try {
    // No extension: only structure and version are looked at.
    const sqlite = new SQLite(path, { readonly: true });
    try {
      const version = Number(sqlite.pragma('user_version', { simple: true }));
      if (version > known) {
        return wrong(
          `version ${version} is from a newer Holdfast (this one knows ${known}). Install that.`,
        );
      }
      const integrity = String(sqlite.pragma('quick_check(1)', { simple: true }));
      if (integrity !== 'ok') return wrong(`damaged: ${integrity}. Go back to a backup.`);
      return version < known
        ? note(`version ${version}; the next start brings it to ${known}.`)
        : ok(`version ${version}, sound`);
    } finally {
      sqlite.close();
    }
  } catch (error) {
    if (isDamaged(error))
      return wrong('damaged. The next start keeps it aside and says how to go on.');
    throw error;
  }
}
