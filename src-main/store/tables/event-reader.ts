// Queries on events and their reservations. Nothing here writes; events.ts does.
import { decodeCursor, encodeCursor, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import { RefusedSet } from '#main/store/sqlite/refused-set.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import {
  EVENT_COLUMNS,
  toEvent,
  type EventRow,
  type TopicEvent,
} from '#main/store/tables/event-row.ts';
import type { Holder } from '#shared/event-projection.ts';
import type { EventState } from '#shared/machines/event.ts';

export class EventReader {
  protected readonly context: StoreContext;
  protected readonly refused: RefusedSet;

  constructor(context: StoreContext) {
    this.context = context;
    this.refused = new RefusedSet(context.db);
  }

  get(id: string): TopicEvent | undefined {
    const row = this.context.db.get<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events WHERE id = ?`,
      id,
    );
    return row && this.refused.read('events', id, () => toEvent(row));
  }

  /** Events of any status, newest first. */
  list(page: Page & { readonly topicId: string }): { events: TopicEvent[]; next: string | null } {
    const [createdAt, id] =
      page.after === undefined ? [Number.MAX_SAFE_INTEGER, ''] : decodeCursor(page.after);
    const rows = this.context.db.all<EventRow & { createdAt: number }>(
      `SELECT ${EVENT_COLUMNS}, created_at AS createdAt FROM events
       WHERE topic_id = ? AND (created_at, id) < (?, ?)
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      page.topicId,
      createdAt,
      id,
      page.limit,
    );
    const events = rows.flatMap(this.refused.readable('events', toEvent));
    return { events, next: encodeCursor(rows, page.limit) };
  }

  /** Number of events of a topic with this status; stops counting at `upTo`. */
  count(topicId: string, status: EventState['status'], upTo: number): number {
    const row = this.context.db.get<{ n: number }>(
      `SELECT count(*) AS n FROM
         (SELECT 1 FROM events WHERE topic_id = ? AND status = ? LIMIT ?)`,
      topicId,
      status,
      upTo,
    );
    return row?.n ?? 0;
  }

  /** How much of the event has been merged; `workflowId` is empty if its facts have not. */
  arrivedOf(id: string): { workflowId: string; isComplete: boolean } | undefined {
    const row = this.context.db.get<{ workflowId: string; isComplete: number }>(
      `SELECT coalesce(workflow_id, '') AS workflowId,
         topic_id IS NOT NULL AND title IS NOT NULL AND status IS NOT NULL AS isComplete
       FROM events WHERE id = ?`,
      id,
    );
    return row && { workflowId: row.workflowId, isComplete: row.isComplete === 1 };
  }

  /** Events that failed too often and wait for a person. */
  setAside(): TopicEvent[] {
    return this.context.db
      .all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM events WHERE skip_reason = 'set_aside' ORDER BY id`,
      )
      .flatMap(this.refused.readable('events', toEvent));
  }

  /** Events that the run published. */
  createdBy(runId: string): TopicEvent[] {
    return this.context.db
      .all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM events WHERE created_by_run_id = ?
         ORDER BY arrival, place, id`,
        runId,
      )
      .flatMap(this.refused.readable('events', toEvent));
  }

  /** Events that the run holds now. */
  reservedBy(runId: string): TopicEvent[] {
    return this.context.db
      .all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM events
         WHERE id IN (SELECT event_id FROM reservations WHERE handler_run_id = ?)
           AND reserved_by_run_id = ? AND status = 'reserved'
         ORDER BY arrival, place, id`,
        runId,
        runId,
      )
      .flatMap(this.refused.readable('events', toEvent));
  }

  /** Ids of all events that the run ever reserved, in any status now. */
  takenBy(runId: string): string[] {
    return this.context.db
      .all<{ event_id: string }>(
        'SELECT DISTINCT event_id FROM reservations WHERE handler_run_id = ? ORDER BY event_id',
        runId,
      )
      .map(({ event_id: id }) => id);
  }

  /** Pending and reserved events in all topics of a workflow. */
  unfinished(workflowId: string): string[] {
    return this.context.db
      .all<{ id: string }>(
        `SELECT events.id FROM topics JOIN events ON events.topic_id = topics.id
         WHERE topics.workflow_id = ? AND events.status IN ('pending', 'reserved')`,
        workflowId,
      )
      .map(({ id }) => id);
  }

  /** All runs that ever reserved the event. */
  protected holders(id: string): Holder[] {
    return this.context.db
      .all<{ runId: string; attempt: number; phase: string; isSkipped: number }>(
        `SELECT handler_runs.id AS runId, reservations.attempt_number AS attempt,
           handler_runs.phase AS phase, EXISTS (
             SELECT 1 FROM mutations WHERE mutations.handler_run_id
               IN (handler_runs.id, handler_runs.retry_of) AND resolved_by = 'user_skip'
           ) AS isSkipped
         FROM reservations JOIN handler_runs ON handler_runs.id = reservations.handler_run_id
         WHERE reservations.event_id = ?`,
        id,
      )
      .map(({ runId, attempt, phase, isSkipped }) => ({
        runId,
        attempt,
        end: phase === 'committed' || phase === 'failed' ? phase : 'open',
        isSkipped: isSkipped === 1,
      }));
  }
}
