// The stores of spec 002: create, read, change and delete. History is deleted by archiving only.
import { describe, expect, it } from 'vitest';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore } from '#test/support/open-store.ts';

const archived = ({ db }: ReturnType<typeof openStore>): string[] =>
  db.values<string>('SELECT kind FROM archived_rows ORDER BY seq');

describe('the stores', () => {
  it('[SP-4] of topics removes a topic without events, and no other', () => {
    const [store, peer] = [openStore('device-a'), openStore('device-b')];
    const { topics, events } = store;
    const [empty, used] = [topics.ensure('w', 'empty'), topics.ensure('w', 'used')];
    events.publish({ topic: used, messageId: 'm', title: 'M', payload: null });
    exchange(store.db, peer.db);
    expect([topics.remove(empty.id), topics.remove(used.id), topics.remove('x')]).toEqual([
      true,
      false,
      false,
    ]);
    expect(topics.get(empty.id)).toBeUndefined();
    expect(topics.list('w')).toEqual([used]);
    exchange(store.db, peer.db);
    expect(peer.topics.list('w')).toEqual([used]);
    expect(topics.ensure('w', 'empty').id).toBe(empty.id);
    exchange(store.db, peer.db);
    expect(peer.topics.list('w').map(({ name }) => name)).toEqual(['empty', 'used']);
  });

  it('[SP-4] [RT-8] of events, runs and effects delete a row by archiving it, also on the peer', () => {
    const [store, peer] = [openStore('device-a'), openStore('device-b')];
    const { topics, events, handlerRuns, mutations } = store;
    const topic = topics.ensure('w', 'in');
    const event = events.publish({ topic, messageId: 'm', title: 'M', payload: null });
    const eventId = 'eventId' in event ? event.eventId : '';
    const { id: runId } = handlerRuns.create({
      scriptRunId: 's',
      workflowId: 'w',
      handlerType: 'consumer',
      handlerName: 'c',
      inputState: null,
      epoch: 1,
    });
    const effectId = mutations.record({ handlerRunId: runId, workflowId: 'w', epoch: 1 });
    exchange(store.db, peer.db);
    expect(peer.events.get(eventId)).toEqual(events.get(eventId));
    for (const table of ['events', 'handler_runs', 'mutations']) {
      expect(() => store.db.run(`DELETE FROM ${table}`)).toThrow(`immutable: ${table}`);
    }
    const deletes = () =>
      [events.archive(eventId), handlerRuns.archive(runId), mutations.archive(effectId)] as const;
    expect(store.db.write(deletes)).toEqual([1, 1, 1]);
    expect(store.db.write(deletes)).toEqual([0, 0, 0]);
    exchange(store.db, peer.db);
    for (const device of [store, peer]) {
      expect(device.events.get(eventId)).toBeUndefined();
      expect(device.handlerRuns.get(runId)).toBeUndefined();
      expect(device.mutations.get(effectId)).toBeUndefined();
      expect(archived(device).toSorted()).toEqual(['events', 'handler_runs', 'mutations']);
    }
  });
});
