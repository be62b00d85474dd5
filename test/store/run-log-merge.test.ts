// Spec 001 on several devices: append authority, numbers after a merge, pages and times.
import { describe, expect, it } from 'vitest';
import type { IRunStateStore, RunEventRecord } from '#shared/run-log.ts';
import { Database } from '#main/store/sqlite/database.ts';
import { RunStateStore } from '#main/store/tables/run-log.ts';
import { exchange } from '#test/support/exchange-changes.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { runEvent } from '#test/support/run-event.ts';

const TERM = 2 ** 41;

async function append(store: OpenStore, ...steps: string[]): Promise<void> {
  for (const stepId of steps) await store.runState.appendEvent(runEvent({ stepId }));
}

async function pages(store: IRunStateStore, limit: number): Promise<RunEventRecord[]> {
  const all: RunEventRecord[] = [];
  for (;;) {
    const page = await store.fetchEvents('run-1', { afterSeq: all.at(-1)?.runSeq ?? 0, limit });
    expect(page.length).toBeLessThanOrEqual(limit);
    if (page.length === 0) return all;
    all.push(...page);
  }
}

const steps = (records: readonly RunEventRecord[]): unknown[] => records.map((one) => one.stepId);
const numbers = (records: readonly RunEventRecord[]): number[] => records.map((one) => one.runSeq);

function merge(one: OpenStore, other: OpenStore): void {
  exchange(one.db, other.db);
  exchange(other.db, one.db);
}

describe('two devices', () => {
  it('[RL-13] a new append authority starts the next term, so numbers are unique and rise with the owners', async () => {
    const [a, b] = [openStore('device-a'), openStore('device-b')];
    await append(a, 'a1', 'a2');
    exchange(a.db, b.db);
    // Taken over by B, while A records without knowing.
    await append(b, 'b1', 'b2');
    await append(a, 'a3');
    merge(a, b);
    await append(a, 'a4');
    merge(a, b);
    for (const { runState } of [a, b]) {
      const records = await runState.fetchEvents('run-1');
      expect(steps(records)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'a4']);
      expect(numbers(records)).toEqual([1, 2, 3, TERM + 1, TERM + 2, 2 * TERM + 1]);
    }
  });

  it.each([1, 2, 3, 4, 6])(
    '[RL-9] [RL-13] two devices that numbered one term: pages of %s return every record once, in one order, with one number each',
    async (limit) => {
      const [a, b] = [openStore('device-a'), openStore('device-b')];
      await append(b, 'b1', 'b2', 'b3');
      await append(a, 'a1', 'a2', 'a3');
      merge(a, b);
      const here = await pages(a.runState, limit);
      expect(steps(here)).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
      expect(new Set(numbers(here)).size).toBe(6);
      expect(numbers(here)).toEqual(numbers(here).toSorted((one, other) => one - other));
      expect(await pages(b.runState, limit)).toEqual(here);
    },
  );

  it.each(['device-a', 'device-b'])(
    '[RL-13] after a fork %s appends after all records, so no page misses it',
    async (device) => {
      const [a, b] = [openStore('device-a'), openStore('device-b')];
      await append(a, 'a1', 'a2', 'a3');
      await append(b, 'b1');
      merge(a, b);
      const store = device === 'device-a' ? a : b;
      const last = (await store.runState.fetchEvents('run-1')).at(-1)?.runSeq ?? 0;
      await store.runState.projectSnapshot('run-1');
      await append(store, 'later', 'last');
      const rest = await store.runState.fetchEvents('run-1', { afterSeq: last });
      expect(steps(rest)).toEqual(['later', 'last']);
      const counts = (await store.runState.projectSnapshot('run-1')).eventCounts;
      expect(Object.values(counts).reduce((sum, n) => sum + n)).toBe(6);
    },
  );

  it('[RL-2] [RL-13] a repeated append gets the number that readers see', async () => {
    const [a, b] = [openStore('device-a'), openStore('device-b')];
    await append(a, 'a1');
    await append(b, 'b1');
    merge(a, b);
    const again = await b.runState.appendEvent(runEvent({ stepId: 'b1' }));
    const read = (await b.runState.fetchEvents('run-1')).find(({ stepId }) => stepId === 'b1');
    expect(again).toMatchObject({ idempotent: true, runSeq: read?.runSeq });
  });

  it.each([0, -1, null, 2 ** 60, 2 ** 31])(
    '[RL-13] a merged record with the number %s is not shown and does not disturb the next append',
    async (runSeq) => {
      const [a, b] = [openStore('device-a'), openStore('device-b')];
      await append(a, 'a1');
      b.db.exec('DROP TRIGGER run_events_next_seq');
      b.db.run(
        `INSERT INTO run_events (run_id, idempotency_key, facts) VALUES ('run-1', 'k', ?)`,
        JSON.stringify({ run_seq: runSeq, device_id: 'device-b' }),
      );
      exchange(b.db, a.db);
      await append(a, 'a2');
      const records = await a.runState.fetchEvents('run-1');
      expect(steps(records)).toEqual(['a1', 'a2']);
      expect(Number.isSafeInteger(records[1]?.runSeq)).toBe(true);
    },
  );

  it('[RL-13] the database refuses a local record of another device in the term of the last one', async () => {
    const { db, runState } = openStore('device-a');
    await runState.appendEvent(runEvent());
    const insert = (runSeq: number) => (): number =>
      db.run(
        `INSERT INTO run_events (run_id, idempotency_key, facts) VALUES ('run-1', 'k', ?)`,
        JSON.stringify({ run_seq: runSeq, device_id: 'device-b' }),
      );
    expect(insert(2)).toThrow('run_seq');
    expect(insert(TERM + 1)()).toBe(1);
  });
});

describe('persistedAt', () => {
  it('[RL-4] the time is read with the write lock held', async () => {
    const { path, context, clock } = openStore();
    const [one, other] = [new Database(path), new Database(path)];
    let isLocked: boolean | undefined;
    const now = (): number => {
      other.pragma('busy_timeout = 0');
      try {
        other.write(() => undefined);
        isLocked = false;
      } catch {
        isLocked = true;
      }
      return clock.now();
    };
    const store = new RunStateStore({ ...context, db: one, clock: { ...clock, now } });
    await store.appendEvent(runEvent());
    expect(isLocked).toBe(true);
    one.close();
    other.close();
  });

  it('[RL-4] the times of a run never go back against its numbers, also when the clock is set back', async () => {
    const { context, runState } = openStore();
    const times = [5000, 3000, 7000, 6999];
    const clock = { ...context.clock, now: () => times.shift() ?? 0 };
    const store = new RunStateStore({ ...context, clock });
    for (const stepId of ['a', 'b', 'c', 'd']) await store.appendEvent(runEvent({ stepId }));
    const seconds = (await runState.fetchEvents('run-1')).map(
      ({ persistedAt }) => Date.parse(persistedAt) / 1000,
    );
    expect(seconds).toEqual([5, 5, 7, 7]);
  });

  it.each(['9999-12-31T23:59:59.999Z', '9999","event_type":"run.stolen'])(
    '[RL-4] [IS-1] a peer that writes with our device id does not set the time of our next record: %s',
    async (persistedAt) => {
      const [a, b] = [openStore('device-a'), openStore('device-b')];
      await append(a, 'a1');
      exchange(a.db, b.db);
      const facts = { run_seq: 2, device_id: 'device-a', persisted_at: persistedAt };
      b.db.run(
        `INSERT INTO run_events (run_id, idempotency_key, facts) VALUES ('run-1', 'forged', ?)`,
        JSON.stringify({ ...facts, event_type: 'run.started', event_id: 'e' }),
      );
      exchange(b.db, a.db);
      const result = await a.runState.appendEvent(runEvent({ stepId: 'a2' }));
      expect(result).toMatchObject({ runSeq: 3, persistedAt: '2026-01-01T00:00:00.000Z' });
      const written = (await a.runState.fetchEvents('run-1')).at(-1);
      expect(written).toMatchObject({ stepId: 'a2', eventType: runEvent().eventType });
    },
  );
});
