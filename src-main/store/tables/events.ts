// Events in topics: publishing (idempotent by message id), peeking, reserving, and their ends.
import { decodeCursor, encodeCursor, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Kept } from '#main/store/sqlite/table-cache.ts';
import { LastWritten } from '#main/store/sqlite/row-cache.ts';
import { moveGuarded, type TransitionResult } from '#main/store/sqlite/guarded-update.ts';
import { pathOfEvent, projectEvent, type Holder } from '#shared/event-projection.ts';
import { eventId } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import {
  transitionEvent,
  type EventState,
  type EventTransition,
  type SkipReason,
} from '#shared/machines/event.ts';
import type { Topic } from '#main/store/tables/topics.ts';
import { isRejection } from '#shared/rejection.ts';

export interface TopicEvent {
  readonly id: string;
  readonly topicId: string;
  readonly workflowId: string;
  readonly messageId: string;
  readonly title: string;
  readonly payload: Json;
  readonly state: EventState;
  readonly createdByRunId: string | null;
  readonly causedBy: string | null;
  /** How many runs led here, one causing the next. */
  readonly depth: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Publish {
  readonly topic: Pick<Topic, 'id' | 'workflowId'>;
  readonly messageId: string;
  readonly title: string;
  readonly payload: Json;
  readonly createdByRunId?: string;
  readonly causedBy?: string | undefined;
  readonly depth?: number;
  /** Among what one run published at the same moment. */
  readonly place?: number;
  /** When it came, where that was before it is written. */
  readonly createdAt?: number;
}

export interface PayloadTooLarge {
  readonly type: 'payload_too_large';
  readonly message: string;
}

export type PublishResult =
  | { readonly type: 'published' | 'replaced' | 'kept'; readonly eventId: string }
  | PayloadTooLarge;

interface Row {
  id: string;
  facts: string;
  content: string;
  progress: string;
}

const COLUMNS = 'id, facts, content, progress';

/** How an event was last seen to stand. */
interface Seen {
  readonly progress: string;
  readonly state: EventState;
  readonly causedBy: string | null;
}

export class EventStore {
  readonly #context: StoreContext;
  /** Of those that a run is about to take, or has taken. */
  readonly #seen = new LastWritten<Seen>();
  /** By topic, the first two that are pending. */
  readonly #first: Kept<readonly TopicEvent[]>;

  constructor(context: StoreContext) {
    this.#context = context;
    this.#first = context.db.keep('events');
  }

  /**
   * The same message again keeps its identity and status: while it is pending the newer payload
   * replaces the older one, afterwards nothing changes.
   */
  publish(event: Publish): PublishResult {
    const { db, clock } = this.#context;
    const content = JSON.stringify({ title: event.title, payload: event.payload });
    if (Buffer.byteLength(content) > MAX_PAYLOAD_BYTES) return tooLarge(event, content);
    const id = eventId(event.topic.id, event.messageId);
    return db.writeOne((): PublishResult => {
      const now = event.createdAt ?? clock.now();
      const facts = {
        topic_id: event.topic.id,
        workflow_id: event.topic.workflowId,
        message_id: event.messageId,
        created_by_run_id: event.createdByRunId,
        caused_by: event.causedBy,
        depth: event.depth,
        place: event.place,
        created_at: now,
      };
      const inserted = db.run(
        `INSERT INTO events (id, facts, content, progress) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        id,
        JSON.stringify(facts),
        content,
        progressOf({ status: 'pending', attempt: 1 }, now),
      );
      if (inserted === 1) {
        db.changes.note('events', id);
        return { type: 'published', eventId: id };
      }
      const replaced = db.run(
        `UPDATE events SET content = ? WHERE id = ? AND status = 'pending' AND content <> ?`,
        content,
        id,
        content,
      );
      if (replaced === 1) db.changes.note('events', id);
      return { type: replaced === 1 ? 'replaced' : 'kept', eventId: id };
    });
  }

  get(id: string): TopicEvent | undefined {
    const row = this.#context.db.get<Row>(`SELECT ${COLUMNS} FROM events WHERE id = ?`, id);
    return row && toEvent(row);
  }

  /** The oldest pending first. Who is next, and whether it is the only one, is asked again and again. */
  peek(topicId: string, limit: number): readonly TopicEvent[] {
    if (limit > 2) return this.#pending(topicId, limit);
    return this.#first.get(topicId, () => this.#pending(topicId, 2)).slice(0, limit);
  }

  /** `+`: SQLite plans a statement anew for every value of a bare limit. */
  #pending(topicId: string, limit: number): TopicEvent[] {
    return this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM events WHERE topic_id = ? AND status = 'pending'
         ORDER BY created_at, place, id LIMIT +?`,
        topicId,
        limit,
      )
      .map((row) => {
        const event = toEvent(row);
        const { state, causedBy } = event;
        this.#seen.set(row.id, { progress: row.progress, state, causedBy });
        return event;
      });
  }

  move(id: string, event: EventTransition): TransitionResult<EventState> {
    return this.#moveOn(id, event) ?? this.#readAndMove(id, event);
  }

  /** From how it was last seen, without reading it again; undefined: that is not how it stands. */
  #moveOn(id: string, event: EventTransition): TransitionResult<EventState> | undefined {
    const seen = this.#seen.take(id);
    if (!seen) return undefined;
    const to = transitionEvent(seen.state, event);
    if (isRejection(to)) return undefined;
    const { db, clock } = this.#context;
    const progress = progressOf(to, clock.now());
    return db.writeOne(() => {
      const moved = db.run(
        'UPDATE events SET progress = ? WHERE id = ? AND progress = ?',
        progress,
        id,
        seen.progress,
      );
      if (moved !== 1) return undefined;
      db.changes.note('events', id);
      this.#touch(event, seen.causedBy);
      if (to.status === 'reserved') this.#seen.set(id, { ...seen, progress, state: to });
      return { type: 'moved', state: to };
    });
  }

  /** A taken event is still left; every other step may be the last thing under its input. */
  #touch({ type }: EventTransition, causedBy: string | null | undefined): void {
    if (type !== 'reserve') this.#context.db.changes.touch(causedBy);
  }

  #readAndMove(id: string, event: EventTransition): TransitionResult<EventState> {
    const { db, clock } = this.#context;
    return db.writeOne(() =>
      moveGuarded<EventState>({
        kind: 'event',
        id,
        read: () => {
          const row = db.get<{ progress: string; caused_by: string | null }>(
            'SELECT progress, caused_by FROM events WHERE id = ?',
            id,
          );
          this.#touch(event, row?.caused_by);
          return row && stateOf(JSON.parse(row.progress) as Progress);
        },
        decide: (state) => transitionEvent(state, event),
        update: (from, to) => {
          db.changes.note('events', id);
          return db.run(
            'UPDATE events SET progress = ? WHERE id = ? AND status = ?',
            progressOf(to, clock.now()),
            id,
            from.status,
          );
        },
      }),
    );
  }

  /**
   * All of them or none: the first that cannot be reserved is the answer. `attempts`, in the order
   * of `ids`, are those that the run has seen: a rerun since then is not what it prepared for.
   */
  reserve(
    ids: readonly string[],
    runId: string,
    attempts: readonly number[] = [],
  ): TransitionResult<EventState> {
    const { db } = this.#context;
    // Whoever holds the write gives it up when this throws: no savepoint of its own.
    return db.writeOne(() => {
      const result = this.#moveAll(ids, (index) => ({
        type: 'reserve',
        runId,
        attempt: attempts[index],
      }));
      if (result.type !== 'moved') return result;
      for (const [index, id] of ids.entries()) {
        db.run(
          `INSERT INTO reservations (event_id, attempt_number, handler_run_id) VALUES (?, ?, ?)
           ON CONFLICT DO NOTHING`,
          id,
          attempts[index] ?? this.get(id)?.state.attempt,
          runId,
        );
      }
      return result;
    });
  }

  release(ids: readonly string[], runId: string): TransitionResult<EventState> {
    return this.#moveAll(ids, () => ({ type: 'release', runId }));
  }

  /** What failed too often and waits for a person. */
  setAside(): TopicEvent[] {
    return this.#context.db
      .all<Row>(`SELECT ${COLUMNS} FROM events WHERE skip_reason = 'set_aside' ORDER BY id`)
      .map(toEvent);
  }

  /** Of any status: for the lists that people look at. The newest first. */
  list(page: Page & { readonly topicId: string }): { events: TopicEvent[]; next: string | null } {
    const [createdAt, id] =
      page.after === undefined ? [Number.MAX_SAFE_INTEGER, ''] : decodeCursor(page.after);
    const events = this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM events WHERE topic_id = ? AND (created_at, id) < (?, ?)
         ORDER BY created_at DESC, id DESC LIMIT ?`,
        page.topicId,
        createdAt,
        id,
        page.limit,
      )
      .map(toEvent);
    return { events, next: encodeCursor(events, page.limit) };
  }

  /** How many events of a topic have a status; stops counting at `upTo`. */
  count(topicId: string, status: EventState['status'], upTo: number): number {
    const row = this.#context.db.get<{ n: number }>(
      `SELECT count(*) AS n FROM
         (SELECT 1 FROM events WHERE topic_id = ? AND status = ? LIMIT ?)`,
      topicId,
      status,
      upTo,
    );
    return row?.n ?? 0;
  }

  /** What a run published. */
  createdBy(runId: string): TopicEvent[] {
    return this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM events WHERE created_by_run_id = ? ORDER BY created_at, id`,
        runId,
      )
      .map(toEvent);
  }

  /** A person's own content for an event that waits. */
  edit(id: string, payload: Json): void {
    const { db } = this.#context;
    db.write(() => {
      const event = this.get(id);
      if (!event) return;
      const content = JSON.stringify({ title: event.title, payload });
      db.run(`UPDATE events SET content = ? WHERE id = ? AND status = 'pending'`, content, id);
      db.changes.note('events', id);
    });
  }

  reservedBy(runId: string): TopicEvent[] {
    return this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM events
         WHERE id IN (SELECT event_id FROM reservations WHERE handler_run_id = ?)
           AND reserved_by_run_id = ? AND status = 'reserved'
         ORDER BY created_at, id`,
        runId,
        runId,
      )
      .map(toEvent);
  }

  /**
   * Brings the status back to what follows from the runs that took it; for the owner, after a merge.
   * True: it was otherwise.
   */
  repair(id: string): boolean {
    const { db, clock } = this.#context;
    const event = this.get(id);
    if (!event) return false;
    const path = pathOfEvent(event.state, projectEvent(event.state, this.#holders(id)));
    for (const state of path) {
      db.run('UPDATE events SET progress = ? WHERE id = ?', progressOf(state, clock.now()), id);
    }
    if (path.length > 0) {
      db.changes.note('events', id);
      db.changes.touch(event.causedBy);
    }
    return path.length > 0;
  }

  /** Not done with: pending and reserved ones of all topics of a workflow. */
  unfinished(workflowId: string): string[] {
    return this.#context.db
      .all<{ id: string }>(
        `SELECT events.id FROM topics JOIN events ON events.topic_id = topics.id
         WHERE topics.workflow_id = ? AND events.status IN ('pending', 'reserved')`,
        workflowId,
      )
      .map(({ id }) => id);
  }

  /** What a run took, whatever became of it since. */
  takenBy(runId: string): string[] {
    return this.#context.db
      .all<{ event_id: string }>(
        'SELECT DISTINCT event_id FROM reservations WHERE handler_run_id = ? ORDER BY event_id',
        runId,
      )
      .map(({ event_id: id }) => id);
  }

  #holders(id: string): Holder[] {
    return this.#context.db
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

  #moveAll(
    ids: readonly string[],
    eventAt: (index: number) => EventTransition,
  ): TransitionResult<EventState> {
    const [first] = ids;
    if (first === undefined)
      throw new Error(`Nothing to ${eventAt(0).type}: the list of events is empty.`);
    if (ids.length === 1) return this.move(first, eventAt(0));
    try {
      return this.#context.db.write(() => {
        const results = ids.map((id, index) => this.move(id, eventAt(index)));
        const refused = results.find((result) => result.type !== 'moved');
        if (refused) throw new RolledBack(refused);
        return results[0] as TransitionResult<EventState>;
      });
    } catch (error) {
      if (error instanceof RolledBack) return error.result;
      throw error;
    }
  }
}

/** Carries an expected answer out of a transaction that must not be kept. */
class RolledBack extends Error {
  readonly result: TransitionResult<EventState>;

  constructor(result: TransitionResult<EventState>) {
    super('rolled back');
    this.result = result;
  }
}

function tooLarge(event: Publish, content: string): PayloadTooLarge {
  return {
    type: 'payload_too_large',
    message: `The event "${event.messageId}" has ${Buffer.byteLength(content)} bytes; at most ${MAX_PAYLOAD_BYTES} are allowed. It was not published. Put the content in a file and publish its path.`,
  };
}

function progressOf(state: EventState, updatedAt: number): string {
  return JSON.stringify({
    status: state.status,
    attempt_number: state.attempt,
    reserved_by_run_id: 'reservedByRunId' in state ? state.reservedByRunId : undefined,
    skip_reason: 'reason' in state ? state.reason : undefined,
    updated_at: updatedAt,
  });
}

interface Progress {
  readonly status: EventState['status'];
  readonly attempt_number: number;
  readonly reserved_by_run_id?: string;
  readonly skip_reason?: SkipReason;
  readonly updated_at: number;
}

function stateOf(row: Progress): EventState {
  return {
    status: row.status,
    attempt: row.attempt_number,
    ...(row.reserved_by_run_id === undefined ? {} : { reservedByRunId: row.reserved_by_run_id }),
    ...(row.skip_reason === undefined ? {} : { reason: row.skip_reason }),
  } as EventState;
}

function toEvent(row: Row): TopicEvent {
  const facts = JSON.parse(row.facts) as {
    topic_id: string;
    workflow_id: string;
    message_id: string;
    created_by_run_id?: string;
    caused_by?: string;
    depth?: number;
    created_at: number;
  };
  const content = JSON.parse(row.content) as { title: string; payload: Json };
  const progress = JSON.parse(row.progress) as Progress;
  return {
    id: row.id,
    topicId: facts.topic_id,
    workflowId: facts.workflow_id,
    messageId: facts.message_id,
    title: content.title,
    payload: content.payload,
    state: stateOf(progress),
    createdByRunId: facts.created_by_run_id ?? null,
    causedBy: facts.caused_by ?? null,
    depth: facts.depth ?? 0,
    createdAt: facts.created_at,
    updatedAt: progress.updated_at,
  };
}
