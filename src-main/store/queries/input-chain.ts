// The events that an input caused, alone or with other inputs, and the runs that handled them. Uses the
// index on `caused_by`, so checking for unfinished work costs the same for long and short chains.
import { SUM_OF_COST } from '#main/store/tables/workflow-costs.ts';
import { Store } from '#main/store/store-context.ts';
import { inputsOfEvents, toEvent, type EventRow } from '#main/store/tables/event-row.ts';

export interface Holder {
  readonly runId: string;
  readonly handlerName: string;
  readonly phase: string;
  readonly reason: string | null;
  readonly error: string | null;
  /** Status of its effect and the method it calls; null when it has none. */
  readonly effect: string | null;
  readonly tool: string | null;
  readonly isResolved: boolean;
}

export interface PendingEvent {
  readonly id: string;
  readonly attempt: number;
  readonly otherInputs: readonly string[];
}

/** Enough to explain why a person is needed. */
const MAX_HOLDERS = 20;

/** The input's events as `e`, for its id twice. `INDEXED BY`: the other indexes would read all events. */
const ofInput = (columns: string, joins: string, where: string): string =>
  `SELECT ${columns} FROM events AS e INDEXED BY idx_events_caused_by ${joins}
   WHERE e.caused_by = ? AND ${where}
   UNION ALL SELECT ${columns} FROM event_causes AS c JOIN events AS e ON e.id = c.event_id ${joins}
   WHERE c.input_id = ? AND ${where}`;

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
      `${ofInput(
        '1',
        '',
        `(e.status = 'reserved' OR (e.status = 'pending' AND (
         EXISTS (${CONSUMERS_OF_TOPIC}) OR NOT EXISTS (
           SELECT 1 FROM events INDEXED BY idx_events_caused_by
           WHERE caused_by = e.caused_by AND status = 'consumed'))))`,
      )} LIMIT 1`,
      inputId,
      inputId,
    );
    return left !== undefined;
  }

  /** Its pending events, each with the other inputs that led to it. */
  pending(inputId: string): PendingEvent[] {
    return this.db
      .all<EventRow>(
        ofInput('e.id, e.facts, e.content, e.progress', '', `e.status = 'pending'`),
        inputId,
        inputId,
      )
      .flatMap(this.refused.readable('events', toEvent))
      .map((event) => ({
        id: event.id,
        attempt: event.state.attempt,
        otherInputs: inputsOfEvents([event]).filter((input) => input !== inputId),
      }));
  }

  /** Its events that runs reserve, with their attempts. */
  reservedAttempts(inputId: string): { [eventId: string]: number } {
    const rows = this.db.all<{ id: string; attempt: number }>(
      ofInput('e.id, e.attempt_number AS attempt', '', `e.status = 'reserved'`),
      inputId,
      inputId,
    );
    return Object.fromEntries(rows.map(({ id, attempt }) => [id, attempt]));
  }

  /** The session of the newest run that took one of its events; null when none did. */
  lastSession(inputId: string): string | null {
    return (
      this.db.value<string>(
        `SELECT session FROM (${ofInput(
          'h.script_run_id AS session, h.id AS run',
          `JOIN reservations AS r ON r.event_id = e.id
           JOIN handler_runs AS h ON h.id = r.handler_run_id`,
          'true',
        )}) ORDER BY run DESC LIMIT 1`,
        inputId,
        inputId,
      ) ?? null
    );
  }

  /** Runs that reserve its events. */
  holders(inputId: string): Holder[] {
    return this.db
      .all<Omit<Holder, 'isResolved'> & { resolvedBy: string | null }>(
        `SELECT DISTINCT * FROM (${ofInput(
          `h.id AS runId, h.handler_name AS handlerName, h.phase AS phase,
           h.reason AS reason, h.error AS error, m.status AS effect,
           m.tool_namespace || '.' || m.tool_method AS tool, m.resolved_by AS resolvedBy`,
          `JOIN handler_runs AS h ON h.id = e.reserved_by_run_id
           LEFT JOIN mutations AS m ON m.handler_run_id = h.id`,
          `e.status = 'reserved'`,
        )}) LIMIT ?`,
        inputId,
        inputId,
        MAX_HOLDERS,
      )
      .map(({ resolvedBy, ...holder }) => ({ ...holder, isResolved: resolvedBy !== null }));
  }

  /** Whether an unfinished run reserved one of its events, in any state of the event now. */
  hasOpenRuns(inputId: string): boolean {
    const open = this.db.value(
      `${ofInput(
        '1',
        `JOIN reservations AS r ON r.event_id = e.id
         JOIN handler_runs AS h ON h.id = r.handler_run_id`,
        `h.phase NOT IN ('committed', 'failed')`,
      )} LIMIT 1`,
      inputId,
      inputId,
    );
    return open !== undefined;
  }

  /** Whether an effect of its runs went out; a question to a person is none. */
  hasSent(inputId: string): boolean {
    const sent = this.db.value(
      `${ofInput(
        '1',
        `JOIN reservations AS r ON r.event_id = e.id
         JOIN mutations AS m ON m.handler_run_id = r.handler_run_id`,
        `m.status NOT IN ('pending', 'failed') AND m.tool_namespace <> 'ask'`,
      )} LIMIT 1`,
      inputId,
      inputId,
    );
    return sent !== undefined;
  }

  /** Whether a run that took one of its events published another one. */
  hasFurtherEvents(inputId: string): boolean {
    const differ = this.db.value<number | null>(
      `SELECT min(depth) <> max(depth) FROM (${ofInput(
        `coalesce(e.facts ->> 'depth', 0) AS depth`,
        '',
        'true',
      )})`,
      inputId,
      inputId,
    );
    return differ === 1;
  }

  /** Final states of its events. */
  ends(inputId: string): { consumed: number; skipped: number; setAside: number } {
    const rows = this.db.all<{ status: string; isAside: number; n: number }>(
      `SELECT status, isAside, count(*) AS n FROM (${ofInput(
        `e.status, e.skip_reason IS 'set_aside' AS isAside`,
        '',
        'true',
      )}) GROUP BY status, isAside`,
      inputId,
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
   * Inputs whose events a run reserved, the oldest first. Called for every effect and usually short,
   * so it sorts here: SQL would build a temporary table each time.
   */
  inputsOfRun(handlerRunId: string): string[] {
    const taken = this.db.all<{
      causedBy: string;
      others: string | null;
      createdAt: number;
      place: number;
      id: string;
    }>(
      `SELECT e.caused_by AS causedBy, e.facts ->> 'also_caused_by' AS others,
         e.created_at AS createdAt, e.place, e.id
       FROM reservations AS r JOIN events AS e ON e.id = r.event_id
       WHERE r.handler_run_id = ? AND e.caused_by IS NOT NULL`,
      handlerRunId,
    );
    const oldestFirst = taken.toSorted(
      (a, b) => a.createdAt - b.createdAt || a.place - b.place || (a.id < b.id ? -1 : 1),
    );
    return inputsOfEvents(
      oldestFirst.map(({ causedBy, others }) => ({
        causedBy,
        alsoCausedBy: JSON.parse(others ?? '[]') as string[],
      })),
    );
  }

  /** Last change of any of its events; 0 when there are none. */
  lastActivityAt(inputId: string): number {
    return (
      this.db.value<number | null>(
        `SELECT max(at) FROM (${ofInput('e.updated_at AS at', '', 'true')})`,
        inputId,
        inputId,
      ) ?? 0
    );
  }

  /** Its events, causes before their effects. */
  eventIds(inputId: string, limit: number): string[] {
    return this.db
      .all<{ id: string }>(
        `SELECT id FROM (${ofInput(
          `e.id, coalesce(e.facts ->> 'depth', 0) AS depth, e.created_at, e.place`,
          '',
          'true',
        )}) ORDER BY depth, created_at, place, id LIMIT ?`,
        inputId,
        inputId,
        limit,
      )
      .map(({ id }) => id);
  }

  /**
   * The cost of the runs that took its events, or failed before they could, in microdollars. A run that
   * took events of several inputs counts for each of them.
   */
  cost(inputId: string): number {
    return (
      this.db.value<number>(
        `SELECT ${SUM_OF_COST} FROM handler_runs WHERE id IN (
           SELECT r.handler_run_id FROM (${ofInput('e.id', '', 'true')}) AS e
             JOIN reservations AS r ON r.event_id = e.id
           UNION
           SELECT id FROM handler_runs INDEXED BY idx_handler_runs_cost
             WHERE caused_by = ? AND cost > 0)`,
        inputId,
        inputId,
        inputId,
      ) ?? 0
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
