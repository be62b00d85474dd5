// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mutationId } from '#shared/ids.ts';
import type { RunFilter } from '#renderer/navigation/router.ts';
import { FIRST_PAGE_SIZE } from '#renderer/stores/list/keyset-pages.ts';
import { createRunsStore } from '#renderer/stores/runs-store.ts';
import { aHandlerRun, FakeHost } from '#test/renderer/fake-host.ts';

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(2_000);
const idOf = (number: number): string => `run ${String(number).padStart(4, '0')}`;
const runs = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => aHandlerRun(idOf(from + index)));

const open = async (total: number, filter: RunFilter = {}) => {
  const host = new FakeHost();
  host.handlerRuns = runs(1, total);
  const store = createRunsStore(host.client, host.feed, filter);
  store.open();
  await settle();
  host.takeAsked();
  const shown = (): string[] => store.getState().shown.map(({ id }) => id);
  return { host, store, shown };
};

describe('the runs store', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  test('the newest run comes first, and pages continue by id', async () => {
    const { host, store, shown } = await open(FIRST_PAGE_SIZE + 20);
    expect(shown()[0]).toBe(idOf(FIRST_PAGE_SIZE + 20));
    expect(shown()).toHaveLength(FIRST_PAGE_SIZE);
    host.asked.length = 0;
    store.setView({ first: FIRST_PAGE_SIZE - 20, last: FIRST_PAGE_SIZE - 1, isAtTop: false });
    await settle();
    expect(host.asked.map(({ input }) => input['after'])).toEqual([idOf(21)]);
    expect(shown().at(-1)).toBe(idOf(1));
    expect(store.getState().next).toBeNull();
  });

  test('[UI-1] the first page is requested once, before the store is opened', async () => {
    const host = new FakeHost();
    host.handlerRuns = runs(1, 3);
    const store = createRunsStore(host.client, host.feed, {});
    expect(host.takeAsked()).toEqual(['handlerRuns.list']);
    store.open();
    await settle();
    expect(host.takeAsked()).toEqual([]);
    expect(store.getState().shown).toHaveLength(3);
  });

  test('[UI-1] a change before the store is opened is not missed', async () => {
    const host = new FakeHost();
    host.handlerRuns = runs(1, 3);
    const store = createRunsStore(host.client, host.feed, {});
    host.handlerRuns = runs(1, 4);
    host.changed('handler_runs', [idOf(4)]);
    store.open();
    await settle();
    expect(store.getState().shown).toHaveLength(4);
  });

  test('[UI-1] a changed run or effect reloads only that run', async () => {
    const { host, store } = await open(5);
    host.changed('handler_runs', [idOf(3)]);
    await settle();
    expect(host.takeAsked()).toEqual([`handlerRuns.get ${idOf(3)}`]);
    host.handlerRuns[1] = aHandlerRun(idOf(2), { effect: 'indeterminate' });
    host.changed('mutations', [mutationId(idOf(2)), 'of another']);
    await settle();
    expect(host.takeAsked()).toEqual([`handlerRuns.get ${idOf(2)}`]);
    expect(store.getState().shown[3]?.effect).toBe('indeterminate');
    host.changed('mutations', ['of another']);
    host.changed('script_runs', ['s']);
    await settle();
    expect(host.takeAsked()).toEqual([]);
  });

  test.each(['hello', 'resync'] as const)('[UI-2] %s reloads the list', async (type) => {
    const { host } = await open(3);
    host.say({ type });
    await settle();
    expect(host.takeAsked()).toEqual(['handlerRuns.list']);
  });

  test('[UI-8] away from the top, new runs wait until they are requested', async () => {
    const { host, store, shown } = await open(60);
    store.setView({ first: 20, last: 40, isAtTop: false });
    const before = shown();
    host.handlerRuns = runs(1, 61);
    host.changed('handler_runs', [idOf(61)]);
    await settle();
    expect(shown()).toEqual(before);
    expect(store.getState().waiting.map(({ id }) => id)).toEqual([idOf(61)]);
    store.showWaiting();
    expect(shown()[0]).toBe(idOf(61));
  });

  test('[UI-1] runs of other workflows and sessions are left out', async () => {
    const { host, shown } = await open(3, { workflowId: 'w', sessionId: 'session' });
    host.handlerRuns.push(
      aHandlerRun(idOf(8), { workflowId: 'other' }),
      aHandlerRun(idOf(9), { scriptRunId: 'other' }),
    );
    host.changed('handler_runs', [idOf(8), idOf(9)]);
    await settle();
    expect(shown()).toEqual([idOf(3), idOf(2), idOf(1)]);
  });
});
