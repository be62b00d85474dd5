// The bounds of schedules: the last moment at which a slot runs, is skipped or is believed.
import { describe, expect, it } from 'vitest';
import {
  afterRun,
  dueSlots,
  firstSlot,
  nextSlot,
  trustedSlot,
} from '#main/engine/lane/schedules.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { advanceSchedule, syncSchedules } from '#main/engine/lane/producer-schedules.ts';
import { RunBudget } from '#main/engine/lane/run-budget.ts';
import type { Schedule } from '#shared/authoring/handler-config.ts';
import { openStore } from '#test/support/open-store.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const hourly = { every: '1h' } as const;
const now = Date.UTC(2026, 0, 1, 12);

describe('due slots', () => {
  it("[EN-5] with missed: 'none' a slot runs up to a minute late", () => {
    const none = { ...hourly, missed: 'none' } as const;
    expect(dueSlots(none, now, now + MINUTE)).toMatchObject({ slot: now, missed: [] });
    expect(dueSlots(none, now, now + MINUTE + 1)).toMatchObject({ slot: null, missed: [now] });
  });

  it('[EN-5] a slot at this very moment is due, and the next one follows it', () => {
    expect(dueSlots(hourly, now - HOUR, now)).toEqual({
      slot: now,
      missed: [now - HOUR],
      next: now + HOUR,
    });
  });

  it('[EN-5] after too many missed slots the next one follows this moment', () => {
    const due = dueSlots({ every: '10s' }, now - 20_000_000, now);
    expect(due.missed).toHaveLength(999);
    expect(due.next).toBe(now + 10_000);
  });

  it("[EN-5] with missed: 'all' each slot leads to the one after it, the last to the next", () => {
    const all = { ...hourly, missed: 'all' } as const;
    expect(dueSlots(all, now - HOUR, now)).toMatchObject({ slot: now - HOUR, next: now });
    expect(dueSlots(all, now, now)).toMatchObject({ slot: now, next: now + HOUR });
  });

  it('[EN-5] a cron uses the time zone that it names', () => {
    const nine = { cron: '0 9 * * *', timezone: 'Asia/Tokyo' } as const;
    expect(firstSlot(nine, now)).toBe(Date.UTC(2026, 0, 2, 0));
    expect(nextSlot(nine, now)).toBe(Date.UTC(2026, 0, 2, 0));
  });
});

describe('slots during a run', () => {
  const skip = { ...hourly, overlap: 'skip' } as const;
  const due = { slot: now, missed: [], next: now + HOUR };

  it('[EN-36] include one at the moment of its end, and none at the moment of its start', () => {
    const end = now + HOUR;
    expect(afterRun(skip, due, now, end)).toEqual({ skipped: [end], next: end + HOUR });
    expect(afterRun(skip, due, now, end - 1)).toEqual({ skipped: [], next: end });
    expect(afterRun(skip, due, end, end)).toEqual({ skipped: [], next: end });
  });

  it('[EN-36] are not skipped unless the schedule says so', () => {
    for (const schedule of [hourly, { ...hourly, overlap: 'coalesce' } as const]) {
      expect(afterRun(schedule, due, now, now + 2 * HOUR)).toEqual({ skipped: [], next: due.next });
    }
  });
});

describe('a stored time', () => {
  it('[EN-38] of an interval is believed up to its length', () => {
    expect(trustedSlot(hourly, now - 1, now)).toBe(now - 1);
    expect(trustedSlot(hourly, now + HOUR, now)).toBe(now + HOUR);
    expect(trustedSlot(hourly, now + HOUR + 1, now)).toBe(now + HOUR);
  });

  it('[EN-38] of a cron is believed up to its second slot', () => {
    const daily = { cron: '0 13 * * *', timezone: 'UTC' } as const;
    const [first, second] = [now + HOUR, now + 25 * HOUR];
    expect(trustedSlot(daily, first, now)).toBe(first);
    expect(trustedSlot(daily, second, now)).toBe(second);
    expect(trustedSlot(daily, second + 24 * HOUR, now)).toBe(first);
  });
});

it('[EN-21] the budget of an hour is spent exactly, and each hour has its own', () => {
  const budget = new RunBudget(2);
  const spend = (at: number): boolean => budget.spend(at);
  expect([spend(now), spend(now + HOUR - 1), spend(now + 1)]).toEqual([true, true, false]);
  expect([spend(now + HOUR), spend(now + HOUR), spend(now + HOUR)]).toEqual([true, true, false]);
});

describe('the schedules of a workflow', () => {
  function setUp() {
    const store = openStore();
    const context = { stores: store, store: store.context } as unknown as EngineContext;
    const sync = (producers: { [name: string]: Schedule }): void =>
      syncSchedules(context, 'w', {
        name: 'w',
        topics: [],
        consumers: {},
        uses: {},
        limits: {},
        cycles: [],
        producers: Object.fromEntries(
          Object.entries(producers).map(([name, schedule]) => [name, { schedule, publishes: [] }]),
        ),
      });
    return { ...store, context, sync, rows: () => store.producerSchedules.of('w') };
  }

  it('[EN-5] follow the active version: a removed producer has none, a changed one starts over', async () => {
    const { sync, rows, clock } = setUp();
    sync({ gone: hourly, same: hourly, changed: hourly });
    const begun = clock.now();
    await clock.advance(MINUTE);
    sync({ same: hourly, changed: { every: '2h' } });
    expect(rows().map(({ producer, nextRunAt }) => [producer, nextRunAt])).toEqual([
      ['changed', begun + MINUTE],
      ['same', begun],
    ]);
  });

  it('[EN-5] remember the last slot that ran when later ones are skipped', () => {
    const { sync, rows, context } = setUp();
    sync({ p: hourly });
    advanceSchedule(context, 'w', 'p', { slot: 5, next: 10 });
    advanceSchedule(context, 'w', 'p', { slot: null, next: 20 });
    expect(rows()).toMatchObject([{ lastSlotAt: 5, nextRunAt: 20 }]);
  });
});
