// Two desktop apps: pairing by link, settling on the other device, and a takeover after one is lost.
// Real TLS on loopback; the flows are shared with the browser tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startPracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { complaintsOf, inElectron, seen } from '#test/e2e/flows/app-window.ts';
import { pairByLink, settleFromOther, takeOver } from '#test/e2e/flows/devices.ts';
import { addPayments, publish } from '#test/e2e/flows/payments.ts';
import { electronTitle, launchApp, noElectron } from '#test/support/electron-app.ts';
import { eventually } from '#test/support/eventually.ts';
import { exitOf } from '#test/support/child-processes.ts';

const ON_LOOPBACK = { HOLDFAST_LINK_HOST: '127.0.0.1', HOLDFAST_LINK_PORT: '0' };

/** Two apps may share two cores. */
const LONG = { timeout: 180_000 };

describe.skipIf(noElectron !== undefined)(electronTitle('two desktop apps'), () => {
  test(
    '[DV-1] [DV-5] [WF-9] pair, settle on the other device, and take over from a lost one',
    LONG,
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-apps-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const practice = await startPracticeProcess();
      onTestFinished(() => practice.kill());
      const launch = async (name: string) => {
        const { app, page } = await launchApp(join(folder, name), { env: ON_LOOPBACK });
        onTestFinished(() => app.close());
        const appWindow = inElectron(page);
        await appWindow.call('devices.rename', { name });
        return { ...appWindow, app, name, complaints: complaintsOf(page) };
      };
      const [laptop, attic] = await Promise.all([launch('Laptop'), launch('Attic')]);
      const owner = await addPayments(laptop, practice, folder);
      const { workflowId } = owner;

      await pairByLink(laptop, attic);
      await settleFromOther(owner, attic);

      // A question is open on the laptop when it is lost.
      await publish(owner, 'doubtful', 'invoice 9', {});
      await eventually(async () => {
        const { open } = await attic.call('ownership.get', { workflowId });
        expect(open.map(({ fate }) => fate)).toEqual(['waits']);
      });
      const lost = exitOf(laptop.app.process());
      laptop.app.process().kill('SIGKILL');
      await lost;
      await attic.open(`/workflows/${workflowId}`);
      await seen(attic.page, 'Laptop runs this workflow.');
      await takeOver(attic, workflowId, { question: 'Confirm invoice 9', epoch: 2 });

      // The question now belongs to the new owner and is answered there.
      await attic.page.getByRole('link', { name: /Inbox/ }).click();
      await attic.page.getByRole('textbox', { name: 'Your answer' }).fill('Pay it.');
      await attic.page.getByRole('button', { name: 'Answer', exact: true }).click();
      await seen(attic.page, 'You’re all caught up');
      expect(await practice.effects()).toHaveLength(1);
      expect([...laptop.complaints, ...attic.complaints]).toEqual([]);
    },
  );
});
