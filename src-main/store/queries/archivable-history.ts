// Archivable history of one workflow, in groups that are archived together. Archiving is a delete
// that syncs like any change; each device keeps the rows in `archived_rows`.
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { lastId } from '#main/store/sqlite/keyset-cursor.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import type { EventStore } from '#main/store/tables/events.ts';
import type { HandlerRunStore } from '#main/store/tables/handler-runs.ts';
import type { MutationStore } from '#main/store/tables/mutations.ts';
import { inputsOfEvents } from '#main/store/tables/event-row.ts';
import { ACTIVE_STATUSES_SQL } from '#main/store/tables/script-runs.ts';
import { automationRunId } from '#shared/ids.ts';
import { isUnfinished, type AutomationRunStatus } from '#shared/machines/automation-run.ts';
import type { MutationStatus } from '#shared/machines/mutation.ts';
import { isEventDone, isRunDone, type OldEvent, type OldRun } from '#shared/retention.ts';
import { firstUlidAt } from '#shared/ulid.ts';

/** A run and its related rows are few. A larger group is not archived. */
const MAX_GROUP = 500;

interface RunRow {
  phase: string;
  ended: string | null;
  status: MutationStatus | null;
  resolved: string | null;
  has_open_decision: number;
  is_needed: number;
  has_incident: number;
}

const RUN = `SELECT r.phase, r.end_timestamp AS ended, m.status, m.resolved_by AS resolved,
    EXISTS (SELECT 1 FROM resolutions WHERE mutation_id = m.id AND status = 'waiting')
      AS has_open_decision,
    (EXISTS (SELECT 1 FROM handler_runs n WHERE n.retry_of = r.id
        AND n.phase NOT IN ('committed', 'failed'))
      OR EXISTS (SELECT 1 FROM events WHERE created_by_run_id = r.id
        AND status IN ('pending', 'reserved'))
      OR EXISTS (SELECT 1 FROM reservations JOIN events ON events.id = reservations.event_id
        WHERE reservations.handler_run_id = r.id AND reserved_by_run_id = r.id
          AND events.status = 'reserved')
      OR EXISTS (SELECT 1 FROM consumer_wakes WHERE workflow_id = r.workflow_id AND retry_of = r.id)
      OR EXISTS (SELECT 1 FROM handler_state WHERE workflow_id = r.workflow_id
        AND updated_by_run_id = r.id)) AS is_needed,
    EXISTS (SELECT 1 FROM incidents WHERE acknowledged IS NULL
      AND about IN (m.id, m.idempotency_key)) AS has_incident
  FROM handler_runs r LEFT JOIN mutations m ON m.handler_run_id = r.id WHERE r.id = ?`;

interface EventRow {
  status: string;
  skip_reason: string | null;
  updated_at: number;
  caused_by: string | null;
  also_caused_by: string | null;
  has_incident: number;
}

const EVENT = `SELECT status, skip_reason, updated_at, caused_by,
    facts ->> 'also_caused_by' AS also_caused_by,
    EXISTS (SELECT 1 FROM incidents WHERE acknowledged IS NULL AND kind = 'double_run'
      AND about LIKE events.id || ':%') AS has_incident
  FROM events WHERE id = ?`;

export interface Group {
  readonly runIds: readonly string[];
  readonly eventIds: readonly string[];
}

export interface Position {
  /** Where the next page starts; null at the end. */
  readonly after: string | null;
}

interface HistoryStores {
  readonly events: EventStore;
  readonly handlerRuns: HandlerRunStore;
  readonly mutations: MutationStore;
}

export class ArchivableHistoryStore extends Store {
  readonly #stores: HistoryStores;

  constructor(context: StoreContext, stores: HistoryStores) {
    super(context);
    this.#stores = stores;
  }

  /** Archives the groups of a page of runs after `after`. Returns the number of rows. */
  archiveRuns(
    workflowId: string,
    cutoff: number,
    after: string,
    limit: number,
  ): Position & { readonly rows: number } {
    const ids = this.#runsBefore(workflowId, cutoff, after, limit);
    let rows = 0;
    this.db.write(() => {
      for (const id of ids) {
        const group = this.#groupOf({ runIds: [id], eventIds: [] }, cutoff);
        if (group) rows += this.#remove(group);
      }
    });
    return { rows, after: lastId(ids, limit) };
  }

  /** The groups that `archiveRuns` would archive. A group can appear once per run. */
  oldRuns(
    workflowId: string,
    cutoff: number,
    after: string,
    limit: number,
  ): Position & { readonly groups: Group[] } {
    const ids = this.#runsBefore(workflowId, cutoff, after, limit);
    const groups = ids.flatMap((id) => this.#groupOf({ runIds: [id], eventIds: [] }, cutoff) ?? []);
    return { groups, after: lastId(ids, limit) };
  }

  #runsBefore(workflowId: string, cutoff: number, after: string, limit: number): string[] {
    return this.db.values<string>(
      `SELECT id FROM handler_runs WHERE workflow_id = ? AND id > ? AND id < ?
       ORDER BY id LIMIT ?`,
      workflowId,
      after,
      firstUlidAt(Math.max(0, cutoff)),
      limit,
    );
  }

  /** Archives events without reservations: skipped, or handled by runs unknown here. */
  archiveEvents(workflowId: string, cutoff: number, limit: number): number {
    return this.db.write(() => {
      let rows = 0;
      for (const group of this.oldEvents(workflowId, cutoff, limit)) rows += this.#remove(group);
      return rows;
    });
  }

  /** The groups that `archiveEvents` would archive, computed lazily. */
  *oldEvents(workflowId: string, cutoff: number, limit: number): Generator<Group> {
    const ids = this.db.values<string>(
      `SELECT e.id FROM topics t JOIN events e ON e.topic_id = t.id
       WHERE t.workflow_id = ? AND e.status IN ('consumed', 'skipped') AND e.arrival < ?
         AND e.skip_reason IS NOT 'set_aside' AND e.updated_at < ?
         AND NOT EXISTS (SELECT 1 FROM reservations WHERE event_id = e.id) LIMIT ?`,
      workflowId,
      cutoff,
      cutoff,
      limit,
    );
    for (const id of ids) {
      const group = this.#groupOf({ runIds: [], eventIds: [id] }, cutoff);
      if (group) yield group;
    }
  }

  /** Archives sessions without runs, with their logs, and decided intents. */
  archiveSessions(workflowId: string, cutoff: number, limit: number): number {
    const ids = this.db.values<string>(
      `SELECT id FROM script_runs s WHERE workflow_id = ? AND created_at < ?
         AND status NOT IN ${ACTIVE_STATUSES_SQL} AND ended_at < ?
         AND NOT EXISTS (SELECT 1 FROM handler_runs WHERE script_run_id = s.id)
         AND NOT EXISTS (SELECT 1 FROM run_contexts WHERE active_run_id = s.id)
       ORDER BY created_at, id LIMIT ?`,
      workflowId,
      cutoff,
      cutoff,
      limit,
    );
    return this.db.write(() => {
      const sessions = ids.map((id) => {
        this.db.run('DELETE FROM run_snapshots WHERE run_id = ?', id);
        return (
          archiveDelete(this.db, 'run_events', 'run_id', id) +
          archiveDelete(this.db, 'script_runs', 'id', id)
        );
      });
      const intents = this.db
        .values<string>(
          `SELECT id FROM intents WHERE workflow_id = ? AND status <> 'waiting' AND decided_at < ?
           LIMIT ?`,
          workflowId,
          cutoff,
          limit,
        )
        .map((id) => archiveDelete(this.db, 'intents', 'id', id));
      return [...sessions, ...intents].reduce((sum, count) => sum + count, 0);
    });
  }

  /** Archived rows that are not in a file yet, oldest first. */
  archived(limit: number): { seq: number; kind: string; content: string }[] {
    return this.db.all('SELECT seq, kind, content FROM archived_rows ORDER BY seq LIMIT ?', limit);
  }

  forgetArchived(upTo: number): void {
    this.db.write(() => this.db.run('DELETE FROM archived_rows WHERE seq <= ?', upTo));
  }

  /** Returns up to this many free pages to the file system. False when there are none. */
  shrink(pages: number): boolean {
    if (Number(this.db.pragma('freelist_count')) === 0) return false;
    // `exec`, because stepping it as a query stops after the first row, which is one page.
    this.db.exec(`PRAGMA incremental_vacuum(${pages})`);
    return true;
  }

  /** Null when anything in the group is unfinished. */
  #groupOf(from: Group, cutoff: number): Group | null {
    const runIds = new Set<string>();
    const eventIds = new Set<string>();
    const runs = [...from.runIds];
    const events = [...from.eventIds];
    while (runs.length + events.length > 0) {
      if (runIds.size + eventIds.size > MAX_GROUP) return null;
      const runId = runs.pop();
      if (runId !== undefined && !runIds.has(runId)) {
        const run = this.#run(runId);
        if (run && !isRunDone(run, cutoff)) return null;
        runIds.add(runId);
        events.push(...this.#tied('event_id', 'handler_run_id', runId));
      }
      const eventId = events.pop();
      if (eventId !== undefined && !eventIds.has(eventId)) {
        const event = this.#event(eventId);
        if (event && !isEventDone(event, cutoff)) return null;
        eventIds.add(eventId);
        runs.push(...this.#tied('handler_run_id', 'event_id', eventId));
      }
    }
    return { runIds: [...runIds], eventIds: [...eventIds] };
  }

  #tied(wanted: string, by: string, id: string): string[] {
    const sql = `SELECT DISTINCT ${wanted} FROM reservations WHERE ${by} = ?`;
    return this.db.values<string>(sql, id);
  }

  #run(id: string): OldRun | undefined {
    const row = this.db.get<RunRow>(RUN, id);
    return (
      row && {
        id,
        phase: row.phase,
        endedAt: row.ended === null ? null : Date.parse(row.ended),
        effect: row.status && { status: row.status, isResolved: row.resolved !== null },
        hasOpenDecision: row.has_open_decision === 1,
        isNeeded: row.is_needed === 1,
        hasIncident: row.has_incident === 1,
      }
    );
  }

  #event(id: string): OldEvent | undefined {
    const row = this.db.get<EventRow>(EVENT, id);
    return (
      row && {
        id,
        status: row.status,
        isSetAside: row.skip_reason === 'set_aside',
        updatedAt: row.updated_at,
        hasIncident: row.has_incident === 1,
        isInputOpen: inputsOfEvents([
          {
            causedBy: row.caused_by,
            alsoCausedBy: JSON.parse(row.also_caused_by ?? '[]') as string[],
          },
        ]).some((input) => this.#isInputOpen(input)),
      }
    );
  }

  #isInputOpen(inputId: string): boolean {
    const status = this.db.value<AutomationRunStatus>(
      'SELECT status FROM automation_runs WHERE id = ?',
      automationRunId(inputId),
    );
    return status !== undefined && isUnfinished(status);
  }

  #remove({ runIds, eventIds }: Group): number {
    let rows = 0;
    for (const id of runIds) {
      const mutationId = this.db.value<string>(
        'SELECT id FROM mutations WHERE handler_run_id = ?',
        id,
      );
      if (mutationId !== undefined) {
        rows += archiveDelete(this.db, 'resolutions', 'mutation_id', mutationId);
        rows += this.#stores.mutations.archive(mutationId);
      }
      rows += archiveDelete(this.db, 'reservations', 'handler_run_id', id);
      rows += this.#stores.handlerRuns.archive(id);
    }
    for (const id of eventIds) {
      rows += archiveDelete(this.db, 'reservations', 'event_id', id);
      rows += this.#stores.events.archive(id);
    }
    return rows;
  }
}
