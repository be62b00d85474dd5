// The workflow editor in Chromium, against a real host, real files and a service that counts its
// effects.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  accessibilityProblems,
  CHROMIUM,
  launchChromium,
  openPage,
  WHY_NOT,
} from '#test/e2e/browser/browser.ts';
import { expectFits } from '#test/e2e/browser/fine-page.ts';
import { editorShown, openEditor, replaceText, shownText } from '#test/e2e/browser/editor-page.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { startPracticeProcess, type PracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { inBrowser, seen } from '#test/e2e/flows/app-window.ts';
import { fixOrders, ordersFor, writeAndRunOrders } from '#test/e2e/flows/orders.ts';
import { eventually } from '#test/support/eventually.ts';

/** Axe takes seconds per page, and the editor is seven megabytes. */
const LONG = { timeout: 180_000 };

describe.skipIf(CHROMIUM === undefined)(`the editor${WHY_NOT}`, () => {
  let browser: Browser;
  let folder: string;
  let host: HostProcess;
  let practice: PracticeProcess;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-editor-'));
    [practice, host] = await Promise.all([startPracticeProcess(), startHost(join(folder, 'data'))]);
  }, LONG.timeout);
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await Promise.all([host, practice].map((one) => one.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  const sourceFor = (amount: number): string => ordersFor(practice, amount);
  const add = async (): Promise<{ workflowId: string; path: string }> => {
    const path = join(folder, 'orders.ts');
    writeFileSync(path, sourceFor(1));
    const { workflowId } = await host.call('workflows.add', { path });
    return { workflowId, path };
  };

  test('[WF-4] [WF-5] [WF-8] writes, dry-runs, activates and runs a workflow', LONG, async () => {
    const { page, complaints } = await openPage(browser);
    await writeAndRunOrders(inBrowser(page, host), practice, join(folder, 'data'));
    expect(complaints).toEqual([]);
  });

  test(
    '[WF-10] knows the authoring types, shows problems at their line, and formats',
    LONG,
    async () => {
      const { workflowId, path } = await add();
      const { page, complaints } = await openPage(browser);
      await openEditor(page, host.link(`/workflows/${workflowId}/edit`));
      await fixOrders(inBrowser(page, host), practice);
      expect(readFileSync(path, 'utf8')).toBe(sourceFor(1));

      // One press formats badly indented text.
      await replaceText(page, sourceFor(1).replaceAll(/^ +/gm, ''));
      await page.getByRole('button', { name: 'Format' }).click();
      await eventually(async () => expect(await shownText(page)).toMatch(/^ {6}async mutate\(/m));
      expect(complaints).toEqual([]);
    },
  );

  test(
    '[WF-6] [WF-7] when the file changes on disk, the person can keep either text',
    LONG,
    async () => {
      const { workflowId, path } = await add();
      const { page, complaints } = await openPage(browser);
      page.on('dialog', (dialog) => void dialog.accept());
      await openEditor(page, host.link(`/workflows/${workflowId}/edit`));
      const theirs = (word: string): string => `${sourceFor(1)}// ${word}\n`;

      // Without unsaved changes the new text is loaded, with a note.
      writeFileSync(path, theirs('first'));
      await seen(page, 'Another program changed the file. You’re seeing the new text.');
      await page.getByRole('button', { name: 'Close' }).click();

      const mine = `${sourceFor(1)}// mine\n`;
      await replaceText(page, mine);
      await seen(page, 'Unsaved changes');
      writeFileSync(path, theirs('second'));
      const alert = page.getByRole('alert').filter({ hasText: 'Another program changed the file' });
      await alert.waitFor();
      expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
      await alert.getByRole('button', { name: 'Compare' }).click();
      await page.locator('.monaco-diff-editor .line-insert').first().waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      expect(readFileSync(path, 'utf8')).toBe(theirs('second'));

      // After leaving and reloading, the typed text and the choice are still there.
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('link', { name: /Edit/ }).click();
      await alert.waitFor();
      await page.reload();
      await editorShown(page);
      await alert.waitFor();
      await seen(page, 'Your unsaved changes were restored.');
      await alert.getByRole('button', { name: 'Keep mine' }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Unsaved changes').first().waitFor({ state: 'detached' });
      expect(readFileSync(path, 'utf8')).toBe(mine);

      // Now the other text.
      await replaceText(page, `${sourceFor(1)}// mine again\n`);
      writeFileSync(path, theirs('third'));
      await alert.getByRole('button', { name: 'Use the file’s' }).click();
      await page.keyboard.press('Control+End');
      await alert.waitFor({ state: 'detached' });
      expect(readFileSync(path, 'utf8')).toBe(theirs('third'));
      await page.goto(host.link('/workflows'));
      await page.getByRole('article', { name: 'orders' }).waitFor();
      expect(await page.getByText('Unsaved changes').count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );

  test('[WF-4] an error in a dry run links to its line', LONG, async () => {
    const { workflowId } = await add();
    const { page } = await openPage(browser);
    await openEditor(page, host.link(`/workflows/${workflowId}/edit`));
    const broken = sourceFor(1).replace(
      "console.log('placing', event.title);",
      "throw new Error('no rope');",
    );
    await replaceText(page, broken);
    const dryRun = page.getByRole('region', { name: 'Dry run' });
    await dryRun.getByRole('button', { name: 'Start with' }).click();
    await page.getByRole('option', { name: 'An event in order' }).click();
    const payload = dryRun.getByRole('textbox', { name: 'Payload' });
    await payload.fill('{ "amount": ');
    await dryRun.getByRole('button', { name: 'Start dry run' }).click();
    await dryRun.getByText(/Invalid JSON/).waitFor();
    await payload.fill('{ "amount": 5 }');
    await dryRun.getByRole('button', { name: 'Start dry run' }).click();
    await dryRun
      .getByText(/no rope/)
      .first()
      .waitFor();
    const line = broken.split('\n').findIndex((text) => text.includes('no rope')) + 1;
    await dryRun
      .getByRole('button', { name: new RegExp(`^Go to Line ${line}, column`) })
      .first()
      .click();
    await page.locator('.monaco-editor.focused .line-numbers.active-line-number').waitFor();
    const active = page.locator('.line-numbers.active-line-number').first();
    expect(await active.textContent()).toBe(String(line));
    expect(await practice.effects()).toEqual([]);
  });

  test.each(['light', 'dark'] as const)(
    '[WF-8] is accessible and fits in %s',
    LONG,
    async (colorScheme) => {
      const { workflowId } = await add();
      const { page, complaints } = await openPage(browser, { colorScheme });
      for (const path of ['/workflows/new', `/workflows/${workflowId}/edit`]) {
        await openEditor(page, host.link(path));
        await seen(page, 'No problems');
        expect(await accessibilityProblems(page), path).toEqual([]);
      }
      await page.setViewportSize({ width: 800, height: 800 });
      await expectFits(page);
      expect(await accessibilityProblems(page), 'narrow').toEqual([]);
      expect(complaints).toEqual([]);
    },
  );
});
