// Workflow cards, the live graph, versions and ownership, in Chromium against real, paired hosts.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Json } from '#shared/json.ts';
import {
  accessibilityProblems,
  CHROMIUM,
  launchChromium,
  openPage,
  tabTo,
  WHY_NOT,
} from '#test/e2e/browser/browser.ts';
import { expectFits } from '#test/e2e/browser/fine-page.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { writePaymentsWorkflow } from '#test/e2e/browser/payments-workflow.ts';
import { startPracticeProcess, type PracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { inBrowser, seen } from '#test/e2e/flows/app-window.ts';
import { takeOver } from '#test/e2e/flows/devices.ts';
import { eventually } from '#test/support/eventually.ts';

const LONG = { timeout: 180_000 };

const ROUNDS = `import { workflow } from 'holdfast';
const take = (topic) => ({
  subscribes: topic,
  async prepare(ctx) { return { reservations: await ctx.peek(topic) }; },
});
export default workflow({
  name: 'rounds',
  topics: ['written', 'reviewed'],
  producers: {
    write: { schedule: { cron: '30 9 * * 1-5', timezone: 'Europe/Berlin' }, publishes: ['written'],
      run() {} },
  },
  consumers: {
    review: { ...take('written'), publishes: ['reviewed'] },
    decide: { ...take('reviewed'), publishes: ['written'] },
  },
});
`;

const THROWING = "run() { throw new Error('No ink.'); }";

describe.skipIf(CHROMIUM === undefined)(`workflows in a browser${WHY_NOT}`, () => {
  let browser: Browser;
  let folder: string;
  let host: HostProcess;
  let practice: PracticeProcess;
  let path: string;
  let workflowId: string;
  let others: HostProcess[];

  beforeAll(async () => {
    // All hosts in this file inherit these, so nothing leaves the machine.
    vi.stubEnv('HOLDFAST_LINK_HOST', '127.0.0.1').stubEnv('HOLDFAST_LINK_PORT', '0');
    browser = await launchChromium();
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await browser.close();
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-workflows-'));
    others = [];
    [practice, host] = await Promise.all([startPracticeProcess(), startHost(join(folder, 'data'))]);
    path = writePaymentsWorkflow(folder, practice.host);
    ({ workflowId } = await host.call('workflows.add', { path }));
  }, LONG.timeout);
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await Promise.all([host, practice, ...others].map((one) => one.kill()));
    rmSync(folder, { recursive: true, force: true });
  });

  const publish = (topic: string, title: string, payload: Json = {}) =>
    host.call('events.publish', {
      workflowId,
      topic,
      messageId: crypto.randomUUID(),
      title,
      payload,
    });
  const at = (tab = '', on = host) => on.link(`/workflows/${workflowId}${tab}`);
  const shoot = async (page: Page, name: string) => {
    const shots = process.env['HOLDFAST_TEST_SHOTS'];
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`) });
  };
  const addRounds = async (): Promise<string> => {
    const rounds = join(folder, 'rounds.ts');
    writeFileSync(rounds, ROUNDS);
    return (await host.call('workflows.add', { path: rounds })).workflowId;
  };

  test('[WF-1] cards show state, schedule, next run, owner and recent runs', LONG, async () => {
    const rounds = await addRounds();
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link('/workflows'));
    const payments = page.getByRole('article', { name: 'payments' });
    await payments.getByText('Every hour').waitFor();
    await payments.getByText(/in \d+ min\./).waitFor();
    await payments.getByText('Runs on this device').waitFor();
    await publish('invoice', 'invoice 1', { amount: 1 });
    await payments.getByRole('img', { name: /Recent runs: .*committed/ }).waitFor();

    const card = page.getByRole('article', { name: 'rounds' });
    await card.getByText('At 09:30, Monday through Friday (Europe/Berlin)').waitFor();
    // The workflow throws on an invoice without an amount.
    await publish('invoice', 'odd');
    await payments.getByText('Failing').waitFor();
    await payments.getByText('The last run of pay failed.').waitFor();
    await payments.getByRole('img', { name: /Recent runs: .*failed/ }).waitFor();
    await card.getByRole('link', { name: 'rounds', exact: true }).click();
    await page.waitForURL(`**/workflows/${rounds}`);
    await page.getByRole('button', { name: 'Pause…' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('Until there is ink.');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await seen(page, 'Until there is ink.');
    await page.getByRole('link', { name: 'Workflows' }).first().click();
    await card.getByText('Paused').waitFor();
    await card.getByText('Until there is ink.').waitFor();

    // A producer that throws stops its workflow, which differs from a pause.
    const broken = join(folder, 'broken.ts');
    writeFileSync(broken, ROUNDS.replace("'rounds'", "'broken'").replace('run() {}', THROWING));
    await host.call('workflows.add', { path: broken });
    const failing = page.getByRole('article', { name: 'broken' });
    await failing.getByRole('button', { name: 'Run now write' }).click();
    await failing.getByText('Stopped').waitFor();
    await failing.getByText('The last run of write failed.').waitFor();
    await failing.getByText(/"write": it failed: .*No ink\./).waitFor();
    await failing.getByRole('link', { name: 'broken', exact: true }).click();
    await page.locator('header').getByText('Stopped').waitFor();
    await seen(page, /"write": it failed: .*No ink\./);
    await shoot(page, 'workflow-stopped');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Workflows' }).first().click();

    await publish('doubtful', 'invoice 2');
    await payments.getByText('Waiting for you').waitFor();
    await shoot(page, 'workflows');
    expect(complaints).toEqual([]);
  });

  test('[WF-2] the graph updates live, works by keyboard, and publishes events', LONG, async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(at('/graph'));
    const node = (name: string | RegExp) =>
      page
        .getByRole('region', { name: 'Graph of topics and handlers' })
        .getByRole('link', { name });
    await node(/^Topic doubtful empty/).waitFor();
    await publish('doubtful', 'invoice 1');
    await node(/^Consumer confirm 1 suspended/).waitFor();
    await node(/^Topic doubtful 1 reserved/).waitFor();
    await publish('doubtful', 'invoice 2');
    await publish('doubtful', 'invoice 3');
    await node(/^Topic doubtful 2 pending 1 reserved/).waitFor();

    await tabTo(page, /^Topic doubtful/);
    await page.keyboard.press('Enter');
    await page.waitForURL(/topic=doubtful/);
    const events = page.getByRole('list', { name: 'Events' });
    await events.getByText('invoice 3').first().waitFor();
    await expect.poll(() => events.getByRole('listitem').count()).toBe(3);
    await page.getByRole('button', { name: 'Publish event…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish to doubtful' });
    await dialog.getByRole('textbox', { name: 'Title' }).fill('by hand');
    await dialog.getByRole('textbox', { name: 'Payload' }).fill('{ "amount": ');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await dialog.getByText(/Invalid JSON/).waitFor();
    await dialog.getByRole('textbox', { name: 'Payload' }).fill('{ "amount": 5 }');
    await dialog.getByRole('button', { name: 'Publish' }).click();
    await events.getByText('by hand').first().waitFor();
    await node(/^Topic doubtful 3 pending 1 reserved/).waitFor();
    const { events: published } = await host.call('events.list', {
      workflowId,
      topic: 'doubtful',
    });
    expect(published.find(({ title }) => title === 'by hand')?.payload).toEqual({ amount: 5 });

    await node(/^Consumer confirm/).click();
    const runs = page.getByRole('region', { name: 'Consumer confirm' });
    await runs.getByRole('link', { name: 'Confirm invoice 1' }).waitFor();
    await runs.getByText('Suspended', { exact: true }).waitFor();
    await shoot(page, 'graph');
    await page.getByText('View as list').click();
    await seen(page, /3 pending, 1 reserved; only you publish to it; consumed by confirm\./);
    expect(complaints).toEqual([]);
  });

  test('[WF-2] the graph marks cycles', LONG, async () => {
    const rounds = await addRounds();
    const { page } = await openPage(browser);
    await page.goto(host.link(`/workflows/${rounds}/graph`));
    await seen(page, 'Events can loop: written → reviewed → written.');
    const lines = page.locator(
      'section[aria-label="Graph of topics and handlers"] path[stroke-dasharray]',
    );
    await expect.poll(() => lines.count()).toBe(4);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Fit' }).click();
    await expectFits(page);
  });

  test(
    '[WF-3] versions are compared, dry-run and activated, and an old one reopens in the editor',
    LONG,
    async () => {
      const { page, complaints } = await openPage(browser);
      const first = readFileSync(path, 'utf8');
      await page.goto(at('/versions'));
      await seen(page, 'This is the first version. There’s nothing to compare it with.');
      await page.locator('.monaco-editor').waitFor();
      expect(await page.locator('.monaco-diff-editor').count()).toBe(0);
      writeFileSync(path, first.replace("'about to pay'", "'now paying'"));
      const versions = page.getByRole('list', { name: 'Versions' });
      await versions.getByText('Draft').waitFor();
      await versions.getByRole('button', { name: /Draft.*read on this device/ }).waitFor();
      await page.locator('.monaco-diff-editor .line-insert').first().waitFor();
      await page.locator('.monaco-diff-editor .line-delete').first().waitFor();
      await shoot(page, 'versions');

      await page.getByRole('button', { name: 'Dry run', exact: true }).click();
      const dryRun = page.getByRole('region', { name: 'Dry run' });
      await dryRun.getByRole('button', { name: 'Start with' }).click();
      await page.getByRole('option', { name: 'An event in invoice' }).click();
      await dryRun.getByRole('textbox', { name: 'Payload' }).fill('{ "amount": 12 }');
      await dryRun.getByRole('button', { name: 'Start dry run' }).click();
      await dryRun.getByText('now paying try-1').waitFor();
      await dryRun.getByRole('heading', { name: 'Would send' }).waitFor();
      await dryRun.getByText('"amount": 12').first().waitFor();
      expect(await practice.effects()).toEqual([]);

      await page.getByRole('button', { name: 'Activate payments' }).click();
      await versions.getByText('Draft').waitFor({ state: 'detached' });
      await seen(page, /Activated .*, requested on this device/);
      await versions.getByRole('button').last().click();
      await page.getByRole('button', { name: 'Open in editor' }).click();
      await seen(page, 'Your unsaved changes were restored.');
      expect(readFileSync(path, 'utf8')).not.toBe(first);
      await page.getByRole('button', { name: 'Save' }).click();
      await seen(page, 'New version ready to activate');
      expect(readFileSync(path, 'utf8')).toBe(first);

      // Problems in the file are shown, and the active version keeps running.
      appendFileSync(path, 'export default 1;');
      await page.getByRole('link', { name: 'Versions', exact: true }).click();
      await seen(page, /The file has problems\. The active version keeps running\./);
      await seen(page, /payments\.ts:\d+:\d+: /);
      expect(complaints).toEqual([]);
    },
  );

  test(
    '[WF-9] a workflow is handed over, a request waits for its owner, and it is taken over',
    LONG,
    async () => {
      const other = await startHost(join(folder, 'other'));
      others.push(other);
      await other.call('devices.rename', { name: 'Attic' });
      const { link } = await host.call('devices.invite', {});
      await other.call('devices.join', { link });
      const { page, complaints } = await openPage(browser);
      await page.goto(at());
      await seen(page, 'This device runs this workflow.');
      await eventually(async () =>
        expect((await other.call('workflows.list', {})).workflows.length).toBe(1),
      );

      await page.getByRole('button', { name: 'Hand over…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Hand over workflow' });
      await dialog.getByText(/No effect happens twice, and nothing is lost\./).waitFor();
      await dialog.getByRole('radio', { name: /Attic/ }).waitFor();
      expect(await accessibilityProblems(page)).toEqual([]);
      await shoot(page, 'hand-over');
      await dialog.getByText('Attic').click();
      await dialog.getByRole('button', { name: 'Hand over' }).click();
      await seen(page, 'Attic runs this workflow.');
      const there = await openPage(browser);
      await there.page.goto(at('', other));
      await seen(there.page, 'This device runs this workflow.');
      // The file stays on the first device and is read-only here.
      await there.page.getByRole('link', { name: 'Edit' }).click();
      await seen(there.page, /This workflow’s file is on/);

      // A question is open there when the device is lost.
      await other.call('workflows.grant', { workflowId, tool: 'ask', scope: {} });
      await publish('doubtful', 'invoice 9');
      await eventually(async () => {
        const { open } = await host.call('ownership.get', { workflowId });
        expect(open.map(({ fate }) => fate)).toEqual(['waits']);
      });
      await other.kill();
      await page.getByRole('button', { name: 'Pause…' }).click();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
      await seen(page, /waiting for Attic/);
      await shoot(page, 'waiting');

      const lost = { question: 'Confirm invoice 9', epoch: 3 };
      await takeOver(inBrowser(page, host), workflowId, lost, async () => {
        // React Aria announces a pending button with a temporary image.
        const announced = page.locator('[data-live-announcer] [role="img"]');
        await eventually(async () => expect(await announced.count()).toBe(0));
        expect(await accessibilityProblems(page)).toEqual([]);
        await shoot(page, 'take-over');
      });
      // The new owner carries out the pending request.
      await page.getByText(/waiting for Attic/).waitFor({ state: 'detached' });
      await page.getByText('Paused').first().waitFor();
      expect(complaints).toEqual([]);
    },
  );

  test.each(['light', 'dark'] as const)(
    '[WF-1] [WF-2] workflow pages pass axe and fit in %s',
    LONG,
    async (colorScheme) => {
      await publish('doubtful', 'invoice 1');
      writeFileSync(path, readFileSync(path, 'utf8').replace('about to pay', 'now paying'));
      await eventually(async () =>
        expect((await host.call('workflows.get', { workflowId })).draftScriptId).not.toBeNull(),
      );
      const { page, complaints } = await openPage(browser, { colorScheme });
      for (const tab of [
        '',
        '/graph',
        '/graph?topic=doubtful',
        '/graph?handler=collect',
        '/versions',
      ]) {
        await page.goto(at(tab));
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        if (tab === '/versions') await page.locator('.line-insert').first().waitFor();
        expect(await accessibilityProblems(page), tab).toEqual([]);
        await page.setViewportSize({ width: 800, height: 800 });
        await expectFits(page, tab);
        await page.setViewportSize({ width: 1200, height: 800 });
      }
      expect(complaints).toEqual([]);
    },
  );

  test('[WF-1] an unknown workflow shows “not found”', async () => {
    const { page } = await openPage(browser);
    await page.goto(host.link('/workflows/nothing'));
    await seen(page, 'Workflow not found');
  });
});
