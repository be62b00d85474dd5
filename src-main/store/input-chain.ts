// What is under an input: the events that it caused, and the runs that took them. Found by the
// events' own index, so that "is anything left?" costs the same for a long chain and a short one.
import type { StoreContext } from '#main/store/store-context.ts';

export interface Holder {
  readonly runId: string;
  readonly handlerName: string;
  readonly phase: string;
  readonly reason: string | null;
  readonly error: string | null;
  /** Of its effect; null: it has none. */
  readonly effect: string | null;
  readonly isResolved: boolean;
}

/** So many are looked at to say why a person is needed: one is enough to say it. */
const MAX_HOLDERS = 20;

const WHO_READS_IT = `SELECT 1 FROM topics AS t
  JOIN workflows AS w ON w.id = t.workflow_id,
  json_each(w.handler_config, '$.consumers') AS c, json_each(c.value, '$.subscribes') AS s
  WHERE t.id = e.topic_id AND s.value = t.name`;

export class InputChainStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /**
   * What is written to a topic that nobody reads is a result, and leaves nothing to do; but an
   * input of which nobody took anything is not done with.
   */
  hasEventsLeft(inputId: string): boolean {
    const left = this.#context.db.value(
      `SELECT 1 FROM events AS e INDEXED BY idx_events_caused_by
       WHERE e.caused_by = ? AND (e.status = 'reserved' OR (e.status = 'pending' AND (
         EXISTS (${WHO_READS_IT}) OR NOT EXISTS (
           SELECT 1 FROM events INDEXED BY idx_events_caused_by
           WHERE caused_by = e.caused_by AND status = 'consumed')))) LIMIT 1`,
      inputId,
    );
    return left !== undefined;
  }

  pending(inputId: string): string[] {
    return this.#context.db
      .all<{ id: string }>(
        `SELECT id FROM events INDEXED BY idx_events_caused_by
         WHERE caused_by = ? AND status = 'pending'`,
        inputId,
      )
      .map(({ id }) => id);
  }

  /** The runs that hold its events. */
  holders(inputId: string): Holder[] {
    return this.#context.db
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

  /** A run that took one of its events and has not ended, whatever became of the event. */
  hasOpenRuns(inputId: string): boolean {
    const open = this.#context.db.value(
      `SELECT 1 FROM events AS e INDEXED BY idx_events_caused_by
       JOIN reservations AS r ON r.event_id = e.id
       JOIN handler_runs AS h ON h.id = r.handler_run_id
       WHERE e.caused_by = ? AND h.phase NOT IN ('committed', 'failed') LIMIT 1`,
      inputId,
    );
    return open !== undefined;
  }

  /** How its events ended. */
  ends(inputId: string): { consumed: number; skipped: number; setAside: number } {
    const rows = this.#context.db.all<{ status: string; isAside: number; n: number }>(
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
   * The inputs whose events a run took; the first is the one that its effect is told with. Asked with
   * every effect, and hardly ever is there one: so not in SQL, which builds tables for it first.
   */
  inputsOfRun(handlerRunId: string): string[] {
    const taken = this.#context.db.all<{
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

  /** When something under it last changed; 0: nothing ever was. */
  lastActivityAt(inputId: string): number {
    return (
      this.#context.db.value<number | null>(
        `SELECT max(updated_at) FROM events INDEXED BY idx_events_caused_by WHERE caused_by = ?`,
        inputId,
      ) ?? 0
    );
  }

  /** Its events, the oldest first: a cause before what it caused. */
  eventIds(inputId: string, limit: number): string[] {
    return this.#context.db
      .all<{ id: string }>(
        `SELECT id FROM events INDEXED BY idx_events_caused_by WHERE caused_by = ?
         ORDER BY coalesce(facts ->> 'depth', 0), created_at, place, id LIMIT ?`,
        inputId,
        limit,
      )
      .map(({ id }) => id);
  }

  /** The runs that took an event, the oldest first. */
  runsOf(eventId: string): string[] {
    return this.#context.db
      .all<{ id: string }>(
        `SELECT DISTINCT handler_run_id AS id FROM reservations WHERE event_id = ? ORDER BY id`,
        eventId,
      )
      .map(({ id }) => id);
  }
}
