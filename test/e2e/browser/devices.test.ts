// Two devices, each with its own window: pairing, settling on the other device, unpairing. Real hosts,
// real TLS on loopback.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parsePairingLink } from '#shared/sync/pairing/link.ts';
import { CHROMIUM, launchChromium, openPage, WHY_NOT } from '#test/e2e/browser/browser.ts';
import { expectFine } from '#test/e2e/browser/fine-page.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { startPracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { inBrowser, seen } from '#test/e2e/flows/app-window.ts';
import { deviceCard, pairByLink, settleFromOther } from '#test/e2e/flows/devices.ts';
import { addPayments, payRuns } from '#test/e2e/flows/payments.ts';

/** Axe takes seconds per page. */
const LONG = { timeout: 180_000 };

describe.skipIf(CHROMIUM === undefined)(`devices in two windows${WHY_NOT}`, () => {
  let browser: Browser;
  let folder: string;
  let laptop: HostProcess;
  let desk: HostProcess;
  let complaints: readonly string[][];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-devices-'));
    [laptop, desk] = await Promise.all([startLinked('laptop'), startLinked('desk')]);
    await laptop.call('devices.rename', { name: 'Laptop' });
    await desk.call('devices.rename', { name: 'Desk' });
    complaints = [];
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await Promise.all([laptop.kill(), desk.kill()]);
    rmSync(folder, { recursive: true, force: true });
    expect(complaints.flat()).toEqual([]);
  });

  const startLinked = (name: string): Promise<HostProcess> =>
    startHost(join(folder, name), 0, {
      HOLDFAST_LINK_HOST: '127.0.0.1',
      HOLDFAST_LINK_PORT: '0',
    });

  const windowOf = async (host: HostProcess, path: string): Promise<Page> => {
    const opened = await openPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] });
    complaints = [...complaints, opened.complaints as string[]];
    await opened.page.goto(host.link(path));
    return opened.page;
  };

  const expectCopied = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Copy link' }).click();
    await seen(page, 'Copied');
    const link = await page.getByRole('textbox', { name: 'Pairing link' }).inputValue();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  };

  const pairByCalls = async (): Promise<void> => {
    const { link } = await laptop.call('devices.invite', {});
    await desk.call('devices.join', { link });
  };

  test(
    '[DV-1] [DV-5] two windows pair by link, one settles the other’s effect, then they unpair',
    LONG,
    async () => {
      const practice = await startPracticeProcess();
      try {
        const [here, there] = [await windowOf(laptop, '/'), await windowOf(desk, '/')];
        const owner = await addPayments(inBrowser(here, laptop), practice, folder);
        const { workflowId } = owner;
        await pairByLink(
          { ...owner, name: 'Laptop' },
          { ...inBrowser(there, desk), name: 'Desk' },
          async (page, name) => {
            if (name === 'pair-link') await expectCopied(page);
            await expectFine(page, name);
          },
        );
        await expectFine(here, 'devices-paired');
        await settleFromOther(owner, inBrowser(there, desk));
        const [paid] = await payRuns(owner);

        await deviceCard(here, 'Desk').getByRole('button', { name: 'Unpair…' }).click();
        await seen(here, /Shared runs, history and decisions stay on both/);
        await expectFine(here, 'devices-unpair');
        await here.getByRole('button', { name: 'Unpair', exact: true }).click();
        await seen(here, 'Unpaired “Desk”. It has been notified.');
        await there.getByRole('link', { name: 'Devices' }).click();
        await seen(there, 'Unpaired');
        await expectFine(there, 'devices-unpaired');
        const kept = await desk.call('handlerRuns.list', { workflowId });
        expect(kept.runs.map(({ id }) => id)).toContain(paid?.id);
      } finally {
        await practice.kill();
      }
    },
  );

  test('[DV-2] pairing failures are shown with their reason and next step', LONG, async () => {
    const there = await windowOf(desk, '/devices/join');
    const field = there.getByRole('textbox', { name: 'Pairing link' });
    const attempt = async (link: string) => {
      await field.fill(link);
      await there.getByRole('button', { name: 'Pair', exact: true }).click();
    };
    await attempt('holdfast://pair?nonsense');
    await seen(there, "This isn't a pairing link that Holdfast can read.");
    await seen(there, 'Copy the whole link again from the other device.');
    await seen(there, 'Reason: bad-link');
    await expectFine(there, 'pair-failed');
    await attempt((await desk.call('devices.invite', {})).link);
    await seen(there, 'Reason: same-device');
    const used = await laptop.call('devices.invite', {});
    const third = await startLinked('third');
    await third.call('devices.join', { link: used.link });
    await third.kill();
    await attempt(used.link);
    await seen(there, 'Reason: already-used');
    const { link } = await laptop.call('devices.invite', {});
    await laptop.kill();
    await attempt(link);
    await seen(there, 'Reason: unreachable');
    await seen(there, /Make sure it's on/);
    expect((await desk.call('devices.list', {})).devices).toHaveLength(1);
  });

  test('[DV-3] both windows show the same six digits, and both must confirm', LONG, async () => {
    const here = await windowOf(laptop, '/devices/nearby');
    const there = await windowOf(desk, '/devices/nearby');
    const address = addressIn((await laptop.call('devices.invite', {})).link);
    const compare = async () => {
      await there.getByRole('textbox', { name: 'Address of the other device' }).fill(address);
      await there.getByRole('button', { name: 'Compare' }).click();
    };
    await seen(there, /No devices found/);
    await expectFine(there, 'pair-nearby');
    await compare();
    await seen(there, 'Reason: not-waiting');
    await there.getByRole('button', { name: 'Start over' }).click();

    await here.getByRole('button', { name: 'Make this device discoverable' }).click();
    await seen(here, /Discoverable for (10:00|9:\d\d)/);
    await compare();
    const digits = (page: Page) => page.getByRole('img', { name: /^(\d ){5}\d$/ });
    await digits(here).waitFor();
    await digits(there).waitFor();
    expect(await digits(here).textContent()).toBe(await digits(there).textContent());
    await expectFine(here, 'pair-digits');
    await there.getByRole('button', { name: 'They don’t match' }).click();
    await seen(here, 'Reason: no-match');
    await seen(there, 'Reason: no-match');

    await here.getByRole('button', { name: 'Start over' }).click();
    await there.getByRole('button', { name: 'Start over' }).click();
    await here.getByRole('button', { name: 'Make this device discoverable' }).click();
    await seen(here, /Discoverable for/);
    await compare();
    await here.getByRole('button', { name: 'They match' }).click();
    await seen(here, 'Confirmed here. Now confirm on the other device.');
    expect((await laptop.call('devices.list', {})).devices).toHaveLength(1);
    await there.getByRole('button', { name: 'They match' }).click();
    await seen(here, 'Paired with “Desk”');
    await seen(there, 'Paired with “Laptop”');
  });

  test(
    '[DV-4] [DV-6] a device that isn’t connected shows why, the next step, and pending changes',
    LONG,
    async () => {
      await pairByCalls();
      const there = await windowOf(desk, '/devices');
      const card = deviceCard(there, 'Laptop');
      await card.getByText('In sync', { exact: true }).waitFor();
      await expect
        .poll(() => card.textContent())
        .toMatch(/Last in syncNow.*To sendNothing.*To receiveNothing/);
      await laptop.kill();
      await card.getByText('Not connected', { exact: true }).waitFor();
      await seen(there, /Not connected:/);
      await seen(there, /Next step:/);
      await seen(there, 'Unknown until it’s back');
      await desk.call('workflows.create', { requestId: 'w', name: 'Made while it was away' });
      await expect.poll(() => card.textContent()).toMatch(/To send\d+ changes/);
      await expectFine(there, 'devices-away');
      await card.getByRole('button', { name: 'Try another address…' }).click();
      await there.getByRole('textbox', { name: 'Address' }).fill('nowhere');
      await there.getByRole('button', { name: 'Connect' }).click();
      await seen(there, 'Reason: bad-address');
      await there.getByRole('button', { name: 'Cancel' }).click();
      laptop = await startLinked('laptop');
      await card.getByText('In sync', { exact: true }).waitFor();
      await expect.poll(() => card.textContent()).toMatch(/To sendNothing/);
    },
  );

  test('[DV-7] a new device name reaches the other device', async () => {
    await pairByCalls();
    const here = await windowOf(laptop, '/devices');
    const there = await windowOf(desk, '/devices');
    await deviceCard(there, 'Laptop').waitFor();
    await here.getByRole('button', { name: 'Rename' }).click();
    await here.getByRole('textbox', { name: 'Name' }).fill('Kitchen <b>laptop</b> 🪢');
    await here.getByRole('button', { name: 'Save' }).click();
    await here.getByRole('heading', { name: 'Kitchen <b>laptop</b> 🪢' }).waitFor();
    await deviceCard(there, 'Kitchen <b>laptop</b> 🪢').waitFor();
  });
});

function addressIn(text: string): string {
  const link = parsePairingLink(text);
  if (typeof link === 'string') throw new Error(link);
  return link.addresses[0] ?? '';
}
