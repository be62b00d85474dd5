// Lists and searches inputs by their automation runs, newest first.
import type { Database } from '#main/store/sqlite/database.ts';
import { encodeCursor, placeAfter, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import { whereGiven } from '#main/store/sqlite/where.ts';
import {
  AUTOMATION_RUN_COLUMNS,
  type AutomationRun,
  type AutomationRunRow,
} from '#main/store/tables/automation-run-row.ts';
import type { InputKind } from '#shared/inputs/kinds.ts';
import { SEARCH_WINDOW } from '#shared/limits.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';

export interface InputFilter extends Page {
  readonly workflowId?: string | undefined;
  readonly kind?: InputKind | undefined;
  readonly source?: string | undefined;
  readonly status?: AutomationRunStatus | undefined;
  readonly text?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

interface InputPage {
  readonly runs: AutomationRun[];
  readonly next: string | null;
}

interface Searched {
  readonly id: string;
  readonly createdAt: number;
  readonly words: string | null;
}

const ONE_RUN = `SELECT ${AUTOMATION_RUN_COLUMNS} FROM automation_runs WHERE id = ?`;

const NEWEST_FIRST = 'ORDER BY queued_at DESC, id DESC';

const WORDS = `(SELECT title || ' ' || type || ' ' || source || ' ' || external_id FROM trigger_events
  WHERE trigger_events.id = automation_runs.trigger_event_id)`;

/** A text search reads a bounded window of rows, so a page can be empty without being the last. */
/** None for a row that can't be read. */
type Read = (row: AutomationRunRow) => AutomationRun[];

export function findInputs(db: Database, filter: InputFilter, read: Read): InputPage {
  return filter.text === undefined
    ? pageOf(db, filter, read)
    : search(db, filter, filter.text, read);
}

function pageOf(db: Database, filter: InputFilter, read: Read): InputPage {
  const { where, params } = conditionsOf(filter);
  const rows = db.all<AutomationRunRow & { queued_at: number }>(
    `SELECT ${AUTOMATION_RUN_COLUMNS}, queued_at FROM automation_runs ${where} ${NEWEST_FIRST} LIMIT ?`,
    ...params,
    filter.limit,
  );
  const places = rows.map(({ id, queued_at: createdAt }) => ({ id, createdAt }));
  return { runs: rows.flatMap(read), next: encodeCursor(places, filter.limit) };
}

/** Scans only as many rows as it takes to fill the page. */
function search(db: Database, filter: InputFilter, text: string, read: Read): InputPage {
  const { where, params } = conditionsOf(filter);
  const rows = db
    .prepare(
      `SELECT id, queued_at AS createdAt, ${WORDS} AS words FROM automation_runs ${where}
       ${NEWEST_FIRST} LIMIT ?`,
    )
    .iterate(...params, SEARCH_WINDOW) as Iterable<Searched>;
  const wanted = text.toLowerCase();
  const found: string[] = [];
  let seen = 0;
  let last: Searched | undefined;
  for (const row of rows) {
    seen += 1;
    last = row;
    if (row.words?.toLowerCase().includes(wanted)) found.push(row.id);
    if (found.length === filter.limit) break;
  }
  const isAll = seen < SEARCH_WINDOW && found.length < filter.limit;
  return {
    runs: found.flatMap((id) => read(db.get(ONE_RUN, id) as AutomationRunRow)),
    next: last && !isAll ? encodeCursor([last], 1) : null,
  };
}

function conditionsOf(filter: InputFilter): ReturnType<typeof whereGiven> {
  return whereGiven([
    ['automation_id = ?', filter.workflowId],
    ['status = ?', filter.status],
    ['source = ?', filter.source],
    ['kind = ?', filter.kind],
    ['queued_at >= ?', filter.since],
    ['queued_at < ?', filter.until],
    ['(queued_at, id) < (?, ?)', placeAfter(filter)],
  ]);
}
