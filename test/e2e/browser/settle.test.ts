// A person settles unknown outcomes, in Chromium, against a real host and a service that counts its
// effects.
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inboxItemSchema } from '#shared/api/inbox.ts';
import type { Json } from '#shared/json.ts';
import {
  accessibilityProblems,
  CHROMIUM,
  launchChromium,
  openPage,
  tabTo,
  WHY_NOT,
  type WatchedPage,
} from '#test/e2e/browser/browser.ts';
import { expectFits } from '#test/e2e/browser/fine-page.ts';
import { openStore } from '#test/support/open-store.ts';
import { inBrowser, seen } from '#test/e2e/flows/app-window.ts';
import { loseAnAnswer, openInbox, publish, type Payments } from '#test/e2e/flows/payments.ts';
import { sayItDidNotHappen, sayItHappened, sendItAgain, skipIt } from '#test/e2e/flows/settle.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { writePaymentsWorkflow } from '#test/e2e/browser/payments-workflow.ts';
import { startPracticeProcess, type PracticeProcess } from '#test/e2e/browser/practice-process.ts';

/** Axe takes seconds per page, and an event is set aside only after its third attempt. */
const LONG = { timeout: 180_000 };

describe.skipIf(CHROMIUM === undefined)(`settling unknown outcomes${WHY_NOT}`, () => {
  let browser: Browser;
  let folder: string;
  let host: HostProcess;
  let practice: PracticeProcess;
  let path: string;
  let workflowId: string;

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-settle-'));
    [practice, host] = await Promise.all([startPracticeProcess(), startHost(join(folder, 'data'))]);
    path = writePaymentsWorkflow(folder, practice.host);
    ({ workflowId } = await host.call('workflows.add', { path }));
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await Promise.all([host.kill(), practice.kill()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const openPayments = async (): Promise<Payments & WatchedPage> => {
    const opened = await openPage(browser);
    const appWindow = inBrowser(opened.page, host);
    return { ...opened, ...appWindow, practice, workflowId, path, invoice: 'invoice 7' };
  };
  const publishHere = (topic: string, title: string, payload: Json) =>
    publish({ call: host.call, workflowId }, topic, title, payload);
  const nothingWaits = (page: Page) => seen(page, 'You’re all caught up');

  test('[EN-14] [UI-7] a lost reply leads to one card with the call, its parameters, the error and how to check', async () => {
    const payments = await openPayments();
    const { page, complaints } = payments;
    await loseAnAnswer(payments);
    const card = await openInbox(payments);
    await card.getByText('Outcome unknown').waitFor();
    const [effect] = await practice.effects();
    for (const said of [
      'http.post',
      `POST ${practice.url}/effects/payment`,
      '"amount": 700',
      /closed the connection/,
      'Not available',
      /whether "POST \/effects\/payment" was carried out/,
      effect?.key ?? 'a key',
    ]) {
      await card.getByText(said).first().waitFor();
    }
    await page.getByRole('link', { name: /Inbox\s*1 item needs you/ }).waitFor();
    await page.goto(host.link('/workflows'));
    await seen(page, 'Waiting for you');
    await page.getByRole('link', { name: '1 item needs you', exact: true }).click();
    await card.getByRole('link', { name: 'View run' }).click();
    await seen(page, 'The outcome of the effect isn’t known yet.');
    await seen(page, 'It may or may not have gone through. Holdfast never guesses.');
    await page.getByRole('link', { name: 'Settle in the inbox' }).click();
    await card.waitFor();
    expect(await practice.effects()).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test('[EN-14] [UI-6] "It went through" continues the run with the result and sends nothing', async () =>
    sayItHappened(await openPayments()));

  test('[EN-14] "It didn’t", by keyboard alone, starts a new run that sends it', async () => {
    const payments = await openPayments();
    const { page } = payments;
    await sayItDidNotHappen(payments);
    await tabTo(page, /^Runs$/);
    await page.keyboard.press('Enter');
    await page
      .getByRole('row')
      .filter({ hasText: /Effect:\s*Failed/ })
      .waitFor();
    await page.getByRole('row').getByText('Retry', { exact: true }).waitFor();
  });

  test('[EN-14] [EN-15] "Send again" sends only after a warning that it may happen twice', async () => {
    const payments = await openPayments();
    await sendItAgain(payments, async () =>
      expect(await accessibilityProblems(payments.page)).toEqual([]),
    );
  });

  test('[EN-14] "Skip" continues the workflow and leaves the outcome unknown', async () =>
    skipIt(await openPayments()));

  test('[EN-14] after a decision elsewhere the card disappears, and a later decision is superseded', async () => {
    const payments = await openPayments();
    const { page } = payments;
    await loseAnAnswer(payments);
    const card = await openInbox(payments);
    const [item] = (await host.call('inbox.list', {})).items;
    if (item?.type !== 'unknown_effect') throw new Error('No unknown effect.');
    const decide = (resolution: 'user_skip' | 'user_assert_applied') =>
      host.call('inbox.resolve', {
        requestId: crypto.randomUUID(),
        mutationId: item.mutation.id,
        resolution,
      });
    await decide('user_skip');
    await decide('user_assert_applied');
    await card.waitFor({ state: 'detached' });
    await page.goto(host.link(`/runs/${item.handlerRunId}`));
    await seen(page, /Superseded/);
    await seen(page, /Another decision was first/);
  });

  test('[EN-17] a question survives a restart, and the run continues with the answer', async () => {
    const { page } = await openPage(browser);
    await publishHere('doubtful', 'invoice 9', { choices: ['Pay it', 'Leave it'] });
    await page.goto(host.link('/inbox'));
    await seen(page, 'Pay invoice 9?');
    await host.kill();
    await seen(page, /Disconnected/);
    host = await startHost(join(folder, 'data'), host.port);
    await page.getByText(/Last updated/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Leave it' }).click();
    await nothingWaits(page);
    await publishHere('doubtful', 'invoice 10', {});
    await seen(page, 'Pay invoice 10?');
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Only half of it.');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await nothingWaits(page);
    await page.getByRole('link', { name: 'View result' }).click();
    await seen(page, 'Committed');
    await seen(page, /Only half of it\./);
    expect(await practice.effects()).toHaveLength(0);
  });

  test('[UI-1] the workflow page runs now, pauses, resumes, and activates a new version', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link());
    await page.waitForURL(/\/workflows$/);
    await page.getByText(/in 59 min\./).waitFor();
    await page.getByRole('button', { name: 'Run now collect' }).click();
    await seen(page, 'Requested. The run appears under Runs.');
    await page.getByRole('button', { name: 'Pause payments' }).click();
    await seen(page, 'Paused');
    await publishHere('invoice', 'invoice 11', { amount: 1 });
    await page.getByRole('listitem').getByText('invoice 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume payments' }).click();
    await page.getByRole('listitem').getByText('invoice 0', { exact: true }).waitFor();
    await expect.poll(() => practice.effects()).toHaveLength(1);
    appendFileSync(path, '// changed\n');
    await host.call('workflows.add', { path });
    await seen(page, 'New version ready to activate');
    await page.getByRole('button', { name: 'Activate payments' }).click();
    await page.getByText('New version ready to activate').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test(
    '[UI-7] with every type of inbox item, pages pass axe in both themes and don’t scroll sideways',
    LONG,
    async () => {
      await loseAnAnswer(await openPayments());
      await oneOfEachOther();
      await mergeFindings();
      const items = await host.call('inbox.list', {});
      expect(items.items.map(({ type }) => type).toSorted()).toEqual(
        inboxItemSchema.options.map(({ shape }) => shape.type.value).toSorted(),
      );
      const { runs: all } = await host.call('handlerRuns.list', {});
      const shown = ['suspended', 'failed', 'committed'].flatMap((phase) =>
        all.filter((run) => run.phase === phase).slice(0, 1),
      );
      const paths = ['/inbox', '/workflows', '/runs', ...shown.map(({ id }) => `/runs/${id}`)];
      const { page, complaints } = await openPage(browser);
      for (const shownPath of paths) {
        await page.goto(host.link(shownPath));
        await page.locator('main h1').waitFor();
        await page.waitForLoadState('networkidle');
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await accessibilityProblems(page), `${shownPath} ${colorScheme}`).toEqual([]);
        }
        for (const width of [480, 800, 1200]) {
          await page.setViewportSize({ width, height: 800 });
          await expectFits(page, `${shownPath} ${width}`);
        }
      }
      expect(complaints).toEqual([]);
    },
  );

  /** Writes what a merge would: an incident about the effect, and a version that can't be read. */
  const mergeFindings = async (): Promise<void> => {
    const { items } = await host.call('inbox.list', {});
    const about = items.flatMap((item) =>
      item.type === 'unknown_effect' ? [item.mutation.id] : [],
    )[0];
    const other = openStore('other-device', join(folder, 'data', 'holdfast.db'));
    const finding = {
      id: 'i',
      kind: 'late_finding',
      workflowId,
      about: about ?? '',
      at: 1,
    } as const;
    other.db.write(() => other.incidents.add(finding));
    other.refusedRows.refuse({
      table: 'scripts',
      key: ['x'.repeat(64)],
      workflowId,
      deviceId: 'other-device',
      reason: `the column "facts" has no "${'code'.repeat(30)}"`,
    });
    other.db.close();
  };

  /** Activates a version without the topic in which an event waits. */
  const leaveAnEventBehind = async (): Promise<void> => {
    const own = join(folder, 'left.ts');
    const source = (topics: string): string =>
      `import { workflow } from 'holdfast';
export default workflow({
  name: 'left', topics: [${topics}], producers: {},
  consumers: { wait: { subscribes: 'new', async prepare() { return {}; } } },
});`;
    writeFileSync(own, source("'old', 'new'"));
    const left = await host.call('workflows.add', { path: own });
    await publish({ call: host.call, workflowId: left.workflowId }, 'old', 'waits', null);
    writeFileSync(own, source("'new'"));
    await host.call('workflows.add', { path: own });
    await host.call('workflows.activate', { workflowId: left.workflowId, leaveBehind: true });
  };

  /** Adds a question, a missing grant, an event set aside, a stopped workflow and one left behind. */
  const oneOfEachOther = async (): Promise<void> => {
    const long = 'x'.repeat(150);
    const addOther = async (name: string) =>
      host.call('workflows.add', {
        path: writePaymentsWorkflow(mkdtempSync(join(folder, 'other-')), practice.host, name),
      });
    const publishTo = (other: string, topic: string, payload: Json) =>
      host.call('events.publish', {
        workflowId: other,
        topic,
        messageId: long,
        title: long,
        payload,
      });
    const asking = await addOther('asking');
    await publishTo(asking.workflowId, 'doubtful', { choices: ['Yes', 'y'.repeat(150)] });
    const broken = await addOther('broken');
    await publishTo(broken.workflowId, 'invoice', {});
    const forbidden = await addOther('forbidden');
    const scope = { hosts: ['example.org'] };
    await host.call('workflows.grant', { workflowId: forbidden.workflowId, tool: 'http', scope });
    await publishTo(forbidden.workflowId, 'invoice', { amount: 1 });
    const stopped = await addOther('stopped');
    await host.call('workflows.pause', { workflowId: stopped.workflowId, reason: long });
    await leaveAnEventBehind();
    await expect
      .poll(async () => (await host.call('inbox.list', {})).items.length, { timeout: 30_000 })
      .toBe(6);
  };
});
