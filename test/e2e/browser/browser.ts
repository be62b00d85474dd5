// Chromium as the tests start it, and what every page of it is watched for.
import { AxeBuilder } from '@axe-core/playwright';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { complaintsOf } from '#test/e2e/flows/desk.ts';

export const CHROMIUM = process.env['HOLDFAST_TEST_CHROMIUM'];
export const WHY_NOT =
  CHROMIUM === undefined
    ? ` (not run: ${process.env['HOLDFAST_TEST_CHROMIUM_REASON'] ?? 'HOLDFAST_TEST_CHROMIUM is not set'})`
    : '';

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
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
  /** What broke a policy or threw; a test ends with none. */
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

/** Of axe's, those that the choice of a theme can break: in it nothing but colours differs. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];

/** What axe finds, as lines that say where. In dark it looks at colours alone: every page that is
 * shown to it in dark is also shown to it in light. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const axe = new AxeBuilder({ page })
    // React Aria's announcer names, for some seconds, buttons that may be gone by then.
    .exclude('[data-live-announcer]')
    // We have no frames, and without this axe opens a page of its own each time, for theirs.
    .setLegacyMode(true);
  if (await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)) {
    axe.withRules(RULES_OF_COLOUR);
  }
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
  );
}

/** Tabs on until a link or button with this text has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let i = 0; i < 60; i += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.matches('a, button') ? (activeElement.textContent ?? '') : '';
    });
    if (name.test(focused)) return;
  }
  throw new Error(`Tab never came to ${name}.`);
}
