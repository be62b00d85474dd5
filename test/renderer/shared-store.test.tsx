// @vitest-environment happy-dom
import { act, cleanup } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeHost } from '#test/renderer/fake-host.ts';
import { giveElementsASize, showApp } from '#test/renderer/show.tsx';

const LINGER_MS = 30_000;

describe('a store shared by pages', () => {
  beforeEach(() => {
    giveElementsASize();
    vi.useFakeTimers();
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  const settle = (ms = 1_000): Promise<unknown> => act(() => vi.advanceTimersByTimeAsync(ms));
  const go = (path: string): void =>
    act(() => {
      history.pushState(null, '', path);
      dispatchEvent(new PopStateEvent('popstate'));
    });
  const asksOf = (host: FakeHost, name: string): number =>
    host.takeAsked().filter((asked) => asked.startsWith(name)).length;

  test('[UI-1] loads once across page changes, and again after it expired', async () => {
    const host = new FakeHost();
    showApp(host, '/runs');
    await settle();
    expect(asksOf(host, 'workflows.list')).toBe(1);
    go('/sessions');
    await settle();
    go('/runs');
    await settle();
    expect(asksOf(host, 'workflows.list')).toBe(0);
    go('/metrics');
    await settle(LINGER_MS + 1_000);
    host.takeAsked();
    go('/runs');
    await settle();
    expect(asksOf(host, 'workflows.list')).toBe(1);
  });

  test('[UI-1] follows the feed while no page shows it', async () => {
    const host = new FakeHost();
    showApp(host, '/runs');
    await settle();
    go('/metrics');
    await settle();
    host.takeAsked();
    host.say({ type: 'resync' });
    await settle();
    expect(asksOf(host, 'workflows.list')).toBe(1);
  });
});
