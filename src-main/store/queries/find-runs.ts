// Run search, newest first. One narrow covering index (migration 0022) holds every compared column,
// so a search without a match reads about 10 MB for 100,000 runs, and a search with enough matches
// stops early. The planner doesn't choose that index, hence INDEXED BY.
import type { Database } from '#main/store/sqlite/database.ts';
import type { Page } from '#main/store/sqlite/keyset-cursor.ts';
import { whereGiven, type Condition } from '#main/store/sqlite/where.ts';
import { searchWords, type RunState } from '#shared/api/run-search.ts';
import { firstUlidAt } from '#shared/ulid.ts';

export interface RunQuery extends Page {
  readonly workflowId?: string | undefined;
  readonly scriptRunId?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly state?: RunState | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly text?: string | undefined;
}

export function findRunIds(db: Database, query: RunQuery): string[] {
  const { where, params } = whereGiven([...placeIn(query), ...search(db, query)]);
  return db.values<string>(
    `SELECT id FROM handler_runs ${indexFor(query)} ${where} ORDER BY id DESC LIMIT ?`,
    ...params,
    query.limit,
  );
}

/** Sessions and workflows have narrower indexes of their own. */
function indexFor({ scriptRunId, deviceId, state, text }: RunQuery): string {
  if (scriptRunId !== undefined) return '';
  const isSearch = deviceId !== undefined || state !== undefined || text !== undefined;
  return isSearch ? 'INDEXED BY idx_handler_runs_search' : '';
}

/** ULIDs sort by creation time, so an id is a list position and a time maps to an id. */
function placeIn({ after, since, until, workflowId, scriptRunId }: RunQuery): Condition[] {
  return [
    ['id < ?', after],
    ['id >= ?', since === undefined ? undefined : firstUlidAt(since)],
    ['id < ?', until === undefined ? undefined : firstUlidAt(until)],
    ['script_run_id = ?', scriptRunId],
    ['workflow_id = ?', workflowId],
  ];
}

function search(db: Database, { deviceId, state, text }: RunQuery): Condition[] {
  return [
    ['device_id = ?', deviceId],
    ...searchWords(text ?? '').map((word) => contains(db, word)),
    // Last, so it is only evaluated for rows that match everything else.
    ...(state === undefined ? [] : [[STATES[state], []] as const]),
  ];
}

/** Names its index, because SQLite would scan the whole history otherwise. */
export const OPEN_RUNS = `SELECT id FROM handler_runs INDEXED BY idx_handler_runs_open
  WHERE phase NOT IN ('committed', 'failed')`;

const IN_PHASE = `SELECT id FROM handler_runs INDEXED BY idx_handler_runs_phase WHERE phase =`;

/** Nearly all runs are done, so `done` excludes the few in other states. */
const STATES: { readonly [state in RunState]: string } = {
  active: `id IN (${OPEN_RUNS} AND phase <> 'suspended')`,
  waiting: `id IN (${IN_PHASE} 'suspended')`,
  failed: `id IN (${IN_PHASE} 'failed')`,
  done: `id NOT IN (${OPEN_RUNS} UNION ALL ${IN_PHASE} 'failed')`,
};

/** Shorter words match too many ids by chance. */
const MIN_ID_PART = 6;

/** Resolves workflow names first, because workflows are few. */
function contains(db: Database, word: string): Condition {
  const pattern = `%${word.replaceAll(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  const workflows = db.values<string>(
    `SELECT id FROM workflows WHERE name LIKE ? ESCAPE '\\'`,
    pattern,
  );
  const isIdPart = word.length >= MIN_ID_PART;
  return [
    `(prepare_result ->> '$.ui.title' LIKE ? ESCAPE '\\'
      OR handler_name LIKE ? ESCAPE '\\'
      ${isIdPart ? `OR id LIKE ? ESCAPE '\\'` : ''}
      ${workflows.length === 0 ? '' : `OR workflow_id IN (${workflows.map(() => '?').join(', ')})`})`,
    [pattern, pattern, ...(isIdPart ? [pattern] : []), ...workflows],
  ];
}
