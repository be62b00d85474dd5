// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunView } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { SessionFilter } from '#renderer/navigation/router.ts';
import { FIRST_PAGE_SIZE, NEXT_PAGE_SIZE } from '#renderer/stores/list/keyset-pages.ts';
import { createSessionsStore } from '#renderer/stores/sessions-store.ts';
import { aRun, FakeHost } from '#test/renderer/fake-host.ts';

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(2_000);
const AWAY = { first: 20, last: 40, isAtTop: false };
const TOP = { first: 0, last: 20, isAtTop: true };

const runs = (from: number, to: number, more: Partial<RunView> = {}): RunView[] =>
  Array.from({ length: to - from + 1 }, (_, index) => aRun(`run ${from + index}`, more));

const open = async (rows: RunView[], filter: SessionFilter = {}) => {
  const host = new FakeHost();
  host.runs = rows;
  const store = createSessionsStore(host.client, host.feed, filter);
  store.open();
  await settle();
  host.takeAsked();
  const shown = (): string[] => store.getState().shown.map(({ id }) => id);
  return { host, store, shown };
};

describe('the sessions store', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  test('[UI-1] a changed session is reloaded alone and stays in place', async () => {
    const { host, store, shown } = await open(runs(1, 5));
    host.runs = host.runs.map((run) => (run.id === 'run 3' ? { ...run, status: 'failed' } : run));
    host.changed('script_runs', ['run 3']);
    await settle();
    expect(host.takeAsked()).toEqual(['runs.get run 3']);
    expect(shown()).toEqual(['run 5', 'run 4', 'run 3', 'run 2', 'run 1']);
    expect(store.getState().shown[2]?.status).toBe('failed');
  });

  test('[UI-1] many changes reload the page, not each session', async () => {
    const { host } = await open(runs(1, 50));
    host.changed('script_runs', 'many');
    await settle();
    expect(host.takeAsked()).toEqual(['runs.list']);
    host.changed(
      'script_runs',
      runs(1, 30).map(({ id }) => id),
    );
    await settle();
    expect(host.takeAsked()).toEqual(['runs.list']);
  });

  test('[UI-1] 100 changes never have two requests for one session in flight', async () => {
    const { host } = await open(runs(1, 5));
    host.hold();
    for (let i = 0; i < 100; i += 1) host.changed('script_runs', ['run 3']);
    await settle();
    expect(host.takeAsked()).toEqual(['runs.get run 3']);
    host.release();
    await settle();
    expect(host.takeAsked()).toEqual(['runs.get run 3']);
    expect(host.mostInFlight).toBe(1);
  });

  test('[UI-1] the next page loads once when the reader nears the end', async () => {
    const two = FIRST_PAGE_SIZE + NEXT_PAGE_SIZE;
    const { host, store, shown } = await open(runs(1, two + 10));
    expect(shown()).toHaveLength(FIRST_PAGE_SIZE);
    store.setView({ first: FIRST_PAGE_SIZE - 30, last: FIRST_PAGE_SIZE - 10, isAtTop: false });
    store.setView({ first: FIRST_PAGE_SIZE - 29, last: FIRST_PAGE_SIZE - 9, isAtTop: false });
    await settle();
    expect(host.takeAsked()).toEqual(['runs.list']);
    expect(shown()).toHaveLength(two);
    store.setView({ first: two - 20, last: two - 1, isAtTop: false });
    await settle();
    expect(shown()).toHaveLength(two + 10);
    expect(new Set(shown()).size).toBe(two + 10);
    expect(store.getState().next).toBeNull();
  });

  test('[UI-2] hello reloads the first page and the visible page; other pages reload when seen', async () => {
    const ends = [0, 1, 2, 3].map((page) => FIRST_PAGE_SIZE + NEXT_PAGE_SIZE * page);
    const total = ends[3] ?? 0;
    const { host, store } = await open(runs(1, total));
    for (const end of ends.slice(0, 3)) {
      store.setView({ first: end - 20, last: end - 1, isAtTop: false });
      await settle();
    }
    host.asked.length = 0;
    const [head = 0, second = 0] = ends;
    store.setView({ first: second + 10, last: second + 30, isAtTop: false });
    host.say({ type: 'hello' });
    await settle();
    const afters = host.asked.map(({ input }) => input['after']);
    expect(afters).toEqual([undefined, `run ${total - second + 1}`]);
    // Other pages reload when they become visible.
    host.asked.length = 0;
    store.setView({ first: head + 10, last: head + 30, isAtTop: false });
    await settle();
    expect(host.takeAsked()).toEqual(['runs.list']);
  });

  test('[UI-8] at the top, new sessions appear', async () => {
    const { host, store, shown } = await open(runs(1, 3));
    store.setView(TOP);
    host.runs = runs(1, 4);
    host.changed('script_runs', ['run 4']);
    await settle();
    expect(shown()).toEqual(['run 4', 'run 3', 'run 2', 'run 1']);
  });

  test('[UI-8] elsewhere, new sessions wait until the reader asks for them', async () => {
    const { host, store, shown } = await open(runs(1, 60));
    store.setView(AWAY);
    const before = shown();
    host.runs = runs(1, 62);
    host.changed('script_runs', ['run 61', 'run 62']);
    await settle();
    expect(shown()).toEqual(before);
    expect(store.getState().waiting.map(({ id }) => id)).toEqual(['run 62', 'run 61']);
    store.showWaiting();
    expect(shown().slice(0, 3)).toEqual(['run 62', 'run 61', 'run 60']);
    expect(store.getState().waiting).toEqual([]);
  });

  test('[UI-8] waiting sessions appear when the reader returns to the top', async () => {
    const { host, store, shown } = await open(runs(1, 60));
    store.setView(AWAY);
    host.runs = runs(1, 61);
    host.changed('script_runs', ['run 61']);
    await settle();
    store.setView(TOP);
    expect(shown()[0]).toBe('run 61');
  });

  test('[UI-8] a session that no longer matches the filter stays until the reader returns to the top', async () => {
    const { host, store, shown } = await open(runs(1, 60), { status: 'running' });
    store.setView(AWAY);
    host.runs = host.runs.map((run) => (run.id === 'run 50' ? { ...run, status: 'failed' } : run));
    host.changed('script_runs', ['run 50']);
    await settle();
    expect(shown()).toContain('run 50');
    expect(store.getState().shown.find(({ id }) => id === 'run 50')?.status).toBe('failed');
    store.setView(TOP);
    expect(shown()).not.toContain('run 50');
  });

  test('[UI-8] a session missing from its reloaded page stays in place with its new status', async () => {
    const { host, store, shown } = await open(runs(1, 60), { status: 'running' });
    store.setView(AWAY);
    host.runs = host.runs.map((run) => (run.id === 'run 50' ? { ...run, status: 'failed' } : run));
    host.changed('script_runs', 'many');
    await settle();
    expect(host.takeAsked()).toEqual(['runs.list', 'runs.get run 50']);
    expect(shown()).toHaveLength(60);
    expect(store.getState().shown.find(({ id }) => id === 'run 50')?.status).toBe('failed');
  });

  test('[UI-8] more new sessions than a page are announced, and showing them restarts the list', async () => {
    const { host, store, shown } = await open(runs(1, 60));
    store.setView(AWAY);
    host.runs = runs(1, 60 + FIRST_PAGE_SIZE * 2);
    host.changed('script_runs', 'many');
    await settle();
    expect(shown()).toHaveLength(60);
    expect(store.getState()).toMatchObject({ hasMoreWaiting: true });
    store.showWaiting();
    await settle();
    expect(shown()[0]).toBe(`run ${60 + FIRST_PAGE_SIZE * 2}`);
    expect(shown()).toHaveLength(FIRST_PAGE_SIZE);
    expect(store.getState().hasMoreWaiting).toBe(false);
  });

  test('[UI-1] sessions of other workflows are left out', async () => {
    const { host, shown } = await open(runs(1, 3), { workflowId: 'w' });
    host.runs.push(aRun('run 9', { workflowId: 'other' }));
    host.changed('script_runs', ['run 9']);
    await settle();
    expect(shown()).not.toContain('run 9');
  });

  test('[UI-3] a failure leaves the rows in place, and the next hello clears it', async () => {
    const { host, store, shown } = await open(runs(1, 3));
    host.failures.set('runs.list', new ApiError({ type: 'unreachable', message: 'gone' }));
    host.say({ type: 'resync' });
    await settle();
    expect(shown()).toHaveLength(3);
    expect(store.getState().error?.message).toBe('gone');
    // Scrolling doesn't retry.
    host.takeAsked();
    store.setView(AWAY);
    await settle();
    expect(host.takeAsked()).toEqual([]);
    host.failures.clear();
    host.say({ type: 'hello' });
    await settle();
    expect(store.getState().error).toBeNull();
  });
});
