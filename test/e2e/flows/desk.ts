// A window and the host behind it, whichever kind they are: a flow is written once and walked in
// Chromium and in Electron.
import type { Page } from 'playwright-core';
import type { HostProcess } from '#test/e2e/browser/host-process.ts';
import { succeed } from '#test/support/api-calls.ts';
import { callIn } from '#test/support/electron-app.ts';

export interface Desk {
  readonly page: Page;
  /** As another program would; what is refused throws. */
  readonly call: HostProcess['call'];
  /** Loads the window anew, at this place. */
  open(path: string): Promise<void>;
}

export function inBrowser(page: Page, host: HostProcess): Desk {
  return {
    page,
    call: host.call,
    open: async (path) => void (await page.goto(host.link(path))),
  };
}

export function inElectron(page: Page): Desk {
  return {
    page,
    call: (name, input) => succeed(callIn(page), name, input),
    open: async (path) => void (await page.goto(`app://holdfast${path}`)),
  };
}

export const seen = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor({ state: 'visible' });

/** What breaks the policy of the page, warns or throws from now on; a flow ends with none. */
export function complaintsOf(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (/Content Security Policy|Warning:/.test(message.text())) complaints.push(message.text());
  });
  return complaints;
}
