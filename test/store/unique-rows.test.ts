// The UNIQUE rules of spec 002 against raw SQL, merges and stores, on a real file.
import { describe, expect, it } from 'vitest';
import { topicId } from '#shared/ids.ts';
import { dumpRows } from '#test/support/dump-rows.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';

/** Raw rows; `id` is not the hash that the stores use. */
const RAW: { readonly [table: string]: (id: string, second: string) => string } = {
  topics: (id, name) => `INSERT INTO topics (id, facts)
    VALUES ('${id}', '{"workflow_id":"w","name":"${name}","created_at":1}')`,
  events: (id, message) => `INSERT INTO events (id, facts, content, progress)
    VALUES ('${id}', '{"topic_id":"${topicId('w', 'in')}","workflow_id":"w",
      "message_id":"${message}","created_at":1}',
      '{"title":"raw","payload":0}', '{"status":"pending","attempt_number":1}')`,
  mutations: (id, run) => `INSERT INTO mutations (id, facts, outcome)
    VALUES ('${id}', '{"handler_run_id":"${run}","workflow_id":"w"}', '{"status":"pending"}')`,
  handler_state: (id, handler) => `INSERT INTO handler_state (id, facts, value)
    VALUES ('${id}', '{"workflow_id":"w","handler_name":"${handler}"}', '{"state":"raw"}')`,
};

const MESSAGES: { readonly [table: string]: string } = {
  topics: 'not unique: topics.workflow_id, topics.name',
  events: 'not unique: events.topic_id, events.message_id',
  mutations: 'not unique: mutations.handler_run_id',
  handler_state: 'not unique: handler_state.workflow_id, handler_state.handler_name',
};

/** One row in each of the tables, written by the stores; its second column is 'in'. */
function write(store: OpenStore): void {
  const topic = store.topics.ensure('w', 'in');
  store.events.publish({ topic, messageId: 'in', title: 'ours', payload: 1 });
  store.mutations.record({ handlerRunId: 'in', workflowId: 'w', epoch: 1 });
  store.handlerState.set('w', 'in', 'ours', 'run-1');
}

const count = ({ db }: OpenStore, table: string): number =>
  db.value<number>(`SELECT count(*) FROM ${table}`) ?? 0;

describe.each(Object.keys(RAW))('%s', (table) => {
  const raw = RAW[table] ?? ((): string => '');

  it('[SP-5] a raw insert of the same values under another id is refused and leaves nothing, and others pass', () => {
    const store = openStore();
    write(store);
    const before = dumpRows(store.db);
    const version = (): unknown => store.db.value('SELECT crsql_db_version()');
    const known = version();
    expect(() => store.db.run(raw('x', 'in'))).toThrow(MESSAGES[table]);
    expect(() => store.db.exec(raw('x', 'in'))).toThrow(MESSAGES[table]);
    expect(dumpRows(store.db)).toEqual(before);
    expect(version()).toBe(known);
    store.db.run(raw('x', 'other'));
    expect(() => store.db.run(raw('y', 'other'))).toThrow(MESSAGES[table]);
    expect(count(store, table)).toBe(2);
  });

  it('[SP-5] [SY-3] a peer’s row with the same values is merged, and the devices converge', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    write(one);
    other.db.run(raw('x', 'in'));
    exchange(other.db, one.db);
    exchange(one.db, other.db);
    expect(count(one, table)).toBe(2);
    expect(dumpRows(other.db)).toEqual(dumpRows(one.db));
    expect(() => one.db.run(raw('y', 'in'))).toThrow(MESSAGES[table]);
  });
});

it('[SP-5] a raw event is refused also if the event with its message id has ended', () => {
  const store = openStore();
  write(store);
  for (const id of store.events.unfinished('w')) store.events.move(id, { type: 'skip' });
  expect(() =>
    store.db.run((RAW['events'] as (id: string, message: string) => string)('x', 'in')),
  ).toThrow(MESSAGES['events']);
});

describe('a row of a peer’s raw SQL that came first', () => {
  it('[SP-5] [SY-3] does not stop the stores, and the devices converge', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    for (const table of ['topics', 'events', 'handler_state']) {
      other.db.run((RAW[table] as (id: string, second: string) => string)('x', 'in'));
    }
    exchange(other.db, one.db);
    const topic = one.topics.ensure('w', 'in');
    expect(topic.id).toBe(topicId('w', 'in'));
    expect(one.topics.list('w')).toEqual([topic]);
    one.handlerState.set('w', 'in', 'ours', 'run-1');
    expect(one.handlerState.get('w', 'in')?.state).toBe('ours');
    expect(count(one, 'handler_state')).toBe(1);
    // The message is there already; newer content replaces older, as for any pending event.
    const event = { topic, messageId: 'in', title: 'ours', payload: 1 };
    expect(one.events.publish(event)).toEqual({ type: 'replaced', eventId: 'x' });
    expect(one.events.publish(event)).toEqual({ type: 'kept', eventId: 'x' });
    expect(count(one, 'events')).toBe(1);
    exchange(one.db, other.db);
    expect(dumpRows(other.db)).toEqual(dumpRows(one.db));
  });

  it('[SP-5] [MU-1] an effect of the same run is refused, and nothing is sent', () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    other.db.run((RAW['mutations'] as (id: string, second: string) => string)('x', 'run-1'));
    exchange(other.db, one.db);
    const call = { toolNamespace: 'http', toolMethod: 'post', params: {}, idempotencyKey: 'k' };
    const mutation = { handlerRunId: 'run-1', workflowId: 'w', epoch: 1 };
    expect(() => one.mutations.markInFlight(mutation, call)).toThrow(MESSAGES['mutations']);
    expect(count(one, 'mutations')).toBe(1);
  });
});
