// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ChangedRows } from '#shared/api/feed.ts';
import type { HandlerRunDetail } from '#shared/api/handler-runs.ts';
import { mutationId } from '#shared/ids.ts';
import { createRunStore } from '#renderer/stores/run-store.ts';
import { aHandlerRun, anEvent, FakeHost } from '#test/renderer/fake-host.ts';

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(2_000);

const open = async (more: Partial<HandlerRunDetail> = {}) => {
  const host = new FakeHost();
  host.handlerRuns = [aHandlerRun('run 1', { eventsIn: [anEvent('in')], ...more })];
  const store = createRunStore(host.client, host.feed, 'run 1');
  store.open();
  await settle();
  host.takeAsked();
  const asksOn = async (table: ChangedRows['table'], id: string): Promise<boolean> => {
    host.changed(table, [id]);
    await settle();
    return host.takeAsked().length === 1;
  };
  return { host, store, asksOn };
};

describe('the run store', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  test('[UI-1] only changes that belong to the run reload it', async () => {
    const { asksOn } = await open();
    expect(await asksOn('handler_runs', 'run 1')).toBe(true);
    expect(await asksOn('mutations', mutationId('run 1'))).toBe(true);
    expect(await asksOn('events', 'in')).toBe(true);
    expect(await asksOn('resolutions', 'any')).toBe(true);
    expect(await asksOn('handler_runs', 'run 2')).toBe(false);
    expect(await asksOn('mutations', mutationId('run 2'))).toBe(false);
    expect(await asksOn('events', 'of others')).toBe(false);
    expect(await asksOn('workflows', 'w')).toBe(false);
  });

  test('[UI-1] a run without an effect ignores decisions', async () => {
    const { asksOn } = await open({ mutation: null, effect: null });
    expect(await asksOn('resolutions', 'any')).toBe(false);
  });

  test('[UI-1] a failed run watches for its retry until there is one', async () => {
    const { host, asksOn } = await open({ phase: 'failed' });
    host.handlerRuns = [aHandlerRun('run 1', { phase: 'failed', retriedBy: 'run 2' })];
    expect(await asksOn('handler_runs', 'run 2')).toBe(true);
    expect(await asksOn('handler_runs', 'run 3')).toBe(false);
  });

  test.each(['hello', 'resync'] as const)('[UI-2] %s reloads the run', async (type) => {
    const { host } = await open();
    host.say({ type });
    await settle();
    expect(host.takeAsked()).toEqual(['handlerRuns.get run 1']);
  });
});
