import { describe, expect, it } from 'vitest';
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { Topic } from '#main/store/tables/topics.ts';
import { eventId } from '#shared/ids.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';

function withTopic(): OpenStore & {
  topic: Topic;
  publish: (id: string, payload?: number) => string;
} {
  const store = openStore();
  const topic = store.topics.ensure('w', 'mail');
  return {
    ...store,
    topic,
    publish: (messageId, payload = 0) => {
      const result = store.events.publish({ topic, messageId, title: `T ${messageId}`, payload });
      if (result.type === 'payload_too_large') throw new Error(result.message);
      return result.eventId;
    },
  };
}

describe('topics', () => {
  it('[TP-1] ensuring the same name in a workflow returns the same topic', async () => {
    const { topics, clock, db } = openStore();
    const first = topics.ensure('w', 'mail');
    await clock.advance(1000);
    expect(topics.ensure('w', 'mail')).toEqual(first);
    expect(topics.ensure('other', 'mail').id).not.toBe(first.id);
    expect(db.get('SELECT count(*) AS n FROM topics')).toEqual({ n: 2 });
    expect(topics.list('w')).toEqual([first]);
  });
});

describe('events', () => {
  it('[EV-1] publishing the same message twice leaves one unchanged event', async () => {
    const { events, publish, clock } = withTopic();
    const id = publish('m1', 1);
    const first = events.get(id);
    await clock.advance(1000);
    expect(publish('m1', 1)).toBe(id);
    expect(events.get(id)).toEqual(first);
    expect(first).toMatchObject({
      messageId: 'm1',
      title: 'T m1',
      payload: 1,
      state: { status: 'pending', attempt: 1 },
    });
  });

  it('[EV-2] newer content replaces older while the event is pending, not after it is reserved', () => {
    const { events, topic, publish } = withTopic();
    const id = publish('m1', 1);
    const again = { topic, messageId: 'm1', title: 'New', payload: 2 };
    expect(events.publish(again)).toEqual({ type: 'replaced', eventId: id });
    expect(events.get(id)).toMatchObject({ title: 'New', payload: 2 });
    events.reserve([id], 'run-1');
    expect(events.publish({ ...again, payload: 3 })).toEqual({ type: 'kept', eventId: id });
    expect(events.get(id)).toMatchObject({ payload: 2, state: { status: 'reserved' } });
  });

  it('[EV-2] the database refuses to change the content of a reserved event, or its facts', () => {
    const { events, db, publish } = withTopic();
    const id = publish('m1');
    events.reserve([id], 'run-1');
    expect(() => db.run(`UPDATE events SET content = '{}' WHERE id = ?`, id)).toThrow('immutable');
    expect(() => db.run(`UPDATE events SET facts = '{}' WHERE id = ?`, id)).toThrow('immutable');
  });

  it('[EV-3] peek returns pending events, oldest first, up to the limit', async () => {
    const { events, topic, publish, clock } = withTopic();
    const ids: string[] = [];
    for (const name of ['c', 'a', 'b', 'd']) {
      ids.push(publish(name));
      await clock.advance(1);
    }
    events.reserve([ids[1] as string], 'run-1');
    expect(events.peek(topic.id, 10).map(({ messageId }) => messageId)).toEqual(['c', 'b', 'd']);
    expect(events.peek(topic.id, 2).map(({ messageId }) => messageId)).toEqual(['c', 'b']);
    expect(events.peek('other', 2)).toEqual([]);
  });

  it('[EV-3] peek sees every publish, reservation, release and rollback', () => {
    const { events, topic, publish, db } = withTopic();
    const ids = (): string[] => events.peek(topic.id, 2).map(({ messageId }) => messageId);
    expect(ids()).toEqual([]);
    const first = publish('a', 1);
    expect(ids()).toEqual(['a']);
    publish('a', 2);
    expect(events.peek(topic.id, 1)).toMatchObject([{ payload: 2 }]);
    expect(() =>
      db.write(() => {
        events.reserve([first], 'run-1');
        expect(ids()).toEqual([]);
        throw new Error('boom');
      }),
    ).toThrow('boom');
    expect(ids()).toEqual(['a']);
    events.reserve([first], 'run-1');
    expect(ids()).toEqual([]);
    events.release([first], 'run-1');
    expect(ids()).toEqual(['a']);
  });

  it('[EV-3] peek uses its index without sorting', () => {
    const { db, topic } = withTopic();
    const plan = db.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT id, facts FROM events WHERE topic_id = ? AND status = 'pending'
       ORDER BY arrival, place, id LIMIT ?`,
      topic.id,
      5,
    );
    expect(plan.map(({ detail }) => detail)).toEqual([
      'SEARCH events USING INDEX idx_events_topic_status (topic_id=? AND status=?)',
    ]);
  });

  it('[EV-4] reserve reserves all events or none', () => {
    const { events, publish } = withTopic();
    const [a, b] = [publish('a'), publish('b')];
    events.reserve([b], 'run-1');
    expect(events.reserve([a, b], 'run-2')).toMatchObject({ type: 'rejected', from: 'reserved' });
    expect(events.get(a)?.state.status).toBe('pending');
    expect(events.reserve([a, 'missing'], 'run-2').type).toBe('not_found');
    expect(events.get(a)?.state.status).toBe('pending');
    expect(events.reserve([a], 'run-2').type).toBe('moved');
    expect(events.reservedBy('run-2').map(({ id }) => id)).toEqual([a]);
  });

  it('[IG-11] inputsOfRun returns the inputs of its reserved events, once each, oldest first', async () => {
    const { events, topic, publish, clock, inputChain } = withTopic();
    const under = async (messageId: string, causedBy: string): Promise<string> => {
      await clock.advance(1);
      events.publish({ topic, messageId, title: 'T', payload: 0, causedBy });
      return events.peek(topic.id, 10).at(-1)?.id ?? '';
    };
    const taken = [
      publish('plain'),
      await under('z', 'input-2'),
      await under('a', 'input-1'),
      await under('b', 'input-2'),
    ];
    expect(events.reserve(taken.toReversed(), 'run-1').type).toBe('moved');
    await under('not taken', 'input-3');
    expect(inputChain.inputsOfRun('run-1')).toEqual(['input-2', 'input-1']);
    expect(inputChain.inputsOfRun('run-2')).toEqual([]);
  });

  it('[EV-4] reserve refuses an event whose attempt number has changed', () => {
    const { events, publish } = withTopic();
    const [a, b] = [publish('a'), publish('b')];
    const seen = [a, b].map((id) => events.get(id) as TopicEvent);
    for (const type of ['skip', 'rerun'] as const) events.move(b, { type });
    expect(events.reserve([a, b], 'run-1', seen)).toMatchObject({ type: 'rejected' });
    expect(events.get(a)?.state).toEqual({ status: 'pending', attempt: 1 });
    const now = [a, b].map((id) => events.get(id) as TopicEvent);
    expect(events.reserve([a, b], 'run-1', now).type).toBe('moved');
  });

  it('[EV-9] reserve refuses all events if one has other content than the run has seen', () => {
    const { events, topic, publish } = withTopic();
    const ids = [publish('a', 1), publish('b', 1)];
    const seen = ids.map((id) => events.get(id) as TopicEvent);
    publish('b', 2);
    expect(events.reserve(ids, 'run-1', seen)).toMatchObject({ type: 'rejected' });
    expect(events.takenBy('run-1')).toEqual([]);
    publish('b', 1);
    expect(events.reserve(ids, 'run-1', seen).type).toBe('moved');
    expect(events.peek(topic.id, 2)).toEqual([]);
  });

  it('[EV-10] events of one millisecond, and later ones after the clock was set back, are peeked in order of arrival', async () => {
    const { events, topic, publish, clock } = withTopic();
    const names = Array.from({ length: 12 }, (_, index) => `m${index}`);
    for (const [index, name] of names.entries()) {
      if (index === 6) await clock.advance(-3_600_000);
      publish(name);
    }
    const peeked = events.peek(topic.id, 20);
    expect(peeked.map(({ messageId }) => messageId)).toEqual(names);
    expect(peeked.at(-1)?.createdAt, 'people see the time of the clock').toBe(clock.now());
  });

  it('[EV-10] after a restart with a clock that was set back, later events still come later', async () => {
    const { events, topic, publish, path } = withTopic();
    publish('first');
    events.reserve([publish('second')], 'run-1');
    const again = openStore('device-a', path);
    await again.clock.advance(-86_400_000);
    for (const messageId of ['third', 'fourth']) {
      again.events.publish({ topic, messageId, title: messageId, payload: null });
    }
    again.events.release([eventId(topic.id, 'second')], 'run-1');
    expect(again.events.peek(topic.id, 9).map(({ messageId }) => messageId)).toEqual([
      'first',
      'second',
      'third',
      'fourth',
    ]);
  });

  it('[EV-10] a peer that gets the events sees the same order', async () => {
    const { events, topic, publish, clock, db } = withTopic();
    for (const name of ['c', 'a', 'b']) publish(name);
    await clock.advance(-1000);
    for (const name of ['z', 'y', 'x']) publish(name);
    const peer = openStore('device-b');
    exchange(db, peer.db);
    expect(peer.events.peek(topic.id, 9)).toEqual(events.peek(topic.id, 9));
    expect(
      peer.events
        .peek(topic.id, 9)
        .map(({ messageId }) => messageId)
        .join(''),
    ).toBe('cabzyx');
  });

  it('[EV-5] only the run that reserved an event can consume or release it', () => {
    const { events, publish } = withTopic();
    const id = publish('a');
    expect(events.move(id, { type: 'consume', runId: 'run-1' }).type).toBe('rejected');
    events.reserve([id], 'run-1');
    expect(events.move(id, { type: 'consume', runId: 'run-2' }).type).toBe('rejected');
    expect(events.release([id], 'run-2').type).toBe('rejected');
    expect(events.release([id], 'run-1')).toEqual({
      type: 'moved',
      state: { status: 'pending', attempt: 1 },
    });
    events.reserve([id], 'run-2');
    expect(events.move(id, { type: 'consume', runId: 'run-2' }).type).toBe('moved');
    expect(events.get(id)?.state).toEqual({
      status: 'consumed',
      attempt: 1,
      reservedByRunId: 'run-2',
    });
  });

  it('[EV-6] a rerun event is pending with the next attempt number', () => {
    const { events, publish, topic } = withTopic();
    const id = publish('a');
    expect(events.move(id, { type: 'rerun' }).type).toBe('rejected');
    events.move(id, { type: 'skip' });
    expect(events.peek(topic.id, 5)).toEqual([]);
    expect(events.move(id, { type: 'rerun' })).toEqual({
      type: 'moved',
      state: { status: 'pending', attempt: 2 },
    });
    expect(events.peek(topic.id, 5)[0]?.state.attempt).toBe(2);
  });

  it('[EV-7] an event over the limit is refused with a message and nothing is written', () => {
    const { events, topic, db } = withTopic();
    const payload = 'x'.repeat(MAX_PAYLOAD_BYTES);
    const result = events.publish({ topic, messageId: 'big', title: 'T', payload });
    expect(result).toMatchObject({ type: 'payload_too_large' });
    expect(result).toHaveProperty('message', expect.stringContaining('It was not published.'));
    expect(db.get('SELECT count(*) AS n FROM events')).toEqual({ n: 0 });
    // Bytes count, not characters.
    const umlauts = 'ü'.repeat(MAX_PAYLOAD_BYTES / 2);
    const inBytes = events.publish({ topic, messageId: 'm', title: 'T', payload: umlauts });
    expect(inBytes.type).toBe('payload_too_large');
  });
});
