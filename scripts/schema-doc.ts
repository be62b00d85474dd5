// Writes migrations/SCHEMA.md from a database that the migrations created; --check only compares.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { Database } from '#main/store/sqlite/database.ts';
import { describeSchema } from '#main/store/sqlite/describe-schema.ts';
import { migrateFile } from '#main/store/sqlite/migrate.ts';

const target = fileURLToPath(new URL('../migrations/SCHEMA.md', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'holdfast-schema-'));
try {
  const path = join(folder, 'schema.db');
  migrateFile(path);
  const database = new Database(path);
  const text = describeSchema(database);
  database.close();
  if (!process.argv.includes('--check')) writeFileSync(target, text);
  else if (readFileSync(target, 'utf8') !== text) {
    console.error('migrations/SCHEMA.md is out of date. Run: npm run schema');
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
