// What nobody can know is settled by a person, in Chromium, against a real host and a real outside
// that counts what it did.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
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
  scrollsSideways,
  tabTo,
  WHY_NOT,
} from '#test/e2e/browser/browser.ts';
import { openStore } from '#test/support/open-store.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { writePaymentsWorkflow } from '#test/e2e/browser/payments-workflow.ts';
import { startPracticeProcess, type PracticeProcess } from '#test/e2e/browser/practice-process.ts';

/** Axe takes seconds for a page, and an event is set aside only after its third try. */
const LONG = { timeout: 180_000 };

describe.skipIf(CHROMIUM === undefined)(`settling what is unknown${WHY_NOT}`, () => {
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

  const publish = (topic: string, title: string, payload: Json) =>
    host.call('events.publish', {
      workflowId,
      topic,
      messageId: crypto.randomUUID(),
      title,
      payload,
    });
  const seen = (page: Page, text: string | RegExp) =>
    page.getByText(text).first().waitFor({ state: 'visible' });

  /** The practice service acts, and its answer is lost: one run that nobody can settle but a person. */
  const loseAnAnswer = async (): Promise<void> => {
    await practice.loseNextAnswer();
    await publish('invoice', 'invoice 7', { amount: 700 });
    await expect.poll(async () => (await host.call('inbox.list', {})).items.length).toBe(1);
  };

  const openInbox = async (page: Page) => {
    await page.goto(host.link());
    await page.waitForURL(/\/inbox$/);
    const card = page.getByRole('article', { name: 'Pay invoice 7' });
    await card.waitFor();
    return card;
  };
  const settled = (page: Page) => seen(page, 'Nothing waits for you.');

  const runs = async () =>
    (await host.call('handlerRuns.list', { workflowId })).runs.filter(
      ({ handlerName }) => handlerName === 'pay',
    );
  const committed = (total: number) =>
    expect
      .poll(async () => (await runs()).map(({ phase }) => phase))
      .toEqual(Array.from({ length: total }, () => 'committed'));

  test('[EN-14] [UI-7] a lost answer ends in one card that says all there is to know', async () => {
    const { page, complaints } = await openPage(browser);
    await loseAnAnswer();
    const card = await openInbox(page);
    await card.getByText('Outcome unknown').waitFor();
    const [effect] = await practice.effects();
    for (const said of [
      'http.post',
      `POST ${practice.url}/effects/payment`,
      '"amount": 700',
      /cut the connection/,
      'No, Holdfast has no way to ask.',
      /whether "POST \/effects\/payment" was carried out/,
      effect?.key ?? 'a key',
    ]) {
      await card.getByText(said).first().waitFor();
    }
    await page.getByRole('link', { name: /Inbox\s*1 thing waits for you/ }).waitFor();
    await page.goto(host.link('/workflows'));
    await seen(page, 'Waiting for you');
    await page.getByRole('link', { name: '1 thing waits for you', exact: true }).click();
    await card.getByRole('link', { name: 'Open the run' }).click();
    await seen(page, 'Holdfast does not know yet whether the effect happened.');
    await seen(page, 'Whether it happened is not known, and Holdfast does not guess.');
    await page.getByRole('link', { name: 'Settle it in the inbox' }).click();
    await card.waitFor();
    expect(await practice.effects()).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test('[EN-14] [UI-6] "It happened": the run goes on with the result, and nothing is sent', async () => {
    const { page } = await openPage(browser);
    await loseAnAnswer();
    const card = await openInbox(page);
    await card.getByText('Add a note or a result').click();
    await card.getByRole('textbox', { name: 'Result' }).fill('{ "receipt": ');
    await card.getByRole('button', { name: 'It happened' }).click();
    await seen(page, /This is not JSON/);
    await card.getByRole('textbox', { name: 'Result' }).fill('{ "receipt": 7 }');
    await card.getByRole('textbox', { name: 'Note' }).fill('Seen on the statement.');
    await card.getByRole('button', { name: 'It happened' }).dblclick();
    await settled(page);
    await seen(page, '“It happened” is recorded for “Pay invoice 7”.');
    await committed(1);
    await page.getByRole('link', { name: 'See what comes of it' }).click();
    await seen(page, 'A person said that it happened.');
    await seen(page, '"receipt": 7');
    await seen(page, 'Seen on the statement.');
    await seen(page, 'invoice 7: applied');
    expect(await practice.effects()).toHaveLength(1);
    const [run] = await runs();
    const detail = await host.call('handlerRuns.get', { handlerRunId: run?.id ?? '' });
    expect(detail.mutation?.resolutions).toMatchObject([{ status: 'carried_out' }]);
  });

  test('[EN-14] "It did not happen", with the keyboard alone: a new run sends it', async () => {
    const { page } = await openPage(browser);
    await loseAnAnswer();
    await openInbox(page);
    await tabTo(page, /^It did not happen/);
    await page.keyboard.press('Enter');
    await settled(page);
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    expect(focused).toMatch(/is recorded for “Pay invoice 7”/);
    await expect
      .poll(async () => (await runs()).map(({ phase }) => phase))
      .toEqual(['committed', 'failed']);
    // It had happened: saying the contrary makes it happen again, and that is seen outside.
    const effects = await practice.effects();
    expect(effects).toHaveLength(2);
    expect(effects[1]?.key).toBe(effects[0]?.key);
    await tabTo(page, /^See what comes of it/);
    await page.keyboard.press('Enter');
    await seen(page, 'A person said that it did not happen. It is tried anew.');
    await tabTo(page, /^Tried again as run/);
    await page.keyboard.press('Enter');
    await seen(page, 'It happened.');
    await page.getByText('Retry of').waitFor();
    await tabTo(page, /^Runs$/);
    await page.keyboard.press('Enter');
    await page.getByRole('row').getByText('Did not happen').waitFor();
    await page.getByRole('row').getByText('Retry', { exact: true }).waitFor();
  });

  test('[EN-14] [EN-15] "Send again" is sent only after a word that it may happen twice', async () => {
    const { page } = await openPage(browser);
    await loseAnAnswer();
    const card = await openInbox(page);
    const dialog = page.getByRole('dialog', { name: 'Send it again?' });
    await card.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByText(/may make it happen twice/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    // The harmless way has the focus.
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await practice.effects()).toHaveLength(1);
    expect((await host.call('inbox.list', {})).items).toMatchObject([
      { mutation: { resolutions: [] } },
    ]);

    await card.getByRole('button', { name: 'Send again' }).click();
    await dialog.getByRole('button', { name: /it may happen twice/ }).dblclick();
    await settled(page);
    await committed(1);
    const effects = await practice.effects();
    expect(effects).toHaveLength(2);
    expect(effects[1]?.key).toBe(effects[0]?.key);
    await page.getByRole('link', { name: 'See what comes of it' }).click();
    await seen(page, /It happened\..* it may have happened twice\./);
    await page.getByRole('listitem').getByText('Send again').waitFor();
  });

  test('[EN-14] "Skip": the workflow goes on, and the outcome stays unknown', async () => {
    const { page } = await openPage(browser);
    await loseAnAnswer();
    const card = await openInbox(page);
    await card.getByRole('button', { name: 'Skip' }).click();
    await settled(page);
    await committed(1);
    await page.getByRole('link', { name: 'See what comes of it' }).click();
    await seen(page, 'It was skipped. Whether it happened is not known.');
    await seen(page, 'invoice 7: skipped');
    expect(await page.getByRole('link', { name: 'Settle it in the inbox' }).count()).toBe(0);
    expect(await practice.effects()).toHaveLength(1);
    // The next event is not held up by it, and a rerun is a new effect, on purpose.
    await publish('invoice', 'invoice 8', { amount: 800 });
    await expect.poll(async () => (await practice.effects()).length).toBe(2);
    await page.getByRole('button', { name: 'Run again… invoice 7' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await expect.poll(async () => (await practice.effects()).length).toBe(3);
    const keys = (await practice.effects()).map(({ key }) => key);
    expect(new Set(keys).size).toBe(3);
  });

  test('[EN-14] decided elsewhere first: the card goes, and the later word is superseded', async () => {
    const { page } = await openPage(browser);
    await loseAnAnswer();
    const card = await openInbox(page);
    const [item] = (await host.call('inbox.list', {})).items;
    if (item?.type !== 'unknown_effect') throw new Error('There is no unknown effect.');
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
    await seen(page, /It was settled before/);
  });

  test('[EN-17] a question waits through a restart, and the run goes on with the answer', async () => {
    const { page } = await openPage(browser);
    await publish('doubtful', 'invoice 9', { choices: ['Pay it', 'Leave it'] });
    await page.goto(host.link('/inbox'));
    await seen(page, 'Pay invoice 9?');
    await host.kill();
    await seen(page, /Host gone/);
    host = await startHost(join(folder, 'data'), host.port);
    await page.getByText(/Host gone: shown/).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Leave it' }).click();
    await settled(page);
    await publish('doubtful', 'invoice 10', {});
    await seen(page, 'Pay invoice 10?');
    await page.getByRole('textbox', { name: 'Your answer' }).fill('Only half of it.');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await settled(page);
    await page.getByRole('link', { name: 'See what comes of it' }).click();
    await seen(page, 'Committed');
    await seen(page, /Only half of it\./);
    expect(await practice.effects()).toHaveLength(0);
  });

  test('[UI-1] workflows: run now, pause, a changed version, and what waits', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link());
    await page.waitForURL(/\/workflows$/);
    await page.getByText(/in 59 min\./).waitFor();
    await page.getByRole('button', { name: 'Run now collect' }).click();
    await seen(page, 'Asked for. Its run appears under Runs.');
    await page.getByRole('button', { name: 'Pause payments' }).click();
    await seen(page, 'Paused');
    await publish('invoice', 'invoice 11', { amount: 1 });
    await page.getByRole('listitem').getByText('invoice 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume payments' }).click();
    await page.getByRole('listitem').getByText('invoice 0', { exact: true }).waitFor();
    expect(await practice.effects()).toHaveLength(1);
    appendFileSync(path, '// changed\n');
    await host.call('workflows.add', { path });
    await seen(page, 'A changed version is ready.');
    await page.getByRole('button', { name: 'Activate payments' }).click();
    await page.getByText('A changed version is ready.').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test(
    '[UI-7] with all that can wait: axe in both themes, and no scrolling sideways',
    LONG,
    async () => {
      await loseAnAnswer();
      await oneOfEachOther();
      await incident();
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
          // The layout follows the window a moment later.
          await expect
            .poll(() => scrollsSideways(page), { message: `${shownPath} ${width}` })
            .toBe(false);
        }
      }
      expect(complaints).toEqual([]);
    },
  );

  /** As a merge would bring it: another device found out what became of the unknown effect. */
  const incident = async (): Promise<void> => {
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
    other.db.close();
  };

  /** Besides the unknown effect: a question, a missing grant, an event set aside, a stop. */
  const oneOfEachOther = async (): Promise<void> => {
    const long = 'x'.repeat(150);
    const addOther = async () =>
      host.call('workflows.add', {
        path: writePaymentsWorkflow(mkdtempSync(join(folder, 'other-')), practice.host),
      });
    const publishTo = (other: string, topic: string, payload: Json) =>
      host.call('events.publish', {
        workflowId: other,
        topic,
        messageId: long,
        title: long,
        payload,
      });
    const asking = await addOther();
    await publishTo(asking.workflowId, 'doubtful', { choices: ['Yes', 'y'.repeat(150)] });
    const broken = await addOther();
    await publishTo(broken.workflowId, 'invoice', {});
    const forbidden = await addOther();
    const scope = { hosts: ['example.org'] };
    await host.call('workflows.grant', { workflowId: forbidden.workflowId, tool: 'http', scope });
    await publishTo(forbidden.workflowId, 'invoice', { amount: 1 });
    const stopped = await addOther();
    await host.call('workflows.pause', { workflowId: stopped.workflowId, reason: long });
    await expect
      .poll(async () => (await host.call('inbox.list', {})).items.length, { timeout: 30_000 })
      .toBe(5);
  };
});
