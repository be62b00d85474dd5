// Sees whether anything was committed to a host's database, as only another connection can:
// SQLite's data_version moves with every commit of others that changed a page.
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';

/** Returns a function that says whether something was committed since it was last asked. */
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
