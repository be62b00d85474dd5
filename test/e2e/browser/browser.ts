// Launches Chromium for tests and screenshots, and watches its pages for errors.
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { complaintsOf } from '#test/e2e/flows/app-window.ts';

export const CHROMIUM = process.env['HOLDFAST_TEST_CHROMIUM'];
export const WHY_NOT =
  CHROMIUM === undefined
    ? ` (not run: ${process.env['HOLDFAST_TEST_CHROMIUM_REASON'] ?? 'HOLDFAST_TEST_CHROMIUM is not set'})`
    : '';

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
    // Playwright hides scrollbars by default; people see them, so tests and screenshots do too.
    ignoreDefaultArgs: ['--hide-scrollbars'],
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface WatchedPage {
  readonly page: Page;
  /** Policy violations and errors. A test must end with none. */
  readonly complaints: readonly string[];
}

export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options });
  const page = await context.newPage();
  return { page, complaints: complaintsOf(page) };
}

/** The axe rules that a theme can break, because themes differ only in colors. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** Axe violations, one line each. In the dark theme only color rules run, because every page is also
 * checked in light. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const axe = new AxeBuilder({ page })
    // React Aria's announcer refers to buttons that may already be gone.
    .exclude('[data-live-announcer]')
    // Legacy mode: the app has no frames, and otherwise axe opens an extra page on every run.
    .setLegacyMode(true);
  if (await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)) {
    axe.withRules(RULES_OF_COLOUR);
  }
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Presses Tab until a link or button with this text has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.matches('a, button') ? (activeElement.textContent ?? '') : '';
    });
    if (name.test(focused)) return;
  }
  throw new Error(`Tab didn’t reach ${name}.`);
}
