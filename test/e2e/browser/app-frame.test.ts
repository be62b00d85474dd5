// The app frame, inbox shortcuts, bulk actions on runs and the run page, in Chromium on one real host.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import {
  accessibilityProblems,
  CHROMIUM,
  launchChromium,
  openPage,
  WHY_NOT,
} from '#test/e2e/browser/browser.ts';
import { expectFits } from '#test/e2e/browser/fine-page.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { writePaymentsWorkflow } from '#test/e2e/browser/payments-workflow.ts';
import { startPracticeProcess, type PracticeProcess } from '#test/e2e/browser/practice-process.ts';

/** Axe takes seconds per page. */
const LONG = { timeout: 180_000 };
/** The machine may be busy. */
const poll = <T>(ask: () => T | Promise<T>) => expect.poll(ask, { timeout: 20_000 });
const MARKUP = '<img src=x onerror="document.title=1"><b>bold</b>';
const ARABIC = 'فاتورة رقم ٧';

describe.skipIf(CHROMIUM === undefined)(`the app in a browser${WHY_NOT}`, () => {
  let browser: Browser;
  let folder: string;
  let host: HostProcess;
  let practice: PracticeProcess;
  let workflowId: string;

  beforeAll(async () => {
    browser = await launchChromium();
    folder = mkdtempSync(join(tmpdir(), 'holdfast-app-frame-'));
    [practice, host] = await Promise.all([startPracticeProcess(), startHost(join(folder, 'data'))]);
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all([host.kill(), practice.kill()]);
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });

  const seen = (page: Page, text: string | RegExp) =>
    page.getByText(text).first().waitFor({ state: 'visible' });
  const publish = (topic: string, title: string, payload: Json) =>
    host.call('events.publish', { workflowId, topic, messageId: title, title, payload });
  const inbox = async () => (await host.call('inbox.list', {})).items;
  const runOf = async (title: string): Promise<HandlerRunView | undefined> =>
    (await host.call('handlerRuns.list', { workflowId, text: title })).runs[0];
  const phaseOf = async (title: string) => (await runOf(title))?.phase;
  const loseAnswerTo = async (title: string): Promise<void> => {
    await practice.loseNextAnswer();
    await publish('invoice', title, { amount: 1 });
    await poll(async () => (await runOf(title))?.effect).toBe('indeterminate');
  };
  const open = async (path: string) => {
    const watched = await openPage(browser);
    await watched.page.goto(host.link(path));
    await watched.page.locator('main h1').waitFor();
    return watched;
  };

  test('[DX-6] the tour leads from an empty start to a settled effect', async () => {
    const { page, complaints } = await openPage(browser);
    await page.goto(host.link());
    await page.getByRole('heading', { name: 'Welcome to Holdfast' }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Start the two-minute tour' }).click();
    await page.waitForURL(/\/inbox$/);
    const tour = page.getByRole('region', { name: 'Tour' });
    await tour.getByRole('button', { name: 'Check the practice shop' }).click();
    await tour.getByText(/"what": "rope"/).waitFor();
    await tour.getByText(/Press “It went through” below/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'It went through' }).click();
    await tour.getByText(/You can undo this/).waitFor();
    await tour.getByText(/^Settled\./).waitFor();
    await tour.getByRole('button', { name: 'View runs' }).click();
    await page.getByRole('row').getByText('Applied').waitFor();
    await page.getByRole('link', { name: 'Inbox' }).click();
    await seen(page, 'You’re all caught up');
    await expect.poll(() => tour.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('[DX-7] shortcuts settle, undo and add a note', async () => {
    ({ workflowId } = await host.call('workflows.add', {
      path: writePaymentsWorkflow(folder, practice.host),
    }));
    await publish('invoice', 'usual invoice', { amount: 7 });
    await poll(() => phaseOf('usual')).toBe('committed');
    await loseAnswerTo('lost one');
    const before = (await practice.effects()).length;
    const { page, complaints } = await open('/');
    await page.waitForURL(/\/inbox$/);
    const card = page.getByRole('article', { name: 'Pay lost one' });
    await card.waitFor();
    // "It didn't" would send it again; undone in time, nothing is sent.
    await page.keyboard.press('j');
    await page.keyboard.press('2');
    await card.getByText(/You chose “It didn’t” on/).waitFor();
    expect((await inbox())[0]).toMatchObject({
      mutation: { status: 'indeterminate', resolutions: [{ status: 'waiting' }] },
    });
    await page.keyboard.press('z');
    await card.getByRole('button', { name: /^It didn’t/ }).waitFor();
    await seen(page, 'Undone.');
    // `n` opens the note; digits in it are text, not shortcuts.
    await page.keyboard.press('n');
    await page.keyboard.type('Seen on page 2 of 4');
    await page.keyboard.press('Tab');
    await card.focus();
    await page.keyboard.press('1');
    await card.getByText(/You chose “It went through” on/).waitFor();
    // Not shown as settled before the ledger has it.
    expect(await card.getByText('Outcome unknown').count()).toBe(1);
    await seen(page, 'You’re all caught up');
    await poll(() => phaseOf('lost one')).toBe('committed');
    expect((await practice.effects()).length).toBe(before);
    const run = await runOf('lost one');
    const { mutation } = await host.call('handlerRuns.get', { handlerRunId: run?.id ?? '' });
    expect(mutation?.resolutions).toMatchObject([
      { status: 'superseded', resolution: 'user_assert_failed' },
      { status: 'done', resolution: 'user_assert_applied', note: 'Seen on page 2 of 4' },
    ]);
    expect(complaints).toEqual([]);
  });

  test('[DX-8] palette, go-to shortcuts, the shortcut sheet, and a theme that survives a reload', async () => {
    const { page, complaints } = await open('/inbox');
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Commands' });
    await palette.getByRole('combobox').fill('dark');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await palette.waitFor({ state: 'detached' });
    await poll(() =>
      page.evaluate(() => getComputedStyle(document.documentElement).colorScheme),
    ).toBe('dark');
    await page.reload();
    await page.locator('main h1').waitFor();
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('radio', { name: 'System' }).check({ force: true });
    await page.keyboard.press('g');
    await page.keyboard.press('r');
    await page.waitForURL(/\/runs$/);
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    // The sheet lists the page's own shortcuts too.
    await sheet.getByText('Search title, workflow or id').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await sheet.getByText('Single-key shortcuts').click();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    // With single keys off, only Ctrl shortcuts work.
    await page.keyboard.press('Control+k');
    await palette.waitFor();
    expect(new URL(page.url()).pathname).toBe('/runs');
    await palette.getByRole('combobox').fill('usual');
    await palette.getByText('Search runs for “usual”').click();
    await page.waitForURL(/\/runs\?q=usual$/);

    // Pages of a workflow, subpages, and buttons of the page.
    const command = async (typed: string, name: string) => {
      await page.keyboard.press('Control+k');
      await palette.getByRole('combobox').fill(typed);
      await palette.getByRole('option', { name, exact: true }).click();
      await palette.waitFor({ state: 'detached' });
    };
    await command('payments edit', 'Edit payments');
    await page.waitForURL(/\/workflows\/\w+\/edit$/);
    await command('graph', 'Graph of payments');
    await page.waitForURL(/\/workflows\/\w+\/graph$/);
    await command('open pay', 'Open payments');
    await page.waitForURL(/\/workflows\/\w+$/);
    await page.getByRole('button', { name: 'Pause…' }).waitFor();
    await command('pause', 'Pause…');
    await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).waitFor();
    await page.keyboard.press('Escape');
    await command('backups', 'Go to Settings: Backups');
    await page.waitForURL(/\/settings\/backups$/);
    await command('back up', 'Back up now');
    await seen(page, /^Backup made and verified/);
    expect(complaints).toEqual([]);
  });

  test('[DX-9] search and filters are in the URL and survive reload and back', async () => {
    await publish('invoice', 'no amount', {});
    await poll(async () => (await inbox()).map(({ type }) => type)).toEqual(['set_aside']);
    const { page } = await open('/runs');
    const rows = page.getByRole('row').filter({ has: page.getByRole('link') });
    await page.keyboard.press('/');
    await page.keyboard.type('usual');
    await page.waitForURL(/\/runs\?q=usual$/);
    await poll(() => rows.count()).toBe(1);
    await rows.getByText('Pay usual invoice').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('link', { name: 'Failed' }).click();
    await page.waitForURL(/state=failed/);
    await poll(() => rows.count()).toBe(3);
    await page.getByRole('button', { name: /Time/ }).click();
    await page.getByRole('option', { name: 'Last hour' }).click();
    await page.getByRole('button', { name: /Workflow/ }).click();
    await page.getByRole('option', { name: 'payments' }).click();
    await page.waitForURL((url) => url.searchParams.get('workflow') === workflowId);
    await page.reload();
    await poll(() => rows.count()).toBe(3);
    expect(new URL(page.url()).searchParams.get('since')).toBe('1h');
    await page.goBack();
    await page.goBack();
    await page.goBack();
    await poll(() => new URL(page.url()).search).toBe('');
    await page.goto(host.link('/runs?q=nothing%20like%20it'));
    await seen(page, 'No runs match');
    await page.getByRole('link', { name: 'Show all runs' }).click();
    await poll(() => rows.count()).toBeGreaterThan(3);
  });

  test('[DX-10] bulk skip and rerun report the runs they don’t apply to', async () => {
    await loseAnswerTo('to be skipped');
    const { page } = await open('/runs');
    const before = (await practice.effects()).length;
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    const bar = page.getByRole('toolbar', { name: 'Selected runs' });
    await row('Pay to be skipped').getByRole('checkbox').click();
    await row('Pay usual invoice').getByRole('checkbox').click();
    await bar.getByText('2 selected').waitFor();
    await bar.getByRole('button', { name: 'Skip…' }).click();
    const dialog = page.getByRole('dialog');
    expect(await accessibilityProblems(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Skip 2 runs' }).click();
    await seen(page, 'Skipped 1 run. Nothing to do for 1.');
    await poll(() => phaseOf('to be skipped')).toBe('committed');
    expect((await practice.effects()).length).toBe(before);
    await expect.poll(() => bar.count()).toBe(0);
    // The `x` key selects the focused row.
    await page.goto(host.link('/runs?q=usual'));
    await row('Pay usual invoice').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await bar.getByText('1 selected').waitFor();
    await bar.getByRole('button', { name: 'Rerun…' }).click();
    await dialog.getByRole('button', { name: 'Rerun 1 run' }).click();
    await seen(page, 'Rerunning 1 run.');
    await poll(async () => (await practice.effects()).length).toBe(before + 1);
  });

  test(
    '[DX-11] a run with a 900 kB payload, 10,000 log lines, Arabic and markup is shown correctly',
    LONG,
    async () => {
      const path = join(folder, 'large.ts');
      writeFileSync(path, LARGE);
      const large = await host.call('workflows.add', { path });
      await host.call('events.publish', {
        workflowId: large.workflowId,
        topic: 'in',
        messageId: 'm',
        title: `${ARABIC} ${MARKUP} 🧾`,
        payload: { text: 'x'.repeat(900_000), markup: MARKUP },
      });
      const runs = async () =>
        (await host.call('handlerRuns.list', { workflowId: large.workflowId })).runs;
      await poll(async () => (await runs())[0]?.phase).toBe('committed');
      const id = (await runs())[0]?.id ?? '';
      const { page, complaints } = await open(`/runs/${id}`);
      await page.getByRole('heading', { name: `${ARABIC} ${MARKUP} 🧾`, level: 1 }).waitFor();
      expect(await page.locator('main img').count()).toBe(0);
      // The state as a diff.
      await page
        .locator('ins')
        .getByText(/"count":1/)
        .waitFor();
      // The log renders only lines near the viewport, and search finds one line.
      const log = page.getByRole('group', { name: 'Log' });
      const lines = await log.locator('li').count();
      expect(lines).toBeGreaterThan(5);
      expect(lines).toBeLessThan(120);
      await page.getByRole('searchbox', { name: 'Search the log' }).fill('line 77 ');
      await log.getByText(/^line 77 /).waitFor();
      await poll(() => log.locator('li').count()).toBe(1);
      // The payload starts cut off and expands on request.
      await page.getByText('Payload').first().click();
      await page.getByRole('button', { name: /Show all \(9\d\d kB\)/ }).click();
      await page.getByRole('button', { name: 'Show less' }).waitFor();
      await expectFits(page);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await accessibilityProblems(page), colorScheme).toEqual([]);
      }
      // Rerun with another payload.
      await page.getByRole('button', { name: /^Rerun…/ }).click();
      await page.getByText('Edit the payload first').click();
      await page.getByRole('textbox', { name: 'Payload' }).fill('{ "text": ');
      await page.getByText(/Invalid JSON/).waitFor();
      await page.getByRole('textbox', { name: 'Payload' }).fill('{ "text": "short" }');
      await page.getByRole('dialog').getByRole('button', { name: 'Rerun' }).click();
      await poll(async () => (await runs()).map(({ phase }) => phase)).toEqual([
        'committed',
        'committed',
      ]);
      expect(complaints).toEqual([]);
    },
  );

  test('[DX-12] a status explains itself on hover and on focus', async () => {
    const run = await runOf('usual');
    const { page } = await open(`/runs/${run?.id ?? ''}`);
    const chip = page.getByRole('button', { name: 'Committed' }).first();
    // Chromium fires no hover before the first mouse move.
    await page.mouse.move(5, 5);
    await page.mouse.move(9, 9);
    await chip.hover();
    await page
      .getByRole('tooltip')
      .getByText(/^Done\. Effect, events and state/)
      .waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole('tooltip').waitFor({ state: 'detached' });
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Applied' }).focus();
    await page.getByRole('tooltip').getByText('It went through.').waitFor();
  });

  test('[UI-3] runs stay visible while the host is down and update when it returns', async () => {
    const { page } = await open('/runs?q=usual');
    const row = page.getByRole('row').filter({ hasText: 'Pay usual invoice' }).first();
    await row.waitFor();
    await host.kill();
    await seen(page, /Disconnected/);
    expect(await row.isVisible()).toBe(true);
    host = await startHost(join(folder, 'data'), host.port);
    await page.getByText(/Last updated/).waitFor({ state: 'detached' });
    const before = await page.getByRole('row').count();
    await publish('invoice', 'usual again', { amount: 8 });
    await poll(() => page.getByRole('row').count()).toBe(before + 1);
    // Otherwise the next test might lose this reply.
    await poll(() => phaseOf('usual again')).toBe('committed');
  });

  test(
    '[UI-7] [DX-12] inbox and runs pass axe in both themes and don’t scroll sideways',
    LONG,
    async () => {
      await loseAnswerTo(`${ARABIC} ${'W'.repeat(150)}`);
      for (const path of [
        '/inbox',
        '/runs',
        '/runs?state=failed&since=1h',
        '/runs?q=none%20at%20all',
      ]) {
        const { page } = await open(path);
        await page.waitForFunction(() => !document.querySelector('.skeleton'));
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await accessibilityProblems(page), `${path} ${colorScheme}`).toEqual([]);
        }
        for (const width of [480, 800, 1200, 3840]) {
          await page.setViewportSize({ width, height: 900 });
          await expectFits(page, `${path} ${width}`);
        }
      }
    },
  );
});

/** Takes each event, stores a count, and logs 10,000 lines. */
const LARGE = `import { workflow } from 'holdfast';
export default workflow({
  name: 'large',
  topics: ['in'],
  consumers: {
    take: {
      subscribes: 'in',
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        if (!event) return {};
        for (let n = 0; n < 10000; n += 1) console.log('line ' + n + ' <b>' + event.title + '</b>');
        return { reservations: [event], ui: { title: event.title } };
      },
      async next(ctx, prepared, outcome) {
        return { count: 1, title: prepared.reservations[0].title };
      },
    },
  },
});
`;
