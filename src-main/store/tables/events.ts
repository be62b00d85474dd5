// Events in topics: publishing (idempotent by message id), reserving and finishing them.
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import {
  RowMover,
  type StateRow,
  type TransitionResult,
} from '#main/store/sqlite/guarded-update.ts';
import { isNotUnique } from '#main/store/sqlite/sqlite-errors.ts';
import { EventReader } from '#main/store/tables/event-reader.ts';
import {
  EVENT_COLUMNS,
  eventProgressText,
  inputsOfEvents,
  parseEventState,
  toEvent,
  type EventRow,
  type TopicEvent,
} from '#main/store/tables/event-row.ts';
import type { Topic } from '#main/store/tables/topics.ts';
import { arrivalAfter, type Arrival } from '#shared/arrival.ts';
import { pathOfEvent, projectEvent } from '#shared/event-projection.ts';
import { eventId } from '#shared/ids.ts';
import type { Json } from '#shared/json.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { reject } from '#shared/rejection.ts';
import { transitionEvent, type EventState, type EventTransition } from '#shared/machines/event.ts';

export type { TopicEvent } from '#main/store/tables/event-row.ts';

export interface Publish {
  readonly topic: Pick<Topic, 'id' | 'workflowId'>;
  readonly messageId: string;
  readonly title: string;
  readonly payload: Json;
  readonly createdByRunId?: string;
  readonly causedBy?: string | undefined;
  readonly alsoCausedBy?: readonly string[];
  readonly depth?: number;
  /** Arrival time, when it is earlier than this write. */
  readonly createdAt?: number;
}

export interface PayloadTooLarge {
  readonly type: 'payload_too_large';
  readonly message: string;
}

export type PublishResult =
  | { readonly type: 'published' | 'replaced' | 'kept'; readonly eventId: string }
  | PayloadTooLarge;

interface EventStateRow extends StateRow {
  readonly state: EventState;
  readonly inputs: readonly string[];
}

export class EventStore extends EventReader {
  readonly #mover: RowMover<EventState, EventTransition, EventStateRow>;
  /** The first two pending events, by topic. */
  readonly #nextPending: TableCache<readonly TopicEvent[]>;
  /** Cached with `events`, because triggers on that table write it. */
  readonly #revisions: TableCache<number>;
  /** Contents by event, since the last write to any event. */
  readonly #contents: TableCache<string | undefined>;
  /** The arrival of the last event that this device took in. */
  #lastArrival: Arrival | undefined;

  constructor(context: StoreContext) {
    super(context);
    const { db, clock } = context;
    this.#nextPending = db.cache('events');
    this.#revisions = db.cache('events');
    this.#contents = db.cache('events');
    this.#mover = new RowMover(db, {
      table: 'events',
      column: 'progress',
      laterColumns: [],
      kind: 'event',
      read: (id) => this.#readState(id),
      stateOf: (row) => row.state,
      transition: transitionEvent,
      next: (row, to) => toStateRow(eventProgressText(to, clock.now()), to, row.inputs),
      onMoved: (_id, { inputs }, _from, _to, { type }) => {
        // A reserved event is unfinished; every other step can be the last one under its input.
        if (type !== 'reserve') for (const input of inputs) db.changes.touchInput(input);
      },
      isCached: ({ status }) => status === 'reserved',
    });
  }

  /**
   * A repeated message keeps its id and status. While it is pending, newer content replaces older;
   * after that nothing changes.
   */
  publish(event: Publish): PublishResult {
    const { db, clock } = this.context;
    const content = JSON.stringify({ title: event.title, payload: event.payload });
    if (Buffer.byteLength(content) > MAX_PAYLOAD_BYTES) return tooLarge(event, content);
    const id = eventId(event.topic.id, event.messageId);
    return db.writeOne((): PublishResult => {
      const now = event.createdAt ?? clock.now();
      const arrival = this.#nextArrival(now);
      const facts = {
        topic_id: event.topic.id,
        workflow_id: event.topic.workflowId,
        message_id: event.messageId,
        created_by_run_id: event.createdByRunId,
        caused_by: event.causedBy,
        also_caused_by: event.alsoCausedBy?.length ? event.alsoCausedBy : undefined,
        depth: event.depth,
        place: arrival.place === 0 ? undefined : arrival.place,
        created_at: now,
        arrival: arrival.at === now ? undefined : arrival.at,
      };
      const known = this.#insert(id, event, JSON.stringify(facts), content, now);
      if (known === null) {
        db.changes.record('events', id);
        return { type: 'published', eventId: id };
      }
      const replaced = db.run(
        `UPDATE events SET content = ? WHERE id = ? AND status = 'pending' AND content <> ?`,
        content,
        known,
        content,
      );
      if (replaced === 1) db.changes.record('events', known);
      return { type: replaced === 1 ? 'replaced' : 'kept', eventId: known };
    });
  }

  /** Null if it was inserted, else the id of the event that the message is already. */
  #insert(
    id: string,
    { topic, messageId }: Publish,
    facts: string,
    content: string,
    now: number,
  ): string | null {
    const { db } = this.context;
    try {
      const inserted = db.run(
        `INSERT INTO events (id, facts, content, progress) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        id,
        facts,
        content,
        eventProgressText({ status: 'pending', attempt: 1 }, now),
      );
      return inserted === 1 ? null : id;
    } catch (error) {
      // A peer's raw SQL may have given the message another id.
      const sql = 'SELECT id FROM events WHERE topic_id = ? AND message_id = ?';
      const known = db.value<string>(sql, topic.id, messageId);
      if (known === undefined || !isNotUnique(error)) throw error;
      return known;
    }
  }

  /** Pending events, oldest first. Lanes ask for the first one or two before every step. */
  peek(topicId: string, limit: number): readonly TopicEvent[] {
    if (limit > 2) return this.#pending(topicId, limit);
    return this.#nextPending.get(topicId, () => this.#pending(topicId, 2)).slice(0, limit);
  }

  /** Grows whenever an event of the topic becomes pending, or changes while it is pending. */
  revision(topicId: string): number {
    return this.#revisions.get(
      topicId,
      () =>
        this.context.db.value<number>(
          'SELECT revision FROM topic_revisions WHERE topic_id = ?',
          topicId,
        ) ?? 0,
    );
  }

  /**
   * Without a title, the content has not been merged yet.
   * `+`: with a bare parameter as the limit, SQLite plans the statement again for every value.
   */
  #pending(topicId: string, limit: number): TopicEvent[] {
    return this.context.db
      .all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM events WHERE topic_id = ? AND status = 'pending' AND title IS NOT NULL
         ORDER BY arrival, place, id LIMIT +?`,
        topicId,
        limit,
      )
      .map((row) => {
        const event = toEvent(row);
        this.#contents.get(row.id, () => row.content);
        this.#mover.remember(
          row.id,
          toStateRow(row.progress, event.state, inputsOfEvents([event])),
        );
        return event;
      });
  }

  move(id: string, event: EventTransition): TransitionResult<EventState> {
    return this.#mover.move(id, event);
  }

  /**
   * Reserves all events or none; the result is the first refusal. `seen`, in the order of `ids`, are
   * the events as the run read them: one that was rerun or has other content since is refused.
   */
  reserve(
    ids: readonly string[],
    runId: string,
    seen: readonly TopicEvent[] = [],
  ): TransitionResult<EventState> {
    const { db } = this.context;
    // Without a savepoint: when this throws, the surrounding write is rolled back.
    return db.writeOne(() => {
      if (seen.some(({ id, content }) => this.#contentOf(id) !== content)) {
        return reject('event', 'pending', 'reserve');
      }
      const result = this.#moveAll(ids, (index) => ({
        type: 'reserve',
        runId,
        attempt: seen[index]?.state.attempt,
      }));
      if (result.type !== 'moved') return result;
      for (const [index, id] of ids.entries()) {
        db.run(
          `INSERT INTO reservations (event_id, attempt_number, handler_run_id) VALUES (?, ?, ?)
           ON CONFLICT DO NOTHING`,
          id,
          (seen[index] ?? this.get(id))?.state.attempt,
          runId,
        );
      }
      return result;
    });
  }

  release(ids: readonly string[], runId: string): TransitionResult<EventState> {
    return this.#moveAll(ids, () => ({ type: 'release', runId }));
  }

  /** Replaces the payload of a pending event with a person's. */
  edit(id: string, payload: Json): void {
    const { db } = this.context;
    db.write(() => {
      const event = this.get(id);
      if (!event) return;
      const content = JSON.stringify({ title: event.title, payload });
      db.run(`UPDATE events SET content = ? WHERE id = ? AND status = 'pending'`, content, id);
      db.changes.record('events', id);
    });
  }

  /**
   * Restores the status that follows from the runs that reserved the event. For the owner, after a
   * merge. True when the status differed.
   */
  repair(id: string): boolean {
    const { db, clock } = this.context;
    const event = this.get(id);
    if (!event) return false;
    const path = pathOfEvent(event.state, projectEvent(event.state, this.holders(id)));
    for (const state of path) {
      const progress = eventProgressText(state, clock.now());
      db.run('UPDATE events SET progress = ? WHERE id = ?', progress, id);
    }
    if (path.length > 0) {
      db.changes.record('events', id);
      for (const input of inputsOfEvents([event])) db.changes.touchInput(input);
    }
    return path.length > 0;
  }

  /** After a restart it continues after the events that still wait; the order of others is past. */
  #nextArrival(now: number): Arrival {
    this.#lastArrival ??= this.context.db.get<{ at: number; place: number }>(
      `SELECT events.arrival AS at, events.place AS place
       FROM topics JOIN events ON events.topic_id = topics.id
       WHERE events.status IN ('pending', 'reserved')
       ORDER BY events.arrival DESC, events.place DESC LIMIT 1`,
    ) ?? { at: 0, place: 0 };
    this.#lastArrival = arrivalAfter(this.#lastArrival, now);
    return this.#lastArrival;
  }

  #contentOf(id: string): string | undefined {
    const sql = 'SELECT content FROM events WHERE id = ?';
    return this.#contents.get(id, () => this.context.db.value<string>(sql, id));
  }

  /** Deletes it here and on every device that merges the delete. Returns the number of rows. */
  archive(id: string): number {
    return archiveDelete(this.context.db, 'events', 'id', id);
  }

  #readState(id: string): EventStateRow | undefined {
    const row = this.context.db.get<{
      progress: string;
      causedBy: string | null;
      others: string | null;
    }>(
      `SELECT progress, caused_by AS causedBy, facts ->> 'also_caused_by' AS others
       FROM events WHERE id = ?`,
      id,
    );
    if (!row) return undefined;
    const alsoCausedBy = JSON.parse(row.others ?? '[]') as string[];
    const inputs = inputsOfEvents([{ causedBy: row.causedBy, alsoCausedBy }]);
    return toStateRow(row.progress, parseEventState(row.progress), inputs);
  }

  #moveAll(
    ids: readonly string[],
    eventAt: (index: number) => EventTransition,
  ): TransitionResult<EventState> {
    const [first] = ids;
    if (first === undefined)
      throw new Error(`Cannot ${eventAt(0).type} events: the list of ids is empty.`);
    if (ids.length === 1) return this.move(first, eventAt(0));
    try {
      return this.context.db.write(() => {
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

/** Rolls a transaction back and carries an expected result out of it. */
class RolledBack extends Error {
  readonly result: TransitionResult<EventState>;

  constructor(result: TransitionResult<EventState>) {
    super('rolled back');
    this.result = result;
  }
}

function toStateRow(text: string, state: EventState, inputs: readonly string[]): EventStateRow {
  return { text, takeover: null, isOurs: true, state, inputs };
}

function tooLarge(event: Publish, content: string): PayloadTooLarge {
  return {
    type: 'payload_too_large',
    message: `The event "${event.messageId}" has ${Buffer.byteLength(content)} bytes; the limit is ${MAX_PAYLOAD_BYTES}. It was not published. Put the content in a file and publish its path.`,
  };
}
