// A window and its host, in Chromium or in Electron, so that one flow runs in both.
import type { Page } from 'playwright-core';
import type { HostProcess } from '#test/e2e/browser/host-process.ts';
import { succeed } from '#test/support/api-calls.ts';
import { callIn } from '#test/support/electron-app.ts';

export interface AppWindow {
  readonly page: Page;
  /** Calls the host like another program; a refused call throws. */
  readonly call: HostProcess['call'];
  /** Loads the window at this path. */
  open(path: string): Promise<void>;
}

export function inBrowser(page: Page, host: HostProcess): AppWindow {
  return {
    page,
    call: host.call,
    open: async (path) => void (await page.goto(host.link(path))),
  };
}

export function inElectron(page: Page): AppWindow {
  return {
    page,
    call: (name, input) => succeed(callIn(page), name, input),
    open: async (path) => void (await page.goto(`app://holdfast${path}`)),
  };
}

export const seen = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor({ state: 'visible' });

/** Collects policy violations, warnings and errors of the page. A flow must end with none. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Warning:/.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
