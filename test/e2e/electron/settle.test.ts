// A person settles unknown outcomes in the desktop app. The flows are shared with the browser tests
// (test/e2e/flows); one app runs them all.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startPracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { complaintsOf, inElectron } from '#test/e2e/flows/app-window.ts';
import { addPayments, type Payments } from '#test/e2e/flows/payments.ts';
import { sayItDidNotHappen, sayItHappened, sendItAgain, skipIt } from '#test/e2e/flows/settle.ts';
import {
  electronTitle,
  launchApp,
  noElectron,
  type RunningApp,
} from '#test/support/electron-app.ts';

describe.skipIf(noElectron !== undefined)(electronTitle('settling in the desktop app'), () => {
  let folder: string;
  let running: RunningApp;
  let complaints: readonly string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-settle-'));
    running = await launchApp(join(folder, 'data'));
    complaints = complaintsOf(running.page);
  });
  afterAll(async () => {
    await running.app.close();
    rmSync(folder, { recursive: true, force: true });
    expect(complaints).toEqual([]);
  });

  /** Each flow has its own practice service with its own counts. */
  const open = async (): Promise<Payments> => {
    const practice = await startPracticeProcess();
    onTestFinished(() => practice.kill());
    return addPayments(inElectron(running.page), practice, folder);
  };

  test('[EN-14] [UI-6] "It went through"', async () => sayItHappened(await open()));
  test('[EN-14] "It didn’t", by keyboard alone', async () => sayItDidNotHappen(await open()));
  test('[EN-14] [EN-15] "Send again", after a warning', async () => sendItAgain(await open()));
  test('[EN-14] "Skip"', async () => skipIt(await open()));
});
