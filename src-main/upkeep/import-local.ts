// Imports rows of local tables from an exported folder. Existing rows win. Grants are imported only on
// request. Unfinished jobs are left out, because an import must not start a script.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Database } from '#main/store/sqlite/database.ts';
import { LOCAL_TABLES, USER_SETTINGS } from '#main/upkeep/export-format.ts';
import { readJsonLines } from '#main/upkeep/jsonl-file.ts';

type Cell = string | number | null;
type Row = { readonly [column: string]: Cell };
export type LocalRows = ReadonlyMap<string, readonly Row[]>;

const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
const settingSchema = z.strictObject({ key: z.enum(USER_SETTINGS), value: z.string() });

const ENDED = new Set<Cell>(['succeeded', 'failed', 'canceled', 'timed_out']);

/** Throws if a row does not match its table. */
export function readLocal(db: Database, dir: string, files: readonly string[]): LocalRows {
  const rows = new Map<string, readonly Row[]>();
  for (const table of [...LOCAL_TABLES, 'settings']) {
    const file = `local/${table}.jsonl`;
    if (!files.includes(file)) continue;
    const columns = columnsOf(db, table);
    const read = [...readJsonLines(join(dir, file))].map((line) =>
      table === 'settings' ? settingSchema.parse(line) : rowSchema.parse(line),
    );
    for (const row of read) {
      const unknown = Object.keys(row).find((column) => !columns.includes(column));
      if (unknown !== undefined) throw new Error(`${table} has no column "${unknown}".`);
    }
    rows.set(table, read);
  }
  return rows;
}

/** Must run inside a write transaction. Returns the number of rows added. */
export function importLocal(db: Database, rows: LocalRows, withGrants: boolean): number {
  const of = (table: string): readonly Row[] => rows.get(table) ?? [];
  const add = (table: string, selected: readonly Row[]): number =>
    selected.reduce((sum, row) => sum + insert(db, table, row), 0);
  const ended = of('runner_jobs').filter(({ status }) => ENDED.has(status ?? null));
  const added = ended.filter((job) => importJob(db, job));
  const ids = new Set(added.map(({ id }) => id));
  const settings = of('settings').map((row) => ({ ...row, updated_at: 0 }));
  return (
    add('settings', settings) +
    (withGrants ? add('grants', of('grants')) : 0) +
    add(
      'workflow_files',
      of('workflow_files').filter(({ path }) => typeof path === 'string' && existsSync(path)),
    ) +
    add('runner_repos', of('runner_repos')) +
    added.length +
    add(
      'runner_job_events',
      of('runner_job_events').filter(({ job_id: id }) => ids.has(id ?? null)),
    )
  );
}

function insert(db: Database, table: string, row: Row): number {
  const columns = Object.keys(row);
  const marks = columns.map(() => '?').join(', ');
  return db.run(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks}) ON CONFLICT DO NOTHING`,
    ...Object.values(row),
  );
}

/** Triggers allow only legal transitions, so a job is inserted as queued and moved step by step. */
function importJob(db: Database, job: Row): boolean {
  const { status, started_at: startedAt } = job;
  const queued = {
    ...job,
    status: 'queued',
    started_at: null,
    finished_at: null,
    cancel_requested_at: null,
    exit_code: null,
  };
  if (insert(db, 'runner_jobs', queued) === 0) return false;
  const move = (to: Row): void => {
    const columns = Object.keys(to);
    db.run(
      `UPDATE runner_jobs SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ?`,
      ...Object.values(to),
      job['id'],
    );
  };
  if (startedAt !== null) {
    const version = job['launcher_version'] ?? 0;
    move({ status: 'running', started_at: startedAt ?? null, launcher_version: version });
    if (status === 'canceled') {
      const at = job['cancel_requested_at'] ?? startedAt ?? null;
      move({ status: 'cancel_requested', cancel_requested_at: at });
    }
  }
  move({
    status: status ?? null,
    finished_at: job['finished_at'] ?? null,
    cancel_requested_at: job['cancel_requested_at'] ?? null,
    exit_code: job['exit_code'] ?? null,
    launcher_version: job['launcher_version'] ?? null,
  });
  return true;
}

function columnsOf(db: Database, table: string): string[] {
  return db.values<string>('SELECT name FROM pragma_table_info(?)', table);
}
