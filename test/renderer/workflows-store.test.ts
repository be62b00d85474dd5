// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ApiError } from '#shared/api/errors.ts';
import { createWorkflowsStore } from '#renderer/stores/workflows-store.ts';
import { aWorkflow, FakeHost } from '#test/renderer/fake-host.ts';

describe('the workflows store', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => vi.useRealTimers());
  const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1_000);

  const open = async (...ids: string[]) => {
    const host = new FakeHost();
    host.workflows = ids.map((id) => aWorkflow(id));
    const store = createWorkflowsStore(host.client, host.feed);
    const close = store.open();
    await settle();
    host.takeAsked();
    return { host, store, close };
  };

  test('[UI-1] a changed workflow is reloaded alone', async () => {
    const { host, store } = await open('a', 'b');
    host.workflows = [aWorkflow('a'), aWorkflow('b', { name: 'renamed' })];
    host.changed('workflows', ['b']);
    await settle();
    expect(host.takeAsked()).toEqual(['workflows.get b']);
    expect(store.getState().workflows?.[1]?.name).toBe('renamed');
  });

  test('[UI-1] an unknown workflow or many changes reload the list', async () => {
    const { host, store } = await open('a');
    host.workflows = [aWorkflow('a'), aWorkflow('new')];
    host.changed('workflows', ['new']);
    await settle();
    expect(host.takeAsked()).toEqual(['workflows.list']);
    expect(store.getState().workflows).toHaveLength(2);
    host.changed('workflows', 'many');
    await settle();
    expect(host.takeAsked()).toEqual(['workflows.list']);
  });

  test('[UI-1] the end of an active session reloads only its workflow', async () => {
    const { host, store } = await open();
    host.workflows = [aWorkflow('a', { activeRunId: 'run 1' }), aWorkflow('b')];
    host.changed('workflows', 'many');
    await settle();
    host.takeAsked();
    host.workflows = [aWorkflow('a'), aWorkflow('b')];
    host.changed('script_runs', ['run 1']);
    await settle();
    expect(host.takeAsked()).toEqual(['workflows.get a']);
    expect(store.getState().workflows?.[0]?.activeRunId).toBeNull();
  });

  test('[UI-1] changes in other tables are ignored', async () => {
    const { host } = await open('a');
    host.changed('run_events', ['run 1']);
    host.changed('mutations', 'many');
    await settle();
    expect(host.takeAsked()).toEqual([]);
  });

  test('[UI-1] runs and events reload the list, throttled', async () => {
    const { host } = await open('a');
    for (let i = 0; i < 100; i += 1) {
      host.changed('handler_runs', [`run ${i}`]);
      host.changed('events', [`event ${i}`]);
      await vi.advanceTimersByTimeAsync(10);
    }
    await settle();
    const asked = host.takeAsked();
    expect(new Set(asked)).toEqual(new Set(['workflows.list']));
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  test('[UI-1] a store that shows only names ignores runs', async () => {
    const host = new FakeHost();
    host.workflows = [aWorkflow('a')];
    createWorkflowsStore(host.client, host.feed, 'names').open();
    await settle();
    host.takeAsked();
    host.changed('handler_runs', ['run']);
    await settle();
    expect(host.takeAsked()).toEqual([]);
  });

  test('[UI-1] 100 changes cause one request in flight and one more', async () => {
    const { host } = await open('a');
    host.hold();
    for (let i = 0; i < 50; i += 1) host.changed('workflows', ['a']);
    await settle();
    expect(host.takeAsked()).toEqual(['workflows.get a']);
    for (let i = 0; i < 50; i += 1) host.changed('workflows', ['a']);
    host.release();
    await settle();
    expect(host.takeAsked()).toEqual(['workflows.get a']);
    expect(host.mostInFlight).toBe(1);
  });

  test.each(['hello', 'resync'] as const)('[UI-2] %s reloads the list', async (type) => {
    const { host } = await open('a');
    host.say({ type });
    await settle();
    expect(host.takeAsked()).toEqual(['workflows.list']);
  });

  test('[UI-3] a failure leaves the workflows in place, and the next hello clears it', async () => {
    const { host, store } = await open('a');
    host.failures.set('workflows.list', new ApiError({ type: 'unreachable', message: 'gone' }));
    host.say({ type: 'resync' });
    await settle();
    expect(store.getState()).toMatchObject({
      workflows: [{ id: 'a' }],
      error: { message: 'gone' },
    });
    host.failures.clear();
    host.say({ type: 'hello' });
    await settle();
    expect(store.getState().error).toBeNull();
  });

  test('[UI-1] a closed store makes no requests', async () => {
    const { host, close } = await open('a');
    close();
    host.say({ type: 'hello' });
    host.changed('workflows', ['a']);
    await settle();
    expect(host.takeAsked()).toEqual([]);
  });
});
