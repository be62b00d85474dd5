// The events that an input caused and the runs that handled them. Uses the index on `caused_by`, so
// checking for unfinished work costs the same for long and short chains.
import { Store } from '#main/store/store-context.ts';

export interface Holder {
  readonly runId: string;
  readonly handlerName: string;
  readonly phase: string;
  readonly reason: string | null;
  readonly error: string | null;
  /** Status of its effect; null when it has none. */
  readonly effect: string | null;
  readonly isResolved: boolean;
}

/** Enough to explain why a person is needed. */
const MAX_HOLDERS = 20;

const CONSUMERS_OF_TOPIC = `SELECT 1 FROM topics AS t
  JOIN workflows AS w ON w.id = t.workflow_id,
  json_each(w.handler_config, '$.consumers') AS c, json_each(c.value, '$.subscribes') AS s
  WHERE t.id = e.topic_id AND s.value = t.name`;

export class InputChainStore extends Store {
  /**
   * A pending event in a topic without consumers is a result, not work. But an input none of whose
   * events was consumed is not finished.
   */
  hasEventsLeft(inputId: string): boolean {
    const left = this.db.value(
      `SELECT 1 FROM events AS e INDEXED BY idx_events_caused_by
       WHERE e.caused_by = ? AND (e.status = 'reserved' OR (e.status = 'pending' AND (
         EXISTS (${CONSUMERS_OF_TOPIC}) OR NOT EXISTS (
           SELECT 1 FROM events INDEXED BY idx_events_caused_by
           WHERE caused_by = e.caused_by AND status = 'consumed')))) LIMIT 1`,
      inputId,
    );
    return left !== undefined;
  }

  pending(inputId: string): string[] {
    return this.db.values<string>(
      `SELECT id FROM events INDEXED BY idx_events_caused_by
       WHERE caused_by = ? AND status = 'pending'`,
      inputId,
    );
  }

  /** Runs that reserve its events. */
  holders(inputId: string): Holder[] {
    return this.db
      .all<Omit<Holder, 'isResolved'> & { resolvedBy: string | null }>(
        `SELECT DISTINCT h.id AS runId, h.handler_name AS handlerName, h.phase AS phase,
           h.reason AS reason, h.error AS error, m.status AS effect, m.resolved_by AS resolvedBy
         FROM events AS e INDEXED BY idx_events_caused_by
         JOIN handler_runs AS h ON h.id = e.reserved_by_run_id
         LEFT JOIN mutations AS m ON m.handler_run_id = h.id
         WHERE e.caused_by = ? AND e.status = 'reserved' LIMIT ?`,
        inputId,
        MAX_HOLDERS,
      )
      .map(({ resolvedBy, ...holder }) => ({ ...holder, isResolved: resolvedBy !== null }));
  }

  /** Whether an unfinished run reserved one of its events, in any state of the event now. */
  hasOpenRuns(inputId: string): boolean {
    const open = this.db.value(
      `SELECT 1 FROM events AS e INDEXED BY idx_events_caused_by
       JOIN reservations AS r ON r.event_id = e.id
       JOIN handler_runs AS h ON h.id = r.handler_run_id
       WHERE e.caused_by = ? AND h.phase NOT IN ('committed', 'failed') LIMIT 1`,
      inputId,
    );
    return open !== undefined;
  }

  /** Final states of its events. */
  ends(inputId: string): { consumed: number; skipped: number; setAside: number } {
    const rows = this.db.all<{ status: string; isAside: number; n: number }>(
      `SELECT status, skip_reason IS 'set_aside' AS isAside, count(*) AS n
       FROM events INDEXED BY idx_events_caused_by WHERE caused_by = ? GROUP BY status, isAside`,
      inputId,
    );
    const count = (status: string, isAside: number): number =>
      rows.find((row) => row.status === status && row.isAside === isAside)?.n ?? 0;
    return {
      consumed: count('consumed', 0),
      skipped: count('skipped', 0),
      setAside: count('skipped', 1),
    };
  }

  /**
   * Inputs whose events a run reserved; the effect is recorded with the first. Called for every
   * effect and usually empty, so it sorts here: SQL would build a temporary table each time.
   */
  inputsOfRun(handlerRunId: string): string[] {
    const taken = this.db.all<{
      input: string;
      createdAt: number;
      place: number;
      id: string;
    }>(
      `SELECT e.caused_by AS input, e.created_at AS createdAt, e.place, e.id
       FROM reservations AS r JOIN events AS e ON e.id = r.event_id
       WHERE r.handler_run_id = ? AND e.caused_by IS NOT NULL`,
      handlerRunId,
    );
    const oldestFirst = taken.toSorted(
      (a, b) => a.createdAt - b.createdAt || a.place - b.place || (a.id < b.id ? -1 : 1),
    );
    return [...new Set(oldestFirst.map(({ input }) => input))];
  }

  /** Last change of any of its events; 0 when there are none. */
  lastActivityAt(inputId: string): number {
    return (
      this.db.value<number | null>(
        `SELECT max(updated_at) FROM events INDEXED BY idx_events_caused_by WHERE caused_by = ?`,
        inputId,
      ) ?? 0
    );
  }

  /** Its events, causes before their effects. */
  eventIds(inputId: string, limit: number): string[] {
    return this.db.values<string>(
      `SELECT id FROM events INDEXED BY idx_events_caused_by WHERE caused_by = ?
       ORDER BY coalesce(facts ->> 'depth', 0), created_at, place, id LIMIT ?`,
      inputId,
      limit,
    );
  }

  /** Runs that reserved an event, oldest first. */
  runsOf(eventId: string): string[] {
    return this.db.values<string>(
      `SELECT DISTINCT handler_run_id AS id FROM reservations WHERE event_id = ? ORDER BY id`,
      eventId,
    );
  }
}
