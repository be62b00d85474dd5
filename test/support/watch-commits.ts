// Detects commits to a host's database from another connection: SQLite's data_version changes with every
// commit of other connections that changed a page.
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';

/** Returns a function that returns whether anything was committed since its last call. */
export function watchCommits(dataDir: string): () => boolean {
  const sqlite = new SQLite(join(dataDir, DATABASE_FILE), { readonly: true });
  onTestFinished(() => {
    sqlite.close();
  });
  const version = (): number => Number(sqlite.pragma('data_version', { simple: true }));
  let seen = version();
  return () => {
    const before = seen;
    seen = version();
    return seen !== before;
  };
}
