// The renderer in Chromium, against a real host.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RunView } from '#shared/api/contract.ts';
import { startRequest } from '#shared/start-request.ts';
import {
  accessibilityProblems,
  CHROMIUM,
  launchChromium,
  openPage,
  WHY_NOT,
} from '#test/e2e/browser/browser.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';

describe.skipIf(CHROMIUM === undefined)(`the renderer in a browser${WHY_NOT}`, () => {
  let browser: Browser;
  let dataDir: string;
  let host: HostProcess;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'holdfast-e2e-'));
    host = await startHost(dataDir);
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await host.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const createWorkflow = (name: string) =>
    host.call('workflows.create', { requestId: crypto.randomUUID(), name });
  const startRun = async (workflowId: string): Promise<RunView> => {
    const startRequestId = startRequest.manual(crypto.randomUUID());
    return (await host.call('runs.start', { workflowId, startRequestId })).run;
  };
  const endRun = (runId: string) =>
    host.call('runs.finish', {
      runId,
      status: 'completed',
      terminalEventId: crypto.randomUUID(),
    });
  const seen = (page: Page, text: string | RegExp) =>
    page.getByText(text).first().waitFor({ state: 'visible' });

  test('from nothing to an ended run', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link());
    await seen(page, 'No workflows yet');

    await page.getByRole('button', { name: 'New workflow' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('File <b>invoices</b>');
    await page.getByRole('textbox', { name: 'Script' }).fill('export default {}');
    await page.getByRole('button', { name: 'Create workflow' }).click();
    await page.getByRole('button', { name: 'Start run of File <b>invoices</b>' }).click();

    await page.waitForURL(/\/runs\/[^/]+$/);
    const runId = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    const run = await host.call('runs.get', { runId });
    await host.append(run, { eventType: 'step.begun', stepId: 'fetch' });
    await seen(page, 'step.begun');
    await host.append(run, {
      eventType: 'step.done',
      stepId: 'fetch',
      payload: { note: '<img src=x onerror=alert(1)>' },
    });
    await page.getByRole('button', { name: /step\.done/ }).click();
    await seen(page, '"note": "<img src=x onerror=alert(1)>"');

    await page.getByRole('button', { name: 'End run…' }).click();
    await page.getByText('It is no longer wanted.').click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('Enough seen.');
    await page.getByRole('button', { name: 'End run', exact: true }).dblclick();
    await seen(page, 'Enough seen.');
    await seen(page, 'Canceled');
    expect(await page.getByRole('button', { name: 'End run…' }).count()).toBe(0);
    expect(await host.call('runs.get', { runId })).toMatchObject({
      status: 'canceled',
      error: 'Enough seen.',
    });
    expect(complaints).toEqual([]);
  });

  test('[UI-4] the token leaves the address, and survives a reload of the tab', async () => {
    const { page } = await openPage(browser);
    await page.goto(host.link('/runs?status=failed'));
    await seen(page, 'No run matches');
    expect(page.url()).toBe(`${host.url}/runs?status=failed`);
    await page.reload();
    await seen(page, 'No run matches');
    expect(await page.evaluate(() => JSON.stringify(localStorage) + document.cookie)).toBe('{}');
  });

  test('[UI-4] without a token, or with a wrong one, the page says how to get the link', async () => {
    const { page } = await openPage(browser);
    await page.goto(host.url);
    await seen(page, 'Open Holdfast with its link');
    const field = page.getByRole('textbox', { name: 'Link or key' });
    await field.fill('wrong-wrong-wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await seen(page, /did not accept this key/);
    await field.fill(host.link());
    await page.keyboard.press('Enter');
    await seen(page, 'No workflows yet');
  });

  test('[UI-3] host killed: what is shown stays, and all is well when it is back', async () => {
    const { page } = await openPage(browser);
    await createWorkflow('Before');
    await page.goto(host.link());
    await seen(page, 'Before');
    await host.kill();
    await seen(page, /Host gone: shown as of \d\d:\d\d, trying again/);
    await seen(page, 'Before');
    host = await startHost(dataDir, host.port);
    await createWorkflow('After');
    await seen(page, 'After');
    await page.getByText(/Host gone: shown/).waitFor({ state: 'detached' });
  });

  test('[UI-8] new runs do not move the row that is looked at', async () => {
    const { page } = await openPage(browser);
    const { id } = await createWorkflow('Often');
    for (let i = 0; i < 120; i += 1) await endRun((await startRun(id)).id);
    await page.goto(host.link('/runs'));
    await seen(page, '100 loaded, more below');
    const rows = page.getByRole('table').getByRole('rowgroup').last();
    await rows.evaluate((element) => element.scrollTo({ top: 1_500 }));
    const row = page.locator('[aria-rowindex="40"] a');
    await row.waitFor();
    const [address, before] = [await row.getAttribute('href'), await row.boundingBox()];
    await startRun(id);
    await page.getByRole('button', { name: '1 new run' }).waitFor();
    const same = page.locator(`a[href="${address}"]`);
    expect(await same.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: '1 new run' }).click();
    await page.locator('[aria-rowindex="2"]').getByText('Booting').waitFor();
    expect(await rows.evaluate((element) => element.scrollTop)).toBe(0);
  });

  test('all runs of several pages are reached by scrolling', async () => {
    const { page } = await openPage(browser);
    const { id } = await createWorkflow('Often');
    for (let i = 0; i < 230; i += 1) await endRun((await startRun(id)).id);
    await page.goto(host.link('/runs'));
    const rows = page.getByRole('table').getByRole('rowgroup').last();
    await rows.waitFor();
    await expect
      .poll(async () => {
        await rows.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
        return page.locator('[aria-rowindex="231"]').count();
      })
      .toBe(1);
    await seen(page, '230 runs');
  });

  test('with the keyboard alone: create, start, and read', async () => {
    const { page } = await openPage(browser);
    await page.goto(host.link());
    await seen(page, 'No workflows yet');
    const tabTo = async (name: RegExp): Promise<void> => {
      for (let i = 0; i < 30; i += 1) {
        await page.keyboard.press('Tab');
        const focused = await page.evaluate(() => {
          const { activeElement } = document;
          return activeElement?.matches('a, button') ? activeElement.textContent : '';
        });
        if (name.test(focused)) return;
      }
      throw new Error(`Tab never came to ${name}.`);
    };
    await tabTo(/New workflow/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('By keys');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tabTo(/Start run of By keys/);
    await page.keyboard.press('Space');
    await page.waitForURL(/\/runs\/[^/]+$/);
    await seen(page, 'Event log');
    await tabTo(/^Runs/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs$/);
    await page.getByRole('row').getByText('By keys').waitFor();
    await tabTo(/By keys/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\/[^/]+$/);
  });

  describe('every page', () => {
    let paths: readonly string[];

    beforeEach(async () => {
      const { id } = await createWorkflow(
        'A workflow whose name is so long that it needs two lines',
      );
      await createWorkflow('x'.repeat(200));
      await endRun((await startRun(id)).id);
      const run = await startRun(id);
      for (let i = 0; i < 30; i += 1) {
        await host.append(run, {
          eventType: `step.${i}`,
          stepId: 's'.repeat(150),
          payload: { i: '1' },
        });
      }
      paths = ['/workflows', '/runs', `/runs/${run.id}`, '/runs/nothing', '/runs?status=failed'];
    });

    test.each(['light', 'dark'] as const)(
      'has nothing that axe objects to, %s',
      async (colorScheme) => {
        const { page, complaints } = await openPage(browser, { colorScheme });
        await page.goto(host.url);
        await seen(page, 'Open Holdfast with its link');
        expect(await accessibilityProblems(page)).toEqual([]);
        for (const path of paths) {
          await page.goto(host.link(path));
          await page.locator('main h1').waitFor();
          await page.waitForLoadState('networkidle');
          expect(await accessibilityProblems(page), path).toEqual([]);
        }
        await page.goto(host.link('/workflows'));
        await page.getByRole('button', { name: 'New workflow' }).click();
        await page.getByRole('dialog').waitFor();
        expect(await accessibilityProblems(page), 'dialog').toEqual([]);
        expect(complaints).toEqual([]);
      },
    );

    test.each([480, 800])('fits into %i px without scrolling sideways', async (width) => {
      const { page } = await openPage(browser, { viewport: { width, height: 800 } });
      for (const path of paths) {
        await page.goto(host.link(path));
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        const tooWide = await page.evaluate(() =>
          [document.documentElement, ...document.querySelectorAll('main, main *')]
            .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX))
            .concat(document.documentElement)
            .some((element) => element.scrollWidth > element.clientWidth),
        );
        expect(tooWide, path).toBe(false);
      }
    });

    test('is dark where the system is dark', async () => {
      const brightness = async (colorScheme: 'light' | 'dark'): Promise<number> => {
        const { page } = await openPage(browser, { colorScheme });
        await page.goto(host.link());
        await page.locator('main h1').waitFor();
        return page.evaluate(() => {
          const pixel = new OffscreenCanvas(1, 1).getContext('2d');
          if (!pixel) throw new Error('No canvas.');
          pixel.fillStyle = getComputedStyle(document.body).backgroundColor;
          pixel.fillRect(0, 0, 1, 1);
          return Math.max(...pixel.getImageData(0, 0, 1, 1).data.slice(0, 3));
        });
      };
      expect(await brightness('light')).toBeGreaterThan(230);
      expect(await brightness('dark')).toBeLessThan(50);
    });
  });
});
