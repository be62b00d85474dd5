// The settings in Chromium, against a real host.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM, launchChromium, openPage, WHY_NOT } from '#test/e2e/browser/browser.ts';
import { expectFine } from '#test/e2e/browser/fine-page.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { writeWaiterWorkflow } from '#test/e2e/browser/waiter-workflow.ts';
import { runNode } from '#test/support/child-processes.ts';
import { seedHistory } from '#test/support/seed-history.ts';

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

  test('[ST-2] grants are shown, revoked, granted again and changed', LONG, async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/settings/grants'));
    await seen(page, 'No grants yet');
    await expectFine(page, 'grants-empty');
    const path = join(folder, 'reader.ts');
    writeFileSync(path, READER);
    await host.call('workflows.add', { path });
    const card = page.getByRole('article', { name: 'Reader' });
    await card.getByText('may show notices').waitFor();
    await expectFine(page, 'grants');
    await button(page, 'Revoke http of Reader').click();
    await seen(page, /The next call to this tool is refused/);
    await button(page, 'Revoke').last().click();
    await card.getByText('Requested, not granted').waitFor();
    expect((await host.call('grants.list', {})).workflows[0]?.grants).toHaveLength(1);
    await expectFine(page, 'grants-missing');
    await button(page, 'Grant http to Reader').click();
    await card.getByText('Requested, not granted').waitFor({ state: 'detached' });
    await button(page, 'Change… http of Reader').click();
    const scope = page.getByRole('textbox', { name: 'Scope' });
    await scope.fill('{"hosts":');
    await button(page, 'Grant').last().click();
    await seen(page, 'Invalid JSON. Nothing was changed.');
    await scope.fill('{"hosts":[7]}');
    await button(page, 'Grant').last().click();
    await seen(page, /The grant is invalid/);
    await expectFine(page, 'grant-form');
    await scope.fill('{"hosts":["example.net"]}');
    await button(page, 'Grant').last().click();
    await card.getByText('Differs from the file').waitFor();
    expect((await host.call('grants.list', {})).workflows[0]?.grants[0]?.scope).toEqual({
      hosts: ['example.net'],
    });
    expect(complaints).toEqual([]);
  });

  test(
    '[ST-3] a secret is saved, replaced and removed, and its value isn’t in the page',
    LONG,
    async () => {
      const { page, complaints } = await openPage(browser);
      await page.goto(host.link('/settings/secrets'));
      await seen(page, 'No secrets yet');
      await button(page, 'Add secret').click();
      await page.getByRole('textbox', { name: 'Name' }).fill('1 bad name');
      const value = page.getByLabel('Value');
      expect(await value.getAttribute('type')).toBe('password');
      await value.fill(SECRET);
      await button(page, 'Save').click();
      await seen(page, /letters, digits/);
      await page.getByRole('textbox', { name: 'Name' }).fill('mail-password');
      await button(page, 'Save').click();
      await seen(page, 'Saved “mail-password”.');
      await expectFine(page, 'secrets');
      expect(await page.content()).not.toContain(SECRET);
      await button(page, 'Replace… mail-password').click();
      await page.getByLabel('Value').fill(`${SECRET}-2`);
      await button(page, 'Save').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await button(page, 'Remove… mail-password').click();
      await seen(page, /You can’t undo this/);
      await button(page, 'Remove').last().click();
      await seen(page, 'No secrets yet');
      expect((await host.call('secrets.names', {})).names).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  test(
    '[ST-8] backups are made, listed and pruned, with the command that restores one',
    LONG,
    async () => {
      const { page, complaints } = await openPage(browser);
      await page.goto(host.link('/settings/backups'));
      await seen(page, 'No backups yet');
      await seen(page, join(folder, 'data', 'backups'));
      await expectFine(page, 'backups-empty');
      for (const total of [1, 2, 3, 4]) {
        await button(page, 'Back up now').click();
        await expect
          .poll(() => page.getByRole('list', { name: 'Backups' }).getByRole('listitem').count())
          .toBe(total);
      }
      await seen(page, /^Backup made and verified \(\d/);
      await expectFine(page, 'backups');

      await button(page, /^Restore/)
        .first()
        .click();
      const { backups } = await host.call('backups.list', {});
      const command = `holdfast restore ${backups[0]?.file} --data ${join(folder, 'data')}`;
      await seen(page, command);
      await seen(page, /runs nothing until you resume it/);
      await expectFine(page, 'backup-restore');
      await page.keyboard.press('Escape');

      await page.getByText('Daily backup').click();
      await expect.poll(async () => (await host.call('backups.list', {})).isDaily).toBe(false);
      await button(page, /Backups to keep/).click();
      await page.getByRole('option', { name: '3 backups' }).click();
      await seen(page, 'This removes 1 older backup immediately. You can’t undo it.');
      await page.keyboard.press('Enter');
      expect((await host.call('backups.list', {})).backups).toHaveLength(4);
      await button(page, /Backups to keep/).click();
      await page.getByRole('option', { name: '3 backups' }).click();
      await button(page, 'Remove').click();
      await expect
        .poll(() => page.getByRole('list', { name: 'Backups' }).getByRole('listitem').count())
        .toBe(3);

      // A failed backup shows the reason and no success.
      rmSync(join(folder, 'data', 'backups'), { recursive: true });
      writeFileSync(join(folder, 'data', 'backups'), 'in the way');
      await button(page, 'Back up now').click();
      await seen(page, /Could not back up to .*then try again\./);
      expect(await page.getByText(/^Backup made and verified/).count()).toBe(0);
      await expectFine(page, 'backups-failed');
      expect(complaints).toEqual([]);
    },
  );

  test(
    '[ST-8] a restored device lists waiting workflows and resumes them as chosen',
    LONG,
    async () => {
      const { workflowId } = await host.call('workflows.add', {
        path: writeWaiterWorkflow(folder),
      });
      await host.call('workflows.pause', { workflowId, reason: 'before the backup' });
      const event = { workflowId, topic: 'in', messageId: 'm', title: 'first', payload: null };
      await host.call('events.publish', event);
      const { file } = await host.call('backups.make', { to: join(folder, 'elsewhere') });
      await host.kill();
      const other = join(folder, 'other');
      await runNode('bin/holdfast.mjs', ['restore', file, '--data', other]);
      host = await startHost(other);

      const { page, complaints } = await openPage(browser);
      await page.goto(host.link('/workflows'));
      await seen(page, /1 workflow is waiting to be resumed\./);
      await expectFine(page, 'restored-workflows');
      await page.getByRole('link', { name: 'Review and resume' }).click();
      await seen(page, /^Restored from backup of/);
      await seen(page, '1 pending event');
      await expectFine(page, 'restored');
      await button(page, 'Resume… Waiter').click();
      const dialog = page.getByRole('dialog', { name: 'Resume “Waiter”' });
      expect(await dialog.getByRole('radio', { name: /Skip them/ }).isChecked()).toBe(true);
      await expectFine(page, 'restored-go-on');
      await dialog.getByRole('button', { name: 'Resume' }).click();
      await seen(page, 'Resumed “Waiter” on this device. Skipped 1 event.');
      await seen(page, 'No workflows are waiting to be resumed.');
      const { owner, status } = await host.call('workflows.get', { workflowId });
      expect({ status, isOurs: owner.isThisDevice }).toEqual({ status: 'active', isOurs: true });
      const { events } = await host.call('events.list', { workflowId, topic: 'in' });
      expect(events.map((one) => one.status)).toEqual(['skipped']);
      expect(complaints).toEqual([]);
    },
  );

  test('[ST-9] retention shows a preview, is saved, and archives on request', LONG, async () => {
    await host.kill();
    // One run per minute, for a little over two days.
    seedHistory(join(folder, 'data', 'holdfast.db'), { runs: 3000 });
    host = await startHost(join(folder, 'data'));
    const old = async () => (await host.call('retention.preview', { days: 1 })).runs;

    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/settings/history'));
    await seen(page, 'Nothing is archived.');
    expect(await button(page, 'Archive now…').isDisabled()).toBe(true);
    await expectFine(page, 'history-forever');
    const stays = button(page, /Keep history/);
    await stays.click();
    await page.getByRole('option', { name: '1 year' }).click();
    await seen(page, /^Nothing to archive from before /);
    await stays.click();
    await page.getByRole('option', { name: 'Custom' }).click();
    const days = page.getByRole('textbox', { name: 'Days' }).first();
    await days.fill('soon');
    await seen(page, /^Enter a whole number from 1 to/);
    expect(await button(page, 'Save').first().isDisabled()).toBe(true);
    await expectFine(page, 'history-wrong');
    await days.fill('1');
    await seen(page, /^Archives 1,\d{3} runs that ended before/);
    await button(page, 'Save').first().click();
    await seen(page, 'Saved. Holdfast archives every few hours.');
    await expectFine(page, 'history');
    await button(page, 'Archive now…').click();
    await seen(page, /It stays in the archive files/);
    // Cancel has the focus.
    await page.keyboard.press('Enter');
    expect(await old()).toBeGreaterThan(1000);
    await button(page, 'Archive now…').click();
    await button(page, 'Archive').last().click();
    await seen(page, /^Archived [\d,]+ rows\./);
    await seen(page, /^Nothing to archive from before/);
    expect(await old()).toBe(0);
    expect(readdirSync(join(folder, 'data', 'archive'))).not.toEqual([]);
    expect(complaints).toEqual([]);
  });

  test(
    '[ST-4] replacing the API token leaves this tab connected and rejects another',
    LONG,
    async () => {
      const { page } = await openPage(browser);
      const { page: other } = await openPage(browser);
      await other.goto(host.link('/settings/about'));
      await seen(other, 'cr-sqlite');
      await page.goto(host.link('/settings/access'));
      await expectFine(page, 'access');
      await button(page, 'Replace API token…').click();
      await button(page, 'Replace').last().click();
      await other.getByRole('heading', { name: 'Connect to Holdfast' }).waitFor();
      await page.getByRole('link', { name: 'About' }).click();
      await seen(page, 'cr-sqlite');
      await page.reload();
      await seen(page, 'cr-sqlite');
    },
  );

  test(
    '[ST-1] [ST-5] [ST-6] shows the folder, the versions, and what needs the desktop app',
    LONG,
    async () => {
      const { page, complaints } = await openPage(browser);
      await page.goto(host.link('/settings'));
      await seen(page, join(folder, 'data'));
      await seen(page, /^Size: \d/);
      await seen(page, 'Use the desktop app to open the folder in a file manager.');
      await expectFine(page, 'data');
      await page.getByRole('link', { name: 'Desktop' }).click();
      await seen(page, /Available in the desktop app/);
      await expectFine(page, 'desktop-none');
      await page.getByRole('link', { name: 'About' }).click();
      await seen(page, 'Not used in a browser');
      await expectFine(page, 'about');
      expect(complaints).toEqual([]);
    },
  );
});
