// The rules of spec 001.
import { describe, expect } from 'vitest';
import { fc, it } from '@fast-check/vitest';
import { RunEventInvalid } from '#main/store/tables/run-log.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { emptySnapshot, projectRunEvents, type RunEventWrite } from '#shared/run-log.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore } from '#test/support/open-store.ts';
import { runEvent } from '#test/support/run-event.ts';

describe('appendEvent', () => {
  it('[RL-1] appendEvent returns the assigned number and time, and fetchEvents returns the record', async () => {
    const { runState } = openStore();
    const event = runEvent({ stepId: 'fetch', payload: { n: 1, deep: [{ a: null }] } });
    const result = await runState.appendEvent(event);
    expect(result).toEqual({
      eventId: event.eventId,
      runSeq: 1,
      persistedAt: '2026-01-01T00:00:00.000Z',
      idempotent: false,
      persisted: true,
    });
    expect(await runState.fetchEvents('run-1')).toEqual([
      { ...event, runSeq: 1, persistedAt: result.persistedAt },
    ]);
  });

  it('[RL-1] an event with its own runSeq or persistedAt is refused', async () => {
    const { runState } = openStore();
    const withSeq = { ...runEvent(), runSeq: 5 } as RunEventWrite;
    await expect(runState.appendEvent(withSeq)).rejects.toThrow(RunEventInvalid);
    const withTime = { ...runEvent(), persistedAt: '2026-01-01T00:00:00.000Z' } as RunEventWrite;
    await expect(runState.appendEvent(withTime)).rejects.toThrow(RunEventInvalid);
  });

  it('[RL-2] an event with a known key returns the first result and writes nothing', async () => {
    const { runState, clock, db } = openStore();
    const first = runEvent({ payload: { n: 1 } });
    const appended = await runState.appendEvent(first);
    await clock.advance(1000);
    const second = runEvent({ payload: { n: 2 }, emittedAt: '2026-02-02T00:00:00.000Z' });
    expect(second.eventId).not.toBe(first.eventId);
    expect(await runState.appendEvent(second)).toEqual({
      ...appended,
      idempotent: true,
      persisted: false,
    });
    expect(db.get('SELECT count(*) AS n FROM run_events')).toEqual({ n: 1 });
    expect((await runState.fetchEvents('run-1'))[0]?.payload).toEqual({ n: 1 });
  });

  it('[RL-2] the same event in another run is appended', async () => {
    const { runState } = openStore();
    await runState.appendEvent(runEvent());
    expect(await runState.appendEvent(runEvent({ runId: 'run-2' }))).toMatchObject({
      runSeq: 1,
      persisted: true,
    });
  });

  it.each([0, -1, 1.5, Number.NaN, '1', undefined])(
    '[RL-3] an attempt of %s is refused and nothing is written',
    async (attempt) => {
      const { runState, db } = openStore();
      for (const field of ['logicalAttemptId', 'engineAttemptId']) {
        const event = { ...runEvent(), [field]: attempt };
        await expect(runState.appendEvent(event)).rejects.toThrow(`${field}: `);
      }
      expect(db.get('SELECT count(*) AS n FROM run_events')).toEqual({ n: 0 });
    },
  );

  it("[RL-4] emittedAt is stored as given; persistedAt is the store's clock", async () => {
    const { runState, clock } = openStore();
    await clock.advance(86_400_000);
    const emittedAt = '2019-06-30T23:59:59.123456Z';
    const { persistedAt } = await runState.appendEvent(runEvent({ emittedAt }));
    expect(persistedAt).toBe('2026-01-02T00:00:00.000Z');
    expect((await runState.fetchEvents('run-1'))[0]).toMatchObject({ emittedAt, persistedAt });
  });

  it('[RL-4] a time that is not RFC 3339 in UTC is refused', async () => {
    const { runState } = openStore();
    for (const emittedAt of ['yesterday', '2026-01-01', '2026-01-01T00:00:00+02:00', '']) {
      await expect(runState.appendEvent(runEvent({ emittedAt }))).rejects.toThrow('emittedAt');
    }
  });

  it('[RL-5] the database accepts only the next number of a run', async () => {
    const { runState, db } = openStore();
    await runState.appendEvent(runEvent());
    const insert = (runSeq: unknown) => () =>
      db.run(
        `INSERT INTO run_events (run_id, idempotency_key, facts) VALUES ('run-1', ?, ?)`,
        `key-${String(runSeq)}`,
        JSON.stringify({ run_seq: runSeq }),
      );
    for (const wrong of [1, 3, 0, null, '2x']) expect(insert(wrong)).toThrow('run_seq');
    expect(insert(2)()).toBe(1);
  });

  it('[RL-6] the database refuses to change or delete run events', async () => {
    const { runState, db } = openStore();
    await runState.appendEvent(runEvent());
    expect(() => db.run(`UPDATE run_events SET facts = '{}'`)).toThrow('immutable: run_events');
    expect(() => db.run(`UPDATE run_events SET run_id = 'x'`)).toThrow('immutable: run_events');
    expect(() => db.run('DELETE FROM run_events')).toThrow('immutable: run_events');
  });

  it('[RL-7] a key that is not derived from the event is refused', async () => {
    const { runState, db } = openStore();
    const foreign = runEvent({ idempotencyKey: 'a'.repeat(64) });
    await expect(runState.appendEvent(foreign)).rejects.toThrow('is not the SHA-256 of');
    for (const idempotencyKey of ['', 'short', 'A'.repeat(64)]) {
      await expect(runState.appendEvent(runEvent({ idempotencyKey }))).rejects.toThrow('SHA-256');
    }
    expect(db.get('SELECT count(*) AS n FROM run_events')).toEqual({ n: 0 });
  });

  it('[RL-7] a key part with the separator is refused', async () => {
    const { runState } = openStore();
    for (const part of ['runId', 'eventType', 'planId', 'planVersion', 'stepId']) {
      const event = runEvent({ [part]: 'a|b' });
      await expect(runState.appendEvent(event)).rejects.toThrow('must not contain "|"');
    }
  });

  it('[RL-7] an event id that is not a UUID v4 or a payload over the limit is refused', async () => {
    const { runState } = openStore();
    await expect(runState.appendEvent(runEvent({ eventId: 'x' }))).rejects.toThrow('eventId');
    const payload = { text: 'x'.repeat(MAX_PAYLOAD_BYTES) };
    await expect(runState.appendEvent(runEvent({ payload }))).rejects.toThrow('payload: has');
  });
});

describe('fetchEvents', () => {
  it('[RL-9] events are returned in order, after a number and up to a limit', async () => {
    const { runState } = openStore();
    for (let n = 1; n <= 5; n += 1) await runState.appendEvent(runEvent({ stepId: `s${n}` }));
    const seqs = async (options?: { afterSeq?: number; limit?: number }): Promise<number[]> =>
      (await runState.fetchEvents('run-1', options)).map(({ runSeq }) => runSeq);
    expect(await seqs()).toEqual([1, 2, 3, 4, 5]);
    expect(await seqs({ afterSeq: 2 })).toEqual([3, 4, 5]);
    expect(await seqs({ afterSeq: 1, limit: 2 })).toEqual([2, 3]);
    expect(await seqs({ afterSeq: 5 })).toEqual([]);
    expect(await runState.fetchEvents('other')).toEqual([]);
  });
});

describe('snapshots', () => {
  it('[RL-8] getSnapshot returns null before the first projection and the last projection after it', async () => {
    const { runState } = openStore();
    await runState.appendEvent(runEvent());
    expect(await runState.getSnapshot('run-1')).toBeNull();
    const projected = await runState.projectSnapshot('run-1');
    expect(await runState.getSnapshot('run-1')).toEqual(projected);
    await runState.appendEvent(runEvent({ stepId: 'later' }));
    expect((await runState.getSnapshot('run-1'))?.lastRunSeq).toBe(1);
    expect((await runState.projectSnapshot('run-1')).lastRunSeq).toBe(2);
    expect(await runState.projectSnapshot('nobody')).toEqual(emptySnapshot('nobody'));
  });

  const TYPES = [
    'run.started',
    'run.suspended',
    'run.completed',
    'run.failed',
    'step.done',
    '__proto__',
  ];

  it.prop(
    [
      fc.array(
        fc.record({
          eventType: fc.constantFrom(...TYPES),
          stepId: fc.constantFrom('a', 'b', '__proto__', undefined),
          logicalAttemptId: fc.integer({ min: 1, max: 3 }),
          project: fc.boolean(),
        }),
        { maxLength: 25 },
      ),
    ],
    { numRuns: 40 },
  )('[RL-8] incremental projections equal a projection from the start', async (events) => {
    const { runState } = openStore();
    for (const { project, stepId, ...event } of events) {
      await runState.appendEvent(runEvent(stepId === undefined ? event : { ...event, stepId }));
      if (project) await runState.projectSnapshot('run-1');
    }
    const fromZero = projectRunEvents(emptySnapshot('run-1'), await runState.fetchEvents('run-1'));
    expect(await runState.projectSnapshot('run-1')).toEqual(fromZero);
    expect(await runState.getSnapshot('run-1')).toEqual(events.length === 0 ? null : fromZero);
  });

  it('[RL-8] after a merge brings earlier events, a projection equals one from the start', async () => {
    const [one, other] = [openStore('device-a'), openStore('device-b')];
    await one.runState.appendEvent(runEvent({ eventType: 'run.started' }));
    await other.runState.appendEvent(runEvent({ eventType: 'run.failed' }));
    await one.runState.projectSnapshot('run-1');
    exchange(other.db, one.db);
    const fromZero = projectRunEvents(
      emptySnapshot('run-1'),
      await one.runState.fetchEvents('run-1'),
    );
    expect(fromZero.eventCounts).toEqual({ 'run.started': 1, 'run.failed': 1 });
    expect(await one.runState.projectSnapshot('run-1')).toEqual(fromZero);
  });
});
