// Mutants of the rules in the database: every trigger and every partial index of the shipped schema,
// each left out, and each rule for local writes applied to merges as well.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { migrateFile } from '#main/store/sqlite/migrate.ts';
import type { Mutant } from '#test/mutants/mutant.ts';

const NEWEST = `migrations/${readdirSync('migrations')
  .filter((name) => /^\d{4}_\w+\.sql$/.test(name))
  .toSorted()
  .at(-1)}`;

const LOCAL_ONLY = 'crsql_internal_sync_bit() = 0';
const WHILE_NOT_ARCHIVING = 'NOT EXISTS (SELECT 1 FROM archiving)';

/** Objects that no behaviour needs, with the reason. */
const NEEDLESS: { readonly [name: string]: string } = {
  idx_runner_jobs_queue: 'SQLite reads queued jobs from idx_runner_jobs_status, which is as good.',
  idx_mutations_workflow: 'No query of ours uses it. Spec 002 asks for it.',
};

const TESTS: readonly (readonly [name: RegExp, tests: readonly string[]])[] = [
  [/^idx_run_guard/, ['test/store/table-rules.test.ts', 'test/store/run-guard.test.ts']],
  [/^idx_/, ['test/store/found-by-index.test.ts', 'test/store/table-rules.test.ts']],
  [/^script_runs_guard/, ['test/store/run-guard.test.ts']],
];

interface SchemaObject {
  readonly type: 'trigger' | 'index';
  readonly name: string;
  readonly sql: string;
}

export function schemaMutants(): Mutant[] {
  return shippedObjects().flatMap((object) =>
    object.type === 'trigger'
      ? triggerMutants(object)
      : [without(object), ...uniqueMutants(object)],
  );
}

function triggerMutants(trigger: SchemaObject): Mutant[] {
  const { name, sql } = trigger;
  const mutants = [without(trigger)];
  if (sql.includes(LOCAL_ONLY)) {
    mutants.push(
      changed(trigger, `${name} also applies to merges`, sql.replace(LOCAL_ONLY, 'true')),
    );
  }
  if (sql.includes(WHILE_NOT_ARCHIVING)) {
    const strict = sql.replace(WHILE_NOT_ARCHIVING, 'true');
    mutants.push(changed(trigger, `${name} also applies to archiving`, strict));
  }
  return mutants;
}

function uniqueMutants(index: SchemaObject): Mutant[] {
  if (!index.sql.startsWith('CREATE UNIQUE')) return [];
  const everywhere = index.sql.slice(0, index.sql.search(/\bWHERE\b/));
  return [
    changed(index, `${index.name} is not unique`, index.sql.replace('UNIQUE ', '')),
    changed(index, `${index.name} applies to every row`, everywhere),
  ];
}

function without(object: SchemaObject): Mutant {
  const survives = NEEDLESS[object.name];
  const mutant = changed(object, `${object.name} is missing`, '');
  return survives === undefined ? mutant : { ...mutant, survives };
}

function changed({ type, name }: SchemaObject, fault: string, sql: string): Mutant {
  const tests = TESTS.find(([pattern]) => pattern.test(name))?.[1];
  return {
    name: fault,
    file: NEWEST,
    append: `\nDROP ${type} ${name};\n${sql}${sql === '' ? '' : ';'}\n`,
    ...(tests === undefined ? {} : { tests }),
  };
}

/** Our triggers and partial indexes at the newest level. */
function shippedObjects(): SchemaObject[] {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-schema-'));
  try {
    const path = join(folder, 'schema.db');
    migrateFile(path);
    const sqlite = new SQLite(path, { readonly: true });
    const objects = sqlite
      .prepare<[], SchemaObject>(
        `SELECT type, name, sql FROM sqlite_schema
         WHERE (type = 'trigger' OR (type = 'index' AND sql LIKE '%WHERE%'))
           AND name NOT LIKE '%crsql%' ORDER BY type DESC, tbl_name, name`,
      )
      .all();
    sqlite.close();
    return objects;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
