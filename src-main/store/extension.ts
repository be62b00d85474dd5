// Where the cr-sqlite extension lies: made by scripts/setup-crsqlite.mjs in a checkout, shipped
// beside the app in a package.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '#main/host/package-root.ts';

const SUFFIX: Partial<Record<NodeJS.Platform, string>> = { darwin: 'dylib', win32: 'dll' };

export function crsqlitePath(root = packageRoot()): string {
  // The system loads no code from inside an archive: in a package it lies beside it.
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
    `The cr-sqlite extension is not at ${path}. Nothing was opened. Run "npm run setup" in the Holdfast folder to make it.`,
  );
}
