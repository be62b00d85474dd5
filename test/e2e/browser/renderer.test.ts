// The renderer in Chromium, against a real host.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
  tabTo,
  WHY_NOT,
} from '#test/e2e/browser/browser.ts';
import { expectFits } from '#test/e2e/browser/fine-page.ts';
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

  test('adds the first workflow and answers its question', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link());
    await page.getByRole('button', { name: 'Go to workflows' }).click();
    await seen(page, 'No workflows yet');
    const path = join(dataDir, 'hello.ts');
    const example = await page.getByRole('group', { name: 'hello.ts' }).textContent();

    await page.getByRole('button', { name: 'Add workflow' }).click();
    await page.getByRole('textbox', { name: 'File' }).fill(path);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Add workflow' }).click();
    await seen(page, /Could not read/);
    writeFileSync(path, (example ?? '').replace("topics: ['greeting']", "topics: ['farewell']"));
    await dialog.getByRole('button', { name: 'Add workflow' }).click();
    await seen(page, /hello\.ts:\d+:\d+/);
    writeFileSync(path, example ?? '');
    await dialog.getByRole('button', { name: 'Add workflow' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '1 item needs you', exact: true }).click();
    await page.getByRole('heading', { name: 'Everything OK?' }).waitFor();
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Very.');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await seen(page, 'You’re all caught up');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('row').getByText('reply').click();
    await page.getByRole('heading', { name: 'reply' }).waitFor();
    await seen(page, 'Committed');
    await seen(page, 'Hello');
    expect(complaints).toEqual([]);
  });

  test('follows a session live and ends it', async () => {
    const { page, complaints } = await openPage(browser);
    const workflow = await createWorkflow('File <b>invoices</b>');
    const run = await startRun(workflow.id);
    const runId = run.id;
    await page.goto(host.link('/sessions'));
    await page.getByRole('row').getByText('File <b>invoices</b>').click();
    await page.waitForURL(/\/sessions\/[^/]+$/);
    await host.append(run, { eventType: 'step.begun', stepId: 'fetch' });
    await seen(page, 'step.begun');
    await host.append(run, {
      eventType: 'step.done',
      stepId: 'fetch',
      payload: { note: '<img src=x onerror=alert(1)>' },
    });
    await page.getByRole('button', { name: /step\.done/ }).click();
    await seen(page, '"note": "<img src=x onerror=alert(1)>"');

    await page.getByRole('button', { name: 'End session…' }).click();
    await page.getByText('The work is no longer needed.').click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('Enough seen.');
    await page.getByRole('button', { name: 'End session', exact: true }).dblclick();
    await seen(page, 'Enough seen.');
    await seen(page, 'Canceled');
    await expect.poll(() => page.getByRole('button', { name: 'End session…' }).count()).toBe(0);
    expect(await host.call('runs.get', { runId })).toMatchObject({
      status: 'canceled',
      error: 'Enough seen.',
    });
    expect(complaints).toEqual([]);
  });

  test('[UI-4] the token is removed from the URL and survives a reload', async () => {
    const { page } = await openPage(browser);
    await page.goto(host.link('/sessions?status=failed'));
    await seen(page, 'No sessions match');
    expect(page.url()).toBe(`${host.url}/sessions?status=failed`);
    await page.reload();
    await seen(page, 'No sessions match');
    expect(await page.evaluate(() => JSON.stringify(localStorage) + document.cookie)).toBe('{}');
  });

  test('[UI-4] without a valid token the page explains how to connect', async () => {
    const { page } = await openPage(browser);
    await page.goto(host.url);
    await seen(page, 'Connect to Holdfast');
    const field = page.getByRole('textbox', { name: 'Link or API token' });
    await field.fill('wrong-wrong-wrong');
    await page.getByRole('button', { name: 'Connect' }).click();
    await seen(page, /rejected this API token/);
    await field.fill(host.link());
    await page.keyboard.press('Enter');
    await seen(page, 'Welcome to Holdfast');
  });

  test('[UI-3] when the host is killed the page stays, and it updates after a restart', async () => {
    const { page } = await openPage(browser);
    await createWorkflow('Before');
    await page.goto(host.link());
    await seen(page, 'Before');
    await host.kill();
    await seen(page, /Disconnected\. Last updated \d\d:\d\d\. Reconnecting/);
    await seen(page, 'Before');
    host = await startHost(dataDir, host.port);
    await createWorkflow('After');
    await seen(page, 'After');
    await page.getByText(/Last updated/).waitFor({ state: 'detached' });
  });

  test('[UI-8] new sessions don’t move the visible row', async () => {
    const { page } = await openPage(browser);
    const { id } = await createWorkflow('Often');
    for (let i = 0; i < 120; i += 1) await endRun((await startRun(id)).id);
    await page.goto(host.link('/sessions'));
    await seen(page, '64 loaded, more below');
    const rows = page.getByRole('table').getByRole('rowgroup').last();
    await rows.evaluate((element) => element.scrollTo({ top: 1_500 }));
    const row = page.locator('[aria-rowindex="40"] a');
    await row.waitFor();
    const [address, before] = [await row.getAttribute('href'), await row.boundingBox()];
    await startRun(id);
    await page.getByRole('button', { name: '1 new session' }).waitFor();
    const same = page.locator(`a[href="${address}"]`);
    expect(await same.boundingBox()).toEqual(before);
    await page.getByRole('button', { name: '1 new session' }).click();
    await page.locator('[aria-rowindex="2"]').getByText('Booting').waitFor();
    expect(await rows.evaluate((element) => element.scrollTop)).toBe(0);
  });

  test('scrolling reaches all sessions across pages', async () => {
    const { page } = await openPage(browser);
    const { id } = await createWorkflow('Often');
    for (let i = 0; i < 230; i += 1) await endRun((await startRun(id)).id);
    await page.goto(host.link('/sessions'));
    const rows = page.getByRole('table').getByRole('rowgroup').last();
    await rows.waitFor();
    await expect
      .poll(async () => {
        await rows.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
        return page.locator('[aria-rowindex="231"]').count();
      })
      .toBe(1);
    await seen(page, '230 sessions');
  });

  test('the keyboard alone leads from workflows to a session', async () => {
    const { page } = await openPage(browser);
    const { id } = await createWorkflow('By keys');
    await startRun(id);
    await page.goto(host.link());
    await page.getByRole('link', { name: 'By keys', exact: true }).waitFor();
    await tabTo(page, /Add workflow/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tabTo(page, /Sessions By keys/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sessions\?workflow=/);
    await page.getByRole('row').getByText('By keys').waitFor();
    await tabTo(page, /All statuses/);
    await tabTo(page, /^By keys$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/sessions\/[^/]+$/);
    await seen(page, 'Event log');
    await tabTo(page, /^Runs$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs$/);
    await seen(page, 'No runs yet');
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
      paths = [
        '/inbox',
        '/workflows',
        '/runs',
        '/runs/nothing',
        '/sessions',
        `/sessions/${run.id}`,
        '/sessions?status=failed',
      ];
    });

    test.each(['light', 'dark'] as const)(
      'passes axe in %s',
      // Axe takes seconds per page.
      { timeout: 240_000 },
      async (colorScheme) => {
        const { page, complaints } = await openPage(browser, { colorScheme });
        await page.goto(host.url);
        await seen(page, 'Connect to Holdfast');
        expect(await accessibilityProblems(page)).toEqual([]);
        for (const path of paths) {
          await page.goto(host.link(path));
          await page.locator('main h1').waitFor();
          await page.waitForLoadState('networkidle');
          expect(await accessibilityProblems(page), path).toEqual([]);
        }
        await page.goto(host.link('/workflows'));
        await page.getByRole('button', { name: 'Add workflow' }).click();
        await page.getByRole('dialog').waitFor();
        expect(await accessibilityProblems(page), 'dialog').toEqual([]);
        expect(complaints).toEqual([]);
      },
    );

    test.each([480, 800])('fits %i px without scrolling sideways', async (width) => {
      const { page } = await openPage(browser, { viewport: { width, height: 800 } });
      for (const path of paths) {
        await page.goto(host.link(path));
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        await expectFits(page, path);
      }
    });

    test('follows the system’s color scheme', async () => {
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
