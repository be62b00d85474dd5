// Shows the whole app, or a part of it, to a test, with a fake host behind it.
import { render, type RenderResult } from '@testing-library/react';
import type { ReactNode } from 'react';
import { App } from '#renderer/app.tsx';
import { AppContext, type AppParts } from '#renderer/app-context.tsx';
import { createRouter } from '#renderer/router.ts';
import type { FakeHost } from '#test/renderer/fake-host.ts';

/** happy-dom lays nothing out: a virtual list needs a height to have rows. */
export function giveElementsASize(): void {
  for (const [name, size] of [
    ['clientHeight', 600],
    ['clientWidth', 900],
  ] as const) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => size });
  }
}

export function partsOf(host: FakeHost): AppParts {
  return { client: host.client, live: host.live, router: createRouter(window) };
}

export function showApp(host: FakeHost, path: string): RenderResult {
  history.replaceState(null, '', path);
  return render(<App parts={partsOf(host)} />);
}

export function showPart(host: FakeHost, part: ReactNode): RenderResult {
  return render(<AppContext value={partsOf(host)}>{part}</AppContext>);
}
