// Renders the whole app with a fake host.
import { render, type RenderResult } from '@testing-library/react';
import { App } from '#renderer/app.tsx';
import { createRouter } from '#renderer/navigation/router.ts';
import type { FakeHost } from '#test/renderer/fake-host.ts';

/** happy-dom has no layout, and a virtual list renders rows only if it has a height. */
export function giveElementsASize(): void {
  for (const [name, size] of [
    ['clientHeight', 600],
    ['clientWidth', 900],
  ] as const) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => size });
  }
}

export function showApp(host: FakeHost, path: string): RenderResult {
  history.replaceState(null, '', path);
  const { client, feed } = host;
  return render(<App services={{ client, feed, router: createRouter(window) }} />);
}
