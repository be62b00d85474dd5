// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSessionStore } from '#renderer/stores/session-store.ts';
import { aRecord, aRun, FakeHost } from '#test/renderer/fake-host.ts';

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(2_000);
const records = (count: number) => Array.from({ length: count }, (_, index) => aRecord(index + 1));

const open = async (count: number) => {
  const host = new FakeHost();
  host.runs = [aRun('run 1')];
  host.events = records(count);
  const store = createSessionStore(host.client, host.feed, 'run 1');
  store.open();
  await settle();
  host.takeAsked();
  return { host, store };
};

describe('the session store', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  test('[UI-1] a row change reloads the row, and a log change reloads the log', async () => {
    const { host, store } = await open(3);
    store.setVisibleRange(1, 3);
    await settle();
    host.takeAsked();
    host.changed('script_runs', ['run 1']);
    await settle();
    expect(host.takeAsked()).toEqual(['runs.get run 1']);
    host.changed('run_events', ['run 1']);
    await settle();
    expect(host.takeAsked()).toEqual(['runs.snapshot']);
    host.changed('script_runs', ['another']);
    host.changed('run_events', ['another']);
    await settle();
    expect(host.takeAsked()).toEqual([]);
  });

  test('[UI-1] only visible records that are missing are fetched', async () => {
    const { host, store } = await open(1_000);
    expect(host.takeAsked()).toEqual([]);
    store.setVisibleRange(981, 1_000);
    await settle();
    expect(host.asked.map(({ name, input }) => [name, input['afterSeq']])).toEqual([
      ['runs.fetchEvents', 980],
    ]);
    expect(store.getState().log.at(1_000)?.runSeq).toBe(1_000);
    expect(store.getState().log.at(1)).toBeUndefined();
    host.takeAsked();
    store.setVisibleRange(985, 1_000);
    await settle();
    expect(host.takeAsked()).toEqual([]);
  });

  test('[UI-1] a new record at the end is fetched after the last known one', async () => {
    const { host, store } = await open(3);
    store.setVisibleRange(1, 20);
    await settle();
    host.asked.length = 0;
    host.events = records(4);
    host.changed('run_events', ['run 1']);
    await settle();
    expect(host.asked.map(({ name, input }) => [name, input['afterSeq']])).toEqual([
      ['runs.snapshot', undefined],
      ['runs.fetchEvents', 3],
    ]);
    expect(store.getState().log.at(4)?.runSeq).toBe(4);
  });

  test('[UI-1] 100 changes never have two equal requests in flight', async () => {
    const { host } = await open(3);
    host.hold();
    for (let i = 0; i < 100; i += 1) host.changed('run_events', ['run 1']);
    await settle();
    expect(host.takeAsked()).toEqual(['runs.snapshot']);
    host.release();
    await settle();
    expect(host.takeAsked()).toEqual(['runs.snapshot']);
    expect(host.mostInFlight).toBe(1);
  });

  test.each(['hello', 'resync'] as const)('[UI-2] %s reloads the row and the log', async (type) => {
    const { host } = await open(3);
    host.say({ type });
    await settle();
    expect(host.takeAsked()).toEqual(['runs.get run 1', 'runs.snapshot']);
  });

  test('[UI-1] a record the host doesn’t return is not requested endlessly', async () => {
    const { host, store } = await open(3);
    host.events = host.events.filter(({ runSeq }) => runSeq !== 2);
    store.setVisibleRange(1, 3);
    await settle();
    expect(host.takeAsked().length).toBeLessThanOrEqual(2);
  });
});
