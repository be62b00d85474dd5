// Custom time ranges of runs and inputs: by keyboard, in the URL, and with an invalid range.
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, launchChromium, openPage, WHY_NOT } from '#test/e2e/browser/browser.ts';
import { expectFine } from '#test/e2e/browser/fine-page.ts';
import type { HostProcess } from '#test/e2e/browser/host-process.ts';
import { startSeededHost } from '#test/e2e/browser/seeded-host.ts';
import { writeWaiterWorkflow } from '#test/e2e/browser/waiter-workflow.ts';
import { seen } from '#test/e2e/flows/app-window.ts';

const LONG = { timeout: 180_000 };
const MINUTE = 60_000;
/** To the minute, like the URL. */
const HOUR_AGO = Math.floor(Date.now() / MINUTE) * MINUTE - 60 * MINUTE;
const address = (at: number): string => `${new Date(at).toISOString().slice(0, 16)}Z`;
/** The value of a datetime-local field, in this machine's time zone. */
const local = (at: number): string =>
  new Date(at - new Date(at).getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);

describe.skipIf(CHROMIUM === undefined)(`custom time ranges${WHY_NOT}`, () => {
  let browser: Browser;
  let folder: string;
  let host: HostProcess;
  let remove: () => Promise<void>;

  beforeAll(async () => {
    // One run per minute, the last one now.
    const [launched, seeded] = await Promise.all([
      launchChromium(),
      startSeededHost({ runs: 200 }),
    ]);
    browser = launched;
    ({ folder, host, remove } = seeded);
  }, LONG.timeout);
  afterAll(async () => {
    await browser.close();
    await remove();
  });

  test('[DX-13] [DX-9] filter runs by keyboard, then by URL', LONG, async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/runs'));
    const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
    await rows.first().waitFor();
    await page.keyboard.press('t');
    const dialog = page.getByRole('dialog', { name: 'Custom range' });
    await dialog.getByLabel('From').fill(local(HOUR_AGO));
    await dialog.getByLabel('To').fill(local(HOUR_AGO - MINUTE));
    await seen(page, /The end is before the start\./);
    await page.keyboard.press('Enter');
    await dialog.waitFor();
    expect(new URL(page.url()).search).toBe('');
    await expectFine(page, 'range-wrong');
    await dialog.getByLabel('To').fill(local(HOUR_AGO + 5 * MINUTE));
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => rows.count()).toBe(5);
    const search = new URL(page.url()).searchParams;
    expect([search.get('from'), search.get('to')]).toEqual([
      address(HOUR_AGO),
      address(HOUR_AGO + 5 * MINUTE),
    ]);
    const known = await host.call('handlerRuns.list', {
      since: HOUR_AGO,
      until: HOUR_AGO + 5 * MINUTE,
    });
    expect(known.runs).toHaveLength(5);
    await expectFine(page, 'range');

    await page.reload();
    await expect.poll(() => rows.count()).toBe(5);
    await page.getByRole('button', { name: 'Change… time range' }).click();
    expect(await dialog.getByLabel('From').inputValue()).toBe(local(HOUR_AGO));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Time$/ }).click();
    await page.getByRole('option', { name: 'Last 24 hours' }).click();
    await page.waitForURL(/\/runs\?since=24h$/);
    await expect.poll(() => rows.count()).toBeGreaterThan(5);

    await page.goto(host.link(`/runs?from=${address(HOUR_AGO)}&to=${address(HOUR_AGO - MINUTE)}`));
    await page
      .getByRole('alert')
      .getByText(/The end is before the start/)
      .waitFor();
    await seen(page, 'No runs match');
    expect(complaints).toEqual([]);
  });

  test('[DX-13] [IP-1] filter inputs by menu and by URL', LONG, async () => {
    const path = writeWaiterWorkflow(folder);
    const { workflowId } = await host.call('workflows.add', { path });
    const request = { requestId: 'i', workflowId, topic: 'in', title: 'by hand' };
    await host.call('inputs.start', request);
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link(`/inputs?to=${address(HOUR_AGO)}`));
    await seen(page, 'No inputs match');
    await page.getByRole('button', { name: /Time$/ }).click();
    await page.getByRole('option', { name: 'Any time' }).click();
    await seen(page, 'by hand');
    await page.getByRole('button', { name: /Time$/ }).click();
    await page.getByRole('option', { name: 'Custom range…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Custom range' });
    await dialog.getByLabel('From').fill(local(HOUR_AGO));
    await dialog.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/\/inputs\?from=/);
    await seen(page, 'by hand');
    expect(complaints).toEqual([]);
  });
});
