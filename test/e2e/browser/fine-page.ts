// Checks every page must pass: accessible in both themes, and no wider than the window. Saves
// screenshots if HOLDFAST_TEST_SHOTS names a folder.
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityProblems } from '#test/e2e/browser/browser.ts';

const WIDE = { width: 1200, height: 800 };
const NARROW = { width: 800, height: 800 };
const PHONE = { width: 390, height: 800 };

export async function expectFine(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await shoot(page, `${name}-${colorScheme}`);
    expect(await accessibilityProblems(page), `${name}, ${colorScheme}`).toEqual([]);
  }
  for (const [viewport, words] of [
    [NARROW, 'narrow'],
    [PHONE, 'phone'],
  ] as const) {
    await page.setViewportSize(viewport);
    await shoot(page, `${name}-${words}`);
    await expectFits(page, `${name}, ${words}`);
  }
  await page.setViewportSize(WIDE);
}

/** Neither the page nor a scroll container inside it overflows sideways. Polls, because scripted
 * layout follows a resize a moment later. */
export async function expectFits(page: Page, name = page.url()): Promise<void> {
  await expect
    .poll(
      () =>
        page.evaluate(() =>
          [...document.querySelectorAll('main, main *')]
            .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX))
            .concat(document.documentElement)
            .filter((element) => element.scrollWidth > element.clientWidth)
            .map((element) => `${element.tagName} ${element.className}`),
        ),
      { message: name, timeout: 5_000 },
    )
    .toEqual([]);
}

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['HOLDFAST_TEST_SHOTS'];
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
}
