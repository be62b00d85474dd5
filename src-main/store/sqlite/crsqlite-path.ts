// Locates the cr-sqlite extension and says which build it is. scripts/setup-crsqlite.mjs makes the
// file in a checkout; the desktop package ships it beside its archive.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '#main/platform/package-root.ts';

const SUFFIX: Partial<Record<NodeJS.Platform, string>> = { darwin: 'dylib', win32: 'dll' };

export function crsqlitePath(root = packageRoot()): string {
  // The operating system cannot load code from inside an asar archive.
  const isPackaged = root.endsWith('.asar');
  const chosen = process.env['HOLDFAST_CRSQLITE'];
  if (chosen && !isPackaged) return chosen;
  const file = `crsqlite.${SUFFIX[process.platform] ?? 'so'}`;
  if (isPackaged) return join(dirname(root), 'crsqlite', file);
  return join(root, '.cache', 'crsqlite', file);
}

export function requireCrsqlite(): string {
  const path = crsqlitePath();
  if (existsSync(path)) return path;
  throw new Error(
    `The cr-sqlite extension is missing at ${path}. No database was opened. Run "npm run setup" in the Holdfast folder.`,
  );
}

/** For example "0.16.3, built from source, sha256 8901…", from the record that setup wrote. */
export function describeCrsqlite(path = crsqlitePath()): string {
  const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
  const record = readRecord(join(dirname(path), 'verified.json'));
  return record?.sha256 === sha256
    ? `${record.version}, ${record.origin}, sha256 ${sha256}`
    : `own file ${path}, sha256 ${sha256}`;
}

interface SetupRecord {
  readonly version: string;
  readonly origin: string;
  readonly sha256: string;
}

function readRecord(path: string): SetupRecord | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SetupRecord;
  } catch {
    return null;
  }
}
