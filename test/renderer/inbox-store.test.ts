// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '#shared/api/errors.ts';
import { FEED_TABLES } from '#shared/api/feed.ts';
import { createInboxStore } from '#renderer/stores/inbox-store.ts';
import { anUnknownEffect, FakeHost } from '#test/renderer/fake-host.ts';

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(2_000);
const GATHERED_FROM = [
  'mutations',
  'handler_runs',
  'automation_runs',
  'resolutions',
  'events',
  'workflows',
  'incidents',
  'refused_rows',
];

const open = async () => {
  const host = new FakeHost();
  const store = createInboxStore(host.client, host.feed);
  const close = store.open();
  await settle();
  host.takeAsked();
  return { host, store, close };
};

describe('the inbox store', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());

  test.each(FEED_TABLES)(
    '[UI-1] a change in %s refreshes the inbox only if the inbox reads that table',
    async (table) => {
      const { host, store } = await open();
      host.inbox = [anUnknownEffect()];
      host.changed(table, ['x']);
      await settle();
      const concerned = GATHERED_FROM.includes(table);
      expect(host.takeAsked()).toEqual(concerned ? ['inbox.list'] : []);
      expect(store.getState().answer).toHaveLength(concerned ? 1 : 0);
    },
  );

  test('[UI-1] 100 changes cause at most four requests, one in flight at a time', async () => {
    const { host } = await open();
    for (let i = 0; i < 100; i += 1) {
      host.changed('handler_runs', [`run ${i}`]);
      await vi.advanceTimersByTimeAsync(10);
    }
    await settle();
    expect(host.takeAsked().length).toBeLessThanOrEqual(4);
    expect(host.mostInFlight).toBe(1);
  });

  test('[UI-1] a refresh after an action skips the throttle', async () => {
    const { host, store } = await open();
    host.changed('mutations', ['x']);
    await vi.advanceTimersByTimeAsync(1);
    host.takeAsked();
    store.refresh();
    await vi.advanceTimersByTimeAsync(1);
    expect(host.takeAsked()).toEqual(['inbox.list']);
  });

  test.each(['hello', 'resync'] as const)('[UI-2] %s reloads the inbox', async (type) => {
    const { host } = await open();
    host.say({ type });
    await settle();
    expect(host.takeAsked()).toEqual(['inbox.list']);
  });

  test('[UI-3] a failure leaves the items in place, the next hello clears it, and a closed store asks for nothing', async () => {
    const { host, store, close } = await open();
    host.failures.set('inbox.list', new ApiError({ type: 'unreachable', message: 'gone' }));
    host.say({ type: 'resync' });
    await settle();
    expect(store.getState()).toMatchObject({ answer: [], error: { message: 'gone' } });
    host.failures.clear();
    host.say({ type: 'hello' });
    await settle();
    expect(store.getState().error).toBeNull();
    close();
    host.takeAsked();
    host.say({ type: 'hello' });
    await settle();
    expect(host.takeAsked()).toEqual([]);
  });
});
