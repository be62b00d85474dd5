// An inbox with more cards than fit: the first render immediately, the rest as the reader moves on.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, launchChromium, openPage, WHY_NOT } from '#test/e2e/browser/browser.ts';
import { expectFine } from '#test/e2e/browser/fine-page.ts';
import type { HostProcess } from '#test/e2e/browser/host-process.ts';
import { startSeededHost } from '#test/e2e/browser/seeded-host.ts';
import { seen } from '#test/e2e/flows/app-window.ts';

const LONG = { timeout: 180_000 };
const UNKNOWN = 60;

describe.skipIf(CHROMIUM === undefined)(`a long inbox${WHY_NOT}`, () => {
  let browser: Browser;
  let host: HostProcess;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    const [launched, seeded] = await Promise.all([
      launchChromium(),
      startSeededHost({ runs: 0, unknown: UNKNOWN }),
    ]);
    browser = launched;
    ({ host, remove } = seeded);
  }, LONG.timeout);
  afterAll(async () => {
    await browser.close();
    await remove();
  });

  test('[DX-7] keys move through all cards to the last one and settle it', LONG, async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/inbox'));
    const cards = page.getByRole('article');
    const { items } = await host.call('inbox.list', {});
    const titles = items.map((item) => (item.type === 'unknown_effect' ? item.title : null));
    expect(titles.length).toBeGreaterThanOrEqual(UNKNOWN - 1);
    await seen(page, `${titles.length} items need you`);
    await cards.first().waitFor();
    expect(await cards.count()).toBeLessThan(UNKNOWN / 2);
    await expectFine(page, 'long-inbox');
    const current = page.locator('article[aria-current="true"] h2');
    for (const title of titles) {
      await page.keyboard.press('j');
      await expect.poll(() => current.textContent()).toBe(title);
    }
    await expect.poll(() => page.locator('main .skeleton').count()).toBe(0);
    await page.keyboard.press('4');
    await seen(page, `${titles.length - 1} items need you`);
    expect(complaints).toEqual([]);
  });
});
