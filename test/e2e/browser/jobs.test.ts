// Jobs in Chromium, against a real host that runs real scripts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  accessibilityProblems,
  CHROMIUM,
  launchChromium,
  openPage,
  WHY_NOT,
} from '#test/e2e/browser/browser.ts';
import { expectFine, expectFits } from '#test/e2e/browser/fine-page.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { inBrowser, seen } from '#test/e2e/flows/app-window.ts';
import { COLOURED, followJob, startJob } from '#test/e2e/flows/job.ts';
import { writeRegistry } from '#test/support/runner-files.ts';

/** Axe takes seconds per page. */
const LONG = { timeout: 180_000 };

describe.skipIf(CHROMIUM === undefined)(`jobs in a browser${WHY_NOT}`, () => {
  let browser: Browser;
  let dataDir: string;
  let repo: string;
  let host: HostProcess;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'holdfast-e2e-'));
    ({ repo } = writeRegistry(dataDir, {
      build: { sh: COLOURED, args: { target: { type: 'string' } }, graceSeconds: 1 },
      quick: { sh: 'echo done' },
      deploy: {
        title: 'Deploy the site',
        description: 'Copies the built site to where it is served from.',
        sh: 'echo "deploying $*"; [ "$2" = production ] && exit 3; exit 0',
        args: {
          target: {
            type: 'string',
            required: true,
            flag: '--to',
            choices: ['staging', 'production'],
          },
          copies: { type: 'integer', min: 1, max: 9, flag: '--copies', default: 2 },
          note: {
            type: 'string',
            description: 'Stands in the log.',
            maxLength: 20,
            flag: '--note',
            style: 'joined',
          },
          force: { type: 'boolean', flag: '--force', description: 'Also over a newer one.' },
        },
      },
    }));
    process.env['RUNNER_ENABLED'] = 'true';
    host = await startHost(dataDir);
    delete process.env['RUNNER_ENABLED'];
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await host.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const shoot = async (page: Page, name: string) => {
    const folder = process.env['HOLDFAST_TEST_SHOTS'];
    if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`) });
  };

  test('[RU-14] [RX-11] [RX-8] a job’s coloured log is followed live, and the job is canceled', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/jobs'));
    await seen(page, 'No jobs yet');
    const appWindow = inBrowser(page, host);
    const quick = await startJob(appWindow, 'quick');
    await page.getByRole('row').getByText('Succeeded').waitFor();
    await followJob(appWindow, repo, async (what) => {
      await shoot(page, what);
      // Only the list: a script's log may use any colours.
      if (what === 'jobs') expect(await accessibilityProblems(page)).toEqual([]);
    });
    expect((await host.call('jobs.get', { jobId: quick.id })).status).toBe('succeeded');
    await page.setViewportSize({ width: 390, height: 800 });
    await shoot(page, 'job-narrow');
    await expectFits(page);
    expect(complaints).toEqual([]);
  });

  test('[RU-4] [RU-14] the registry is edited in the window, and an invalid one isn’t saved', async () => {
    const { page, complaints } = await openPage(browser, { colorScheme: 'dark' });
    await page.goto(host.link('/jobs'));
    await page.getByRole('link', { name: 'Allowed scripts' }).first().click();
    await page.getByRole('link', { name: 'Edit registry' }).first().click();
    const field = page.getByRole('textbox', { name: 'Registry' });
    await field.waitFor();
    await field.fill('{"repos":{},"scripts":{"x":{}}}');
    await page.getByRole('button', { name: 'Save' }).click();
    await seen(page, /scripts\.x\.title/);
    await shoot(page, 'scripts');
    expect(await accessibilityProblems(page)).toEqual([]);
    await field.fill('{"repos":{},"scripts":{}}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/scripts\.x\.title/).waitFor({ state: 'detached' });
    expect((await host.call('runner.overview', {})).scripts).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('[RU-15] [RU-16] a script is run from its form, followed, and run again', LONG, async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/scripts'));
    await seen(page, 'Copies the built site to where it is served from.');
    await expectFine(page, 'scripts-list');
    await page.getByRole('link', { name: 'Run… Deploy the site' }).click();
    await page.waitForURL('**/scripts/deploy');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await seen(page, 'This is required.');
    await page.getByRole('textbox', { name: 'copies' }).fill('12');
    await seen(page, 'This must be at most 9.');
    await page.getByRole('textbox', { name: 'note' }).fill('x'.repeat(21));
    await seen(page, 'This is longer than 20 characters.');
    await expectFine(page, 'script-form');
    expect((await host.call('jobs.list', {})).jobs).toEqual([]);
    await page.getByRole('button', { name: /target/ }).click();
    await page.getByRole('option', { name: 'production' }).click();
    await page.getByRole('textbox', { name: 'copies' }).fill('3');
    await page.getByRole('textbox', { name: 'note' }).fill('- <b>bold</b>');
    await page.getByText('force', { exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/\/jobs\/.+/);
    await seen(page, 'deploying --to production --copies 3 --note=- <b>bold</b> --force');
    await page.getByText('Failed', { exact: true }).waitFor();
    await expectFine(page, 'job-failed');
    const first = page.url();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL((url) => /\/jobs\/.+/.test(url.pathname) && url.href !== first);
    await seen(page, 'deploying --to production --copies 3 --note=- <b>bold</b> --force');
    await page.getByRole('link', { name: 'Edit and run…' }).click();
    await expect
      .poll(() => page.getByRole('textbox', { name: 'note' }).inputValue())
      .toBe('- <b>bold</b>');
    await page.getByRole('button', { name: /target/ }).click();
    await page.getByRole('option', { name: 'staging' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/\/jobs\/.+/);
    await page.getByText('Succeeded', { exact: true }).waitFor();
    const { jobs } = await host.call('jobs.list', {});
    expect(jobs.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'failed']);
    expect(jobs[1]?.args).toEqual(jobs[2]?.args);
    await page.goto(host.link('/scripts/no-such-script'));
    await seen(page, 'Script not found');
    expect(complaints).toEqual([]);
  });
});
