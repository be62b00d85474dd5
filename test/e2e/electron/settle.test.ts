// What nobody can know is settled by a person in the desktop app, against a real outside that counts
// what it did. The flows are those of the browser (test/e2e/flows); one app for all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startPracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { complaintsOf, inElectron } from '#test/e2e/flows/desk.ts';
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

  /** Each flow has a service of its own, which counts for it alone. */
  const open = async (): Promise<Payments> => {
    const practice = await startPracticeProcess();
    onTestFinished(() => practice.kill());
    return addPayments(inElectron(running.page), practice, folder);
  };

  test('[EN-14] [UI-6] "It happened"', async () => sayItHappened(await open()));
  test('[EN-14] "It did not happen", with the keyboard alone', async () =>
    sayItDidNotHappen(await open()));
  test('[EN-14] [EN-15] "Send again", after a word', async () => sendItAgain(await open()));
  test('[EN-14] "Skip"', async () => skipIt(await open()));
});
