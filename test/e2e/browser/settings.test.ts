// The settings in Chromium, against a real host.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM, launchChromium, openPage, WHY_NOT } from '#test/e2e/browser/browser.ts';
import { expectFine } from '#test/e2e/browser/fine-page.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';

const LONG = { timeout: 180_000 };
const SECRET = 'correct-horse-battery-staple';

const READER = `
import { workflow } from 'holdfast';
export default workflow({
  name: 'Reader', uses: { http: { hosts: ['example.org'] }, notify: {} }, topics: ['in'],
  producers: { tick: { schedule: { cron: '0 0 1 1 *' }, publishes: ['in'], run() {} } },
  consumers: {},
});`;

describe.skipIf(CHROMIUM === undefined)(`the settings${WHY_NOT}`, () => {
  let browser: Browser;
  let folder: string;
  let host: HostProcess;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-settings-'));
    host = await startHost(join(folder, 'data'));
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await host.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const seen = (page: Page, text: string | RegExp) =>
    page.getByText(text).first().waitFor({ state: 'visible' });
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

  test('[ST-2] grants are seen, revoked, granted again and changed', LONG, async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/settings/grants'));
    await seen(page, 'Nothing is granted');
    await expectFine(page, 'grants-empty');
    const path = join(folder, 'reader.ts');
    writeFileSync(path, READER);
    await host.call('workflows.add', { path });
    const card = page.getByRole('article', { name: 'Reader' });
    await card.getByText('may show notices').waitFor();
    await expectFine(page, 'grants');
    await button(page, 'Revoke http of Reader').click();
    await seen(page, /Its next call of this tool is refused/);
    await button(page, 'Revoke').last().click();
    await card.getByText('Asked for, not granted').waitFor();
    expect((await host.call('grants.list', {})).workflows[0]?.grants).toHaveLength(1);
    await expectFine(page, 'grants-missing');
    await button(page, 'Grant http to Reader').click();
    await card.getByText('Asked for, not granted').waitFor({ state: 'detached' });
    await button(page, 'Change… http of Reader').click();
    const scope = page.getByRole('textbox', { name: 'What it may do with it' });
    await scope.fill('{"hosts":');
    await button(page, 'Grant').last().click();
    await seen(page, 'This is not JSON. Mend it; nothing was granted.');
    await scope.fill('{"hosts":[7]}');
    await button(page, 'Grant').last().click();
    await seen(page, /This was not granted/);
    await expectFine(page, 'grant-form');
    await scope.fill('{"hosts":["example.net"]}');
    await button(page, 'Grant').last().click();
    await card.getByText('Not as its file asks').waitFor();
    expect((await host.call('grants.list', {})).workflows[0]?.grants[0]?.scope).toEqual({
      hosts: ['example.net'],
    });
    expect(complaints).toEqual([]);
  });

  test('[ST-3] a secret is kept, replaced and removed, and never shown', LONG, async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/settings/secrets'));
    await seen(page, 'No secrets yet');
    await button(page, 'Add a secret').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('1 bad name');
    const value = page.getByLabel('Value');
    expect(await value.getAttribute('type')).toBe('password');
    await value.fill(SECRET);
    await button(page, 'Keep').click();
    await seen(page, /letters, digits/);
    await page.getByRole('textbox', { name: 'Name' }).fill('mail-password');
    await button(page, 'Keep').click();
    await seen(page, '“mail-password” is kept.');
    await expectFine(page, 'secrets');
    expect(await page.content()).not.toContain(SECRET);
    await button(page, 'Replace… mail-password').click();
    await page.getByLabel('Value').fill(`${SECRET}-2`);
    await button(page, 'Keep').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await button(page, 'Remove… mail-password').click();
    await seen(page, /It cannot be brought back/);
    await button(page, 'Remove').last().click();
    await seen(page, 'No secrets yet');
    expect((await host.call('secrets.names', {})).names).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test(
    '[ST-4] the key is replaced: this tab goes on, another one is turned away',
    LONG,
    async () => {
      const { page } = await openPage(browser);
      const { page: other } = await openPage(browser);
      await other.goto(host.link('/settings/about'));
      await seen(other, 'cr-sqlite');
      await page.goto(host.link('/settings/access'));
      await expectFine(page, 'access');
      await button(page, 'Replace the key…').click();
      await button(page, 'Replace').last().click();
      await other.getByRole('heading', { name: 'Open Holdfast with its link' }).waitFor();
      await page.getByRole('link', { name: 'About' }).click();
      await seen(page, 'cr-sqlite');
      await page.reload();
      await seen(page, 'cr-sqlite');
    },
  );

  test(
    '[ST-1] [ST-5] [ST-6] folder, versions, and what only the desktop app has',
    LONG,
    async () => {
      const { page, complaints } = await openPage(browser);
      await page.goto(host.link('/settings'));
      await seen(page, join(folder, 'data'));
      await seen(page, /^Size: \d/);
      await seen(page, 'To open it in a file manager, use the desktop app.');
      await expectFine(page, 'data');
      await page.getByRole('link', { name: 'Desktop' }).click();
      await seen(page, /Only in the desktop app/);
      await expectFine(page, 'desktop-none');
      await page.getByRole('link', { name: 'About' }).click();
      await seen(page, 'Not here: a browser shows it');
      await expectFine(page, 'about');
      expect(complaints).toEqual([]);
    },
  );
});
