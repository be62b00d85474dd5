// Where the cr-sqlite extension lies: made by scripts/setup-crsqlite.mjs in a checkout, shipped
// beside the app in a package.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageRoot } from '#main/host/package-root.ts';

const SUFFIX: Partial<Record<NodeJS.Platform, string>> = { darwin: 'dylib', win32: 'dll' };

export function crsqlitePath(): string {
  const chosen = process.env['HOLDFAST_CRSQLITE'];
  if (chosen) return chosen;
  const file = `crsqlite.${SUFFIX[process.platform] ?? 'so'}`;
  const root = packageRoot();
  // The system loads no code from inside an archive: there it lies beside it.
  if (root.endsWith('.asar')) return join(dirname(root), 'crsqlite', file);
  return join(root, '.cache', 'crsqlite', file);
}

export function requireCrsqlite(): string {
  const path = crsqlitePath();
  if (existsSync(path)) return path;
  throw new Error(
    `The cr-sqlite extension is not at ${path}. Nothing was opened. Run "npm run setup" in the Holdfast folder to make it.`,
  );
}
