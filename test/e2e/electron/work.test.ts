// The editor and jobs in the desktop app, under the policy of app://. The flows are shared with the
// browser tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ElectronApplication, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openEditor, replaceText, shownText } from '#test/e2e/browser/editor-page.ts';
import { startPracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { complaintsOf, inElectron, seen } from '#test/e2e/flows/app-window.ts';
import { COLOURED, followJob } from '#test/e2e/flows/job.ts';
import { fixOrders, writeAndRunOrders } from '#test/e2e/flows/orders.ts';
import { electronTitle, launchApp, noElectron } from '#test/support/electron-app.ts';
import { exitOf } from '#test/support/child-processes.ts';
import { writeRegistry } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const NEW_WORKFLOW = 'app://holdfast/workflows/new';

/** The editor is seven megabytes. */
const LONG = { timeout: 180_000 };

describe.skipIf(noElectron !== undefined)(electronTitle('work in the desktop app'), () => {
  test(
    '[WF-4] [WF-5] [WF-8] [WF-10] [RU-14] [RX-11] [RX-8] writes and runs a workflow, and follows a job',
    LONG,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-work-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const dataDir = join(folder, 'data');
      const { repo } = writeRegistry(dataDir, {
        build: { sh: COLOURED, args: { target: { type: 'string' } }, graceSeconds: 1 },
      });
      const practice = await startPracticeProcess();
      onTestFinished(() => practice.kill());
      const { app, page } = await launchApp(dataDir, { env: { RUNNER_ENABLED: 'true' } });
      onTestFinished(() => app.close());
      const complaints = complaintsOf(page);
      const appWindow = inElectron(page);

      await writeAndRunOrders(appWindow, practice, dataDir);
      await page.getByRole('link', { name: /Edit/ }).click();
      await fixOrders(appWindow, practice);

      await appWindow.open('/jobs');
      await seen(page, 'No jobs yet');
      await followJob(appWindow, repo);
      expect(complaints).toEqual([]);
    },
  );

  test(
    '[WF-7] unsaved text survives a restart, and quitting asks if it couldn’t be stored',
    LONG,
    async () => {
      const dataDir = tempFolder();
      const first = await launchApp(dataDir);
      await openEditor(first.page, NEW_WORKFLOW);
      await replaceText(first.page, '// typed and not saved');
      await expect.poll(() => shownText(first.page)).toBe('// typed and not saved');
      await first.app.close();

      const { app, page } = await launchApp(dataDir);
      onTestFinished(() => app.close());
      await openEditor(page, NEW_WORKFLOW);
      await expect.poll(() => shownText(page)).toContain('// typed and not saved');
      await fillStorage(page);
      await replaceText(page, `// ${'typed after that '.repeat(2000)}`);
      await expect.poll(() => shownText(page)).toContain('typed after that');
      await answerBoxes(app, 0);
      await app.evaluate(({ app: electron }) => electron.quit());
      await expect.poll(() => boxesOf(app)).toEqual(['You have unsaved changes.']);
      expect(await shownText(page)).toContain('typed after that');
      await answerBoxes(app, 1);
      const ended = exitOf(app.process());
      await app.evaluate(({ app: electron }) => electron.quit()).catch(() => undefined);
      expect(await ended).toBe(0);
    },
  );
});

/** Fills local storage, so that nothing more can be stored. */
const fillStorage = (page: Page) =>
  page.evaluate(() => {
    for (let size = 1 << 26; size > 0; size >>= 1) {
      try {
        localStorage.setItem(`filled ${size}`, 'x'.repeat(size));
      } catch {
        // A smaller piece may still fit.
      }
    }
  });

interface Boxes {
  boxes: string[];
}

/** Answers message boxes, which would wait for a person. */
const answerBoxes = (app: ElectronApplication, answer: number) =>
  app.evaluate(({ dialog }, choice) => {
    const seenBoxes: Boxes = { boxes: [] };
    Object.assign(globalThis, { seenBoxes });
    dialog.showMessageBoxSync = (...args: unknown[]) => {
      seenBoxes.boxes.push((args.at(-1) as { message: string }).message);
      return choice;
    };
  }, answer);

const boxesOf = (app: ElectronApplication) =>
  app.evaluate(() => (globalThis as unknown as { seenBoxes: Boxes }).seenBoxes.boxes);
