// Inputs, hooks and metrics in Chromium, against a real host: webhooks are real requests, their
// effects are those of the practice service, a process of its own.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CHROMIUM, launchChromium, openPage, WHY_NOT } from '#test/e2e/browser/browser.ts';
import { expectFine } from '#test/e2e/browser/fine-page.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { writeClerkWorkflow } from '#test/e2e/browser/clerk-workflow.ts';
import { startPracticeProcess, type PracticeProcess } from '#test/e2e/browser/practice-process.ts';

/** Axe takes seconds for a page. */
const LONG = { timeout: 180_000 };

describe.skipIf(CHROMIUM === undefined)(`inputs in a browser${WHY_NOT}`, () => {
  let browser: Browser;
  let folder: string;
  let host: HostProcess;
  let practice: PracticeProcess;
  let workflowId: string;
  let page: Page;
  let complaints: readonly string[];

  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-inputs-'));
    [host, practice] = await Promise.all([startHost(join(folder, 'data')), startPracticeProcess()]);
    const path = writeClerkWorkflow(folder, practice.host);
    ({ workflowId } = await host.call('workflows.add', { path }));
    ({ page, complaints } = await openPage(browser, {
      permissions: ['clipboard-read', 'clipboard-write'],
    }));
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
    await Promise.all([host.kill(), practice.kill()]);
    rmSync(folder, { recursive: true, force: true });
    expect(complaints).toEqual([]);
  });

  const makeHook = async (name: string) => {
    const { hook, secret } = await host.call('hooks.create', {
      requestId: crypto.randomUUID(),
      workflowId,
      name,
      topic: 'invoice',
      auth: { kind: 'bearer' },
      dedup: { by: 'path', path: 'id' },
    });
    const post = async (body: unknown, key = secret): Promise<Response> =>
      fetch(`${host.url}${hook.path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    return { hook, secret, post };
  };

  const startDoubtful = async (title: string): Promise<string> => {
    const { input } = await host.call('inputs.start', {
      requestId: crypto.randomUUID(),
      workflowId,
      topic: 'doubtful',
      title,
      payload: {},
    });
    await expect.poll(() => statusOf(input.id)).toBe('needs_human');
    return input.id;
  };

  const statusOf = async (inputId: string): Promise<string> =>
    (await host.call('inputs.get', { inputId })).run.status;

  const rows = () => page.getByRole('table', { name: 'Inputs' }).getByRole('row');
  const row = (name: string | RegExp) => rows().filter({ hasText: name });
  const choose = async (
    field: string,
    option: string,
    within: 'main' | 'dialog' = 'main',
  ): Promise<void> => {
    const scope = within === 'main' ? page.locator('main') : page.getByRole('dialog');
    await scope.getByRole('button', { name: new RegExp(field) }).click();
    await page.getByRole('option', { name: option }).click();
  };

  test(
    '[IP-1] [IP-2] a webhook appears live, once; its story tells payload, what was taken out, run and effect',
    LONG,
    async () => {
      const { post } = await makeHook('shop');
      await page.goto(host.link('/inputs'));
      await page.getByText('Nothing came in yet').waitFor();
      await expectFine(page, 'inputs-empty');

      const body = { id: 'inv-1', amount: 700, password: 'correct horse battery' };
      expect((await post(body)).status).toBe(202);
      await row('shop').getByText('Succeeded').waitFor();
      const again = await post(body);
      expect([again.status, again.headers.get('holdfast-duplicate')]).toEqual([
        202,
        expect.any(String),
      ]);
      // Another one after it: had the duplicate made a row, it would be there before this one.
      expect((await post({ id: 'inv-2', amount: 5 })).status).toBe(202);
      await expect.poll(() => row('shop').count()).toBe(2);
      await row('shop').nth(0).getByText('Succeeded').waitFor();
      await expectFine(page, 'inputs');
      expect(await practice.effects()).toHaveLength(2);

      await row('shop').nth(1).getByRole('link').click();
      await page.getByRole('heading', { name: 'What followed' }).waitFor();
      const payload = page.getByRole('group', { name: 'Payload', exact: true });
      expect(await payload.textContent()).toContain('"amount": 700');
      expect(await page.locator('main').textContent()).not.toContain('correct horse battery');
      const taken = page.getByRole('region', { name: 'Taken out' });
      expect(await taken.textContent()).toContain('password');
      const story = page.locator('section', { hasText: 'What followed' });
      await story.getByText('Applied').first().waitFor();
      await story.getByText('http.post').first().waitFor();
      await story
        .getByText(/^Follows from /)
        .first()
        .waitFor({ state: 'attached' });
      await expectFine(page, 'input');

      await page.getByRole('button', { name: /the whole story/ }).click();
      await page.getByText('Copied').first().waitFor();
      const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as {
        payload: { amount: number };
      };
      expect(copied.payload.amount).toBe(700);

      await story.getByRole('link', { name: /Run Pay/ }).click();
      await page.waitForURL(/\/runs\//);
      await page.getByRole('heading', { name: /^Pay/ }).waitFor();
    },
  );

  test(
    '[IP-1] filters and search stand in the address, survive a reload, and go back',
    LONG,
    async () => {
      const { post } = await makeHook('shop');
      await post({ id: 'inv-1', amount: 700 });
      await startDoubtful('invoice 8');
      await page.goto(host.link('/inputs'));
      await expect.poll(() => rows().count()).toBe(3);

      await choose('State', 'Needs you');
      await expect.poll(() => rows().count()).toBe(2);
      await row('invoice 8').getByText('Needs you').waitFor();
      expect(new URL(page.url()).search).toBe('?state=needs_human');
      await page.reload();
      await row('invoice 8').waitFor();
      await expect.poll(() => rows().count()).toBe(2);
      await page.goBack();
      await expect.poll(() => rows().count()).toBe(3);

      await choose('Source', 'Webhook');
      await row('shop').waitFor();
      await expect.poll(() => rows().count()).toBe(2);
      await choose('Time', 'Last hour');
      await expect.poll(() => new URL(page.url()).search).toBe('?kind=webhook&since=1h');
      await expect.poll(() => rows().count()).toBe(2);
      await page.getByRole('searchbox').fill('no such thing');
      await page.getByText('No input matches').waitFor();
      await page.getByRole('link', { name: 'Show all inputs' }).click();
      await page.getByRole('searchbox').fill('INVOICE 8');
      await expect.poll(() => rows().count()).toBe(2);
      await row('invoice 8').waitFor();
    },
  );

  test(
    '[IP-2] [IP-3] an input is started by hand, leads to the inbox, is skipped; another is settled by hand',
    LONG,
    async () => {
      await page.goto(host.link('/inputs'));
      await page.getByRole('button', { name: 'Start by hand' }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('Choose a workflow.').waitFor();
      await choose('Workflow', 'clerk', 'dialog');
      await choose('The only one', 'doubtful', 'dialog');
      await page.getByRole('textbox', { name: /Title/ }).fill('invoice 9');
      await page.getByRole('textbox', { name: /Payload/ }).fill('{ not json');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('This is not JSON.').waitFor();
      await page.getByRole('textbox', { name: /Payload/ }).fill('{"choices":["yes","no"]}');
      await expectFine(page, 'input-start');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('heading', { name: 'invoice 9' }).waitFor();
      await page.getByText('Something that followed from it waits for you.').waitFor();
      expect(
        await page.getByRole('link', { name: 'Settle it in the inbox' }).getAttribute('href'),
      ).toBe('/inbox');
      await expectFine(page, 'input-waits');
      const inputId = new URL(page.url()).pathname.split('/').at(-1) ?? '';

      await page.getByRole('button', { name: 'Skip…' }).click();
      await page.getByRole('textbox', { name: /Why/ }).fill('paid by hand');
      await expectFine(page, 'input-skip');
      await page.getByRole('button', { name: 'Skip it' }).click();
      await page.getByText('Why: paid by hand').waitFor();
      expect(await statusOf(inputId)).toBe('skipped');
      await page.getByRole('button', { name: 'Skip…' }).waitFor({ state: 'detached' });
      expect(await practice.effects()).toEqual([]);

      const other = await startDoubtful('invoice 10');
      // What comes behind it is at work, and would seem to hang.
      const { input: behind } = await host.call('inputs.start', {
        requestId: 'behind',
        workflowId,
        topic: 'invoice',
        title: 'invoice 11',
        payload: { amount: 1 },
      });
      await page.goto(host.link(`/inputs/${behind.id}`));
      await page.getByText(/“clerk” stands still until something else of it is settled/).waitFor();
      await host.call('workflows.pause', { workflowId });
      await page.getByText('“clerk” is paused: this goes on when it is resumed.').waitFor();
      await expectFine(page, 'input-held-up');
      await host.call('workflows.resume', { workflowId });
      await page.goto(host.link(`/inputs/${other}`));
      await page.getByRole('button', { name: 'Settle by hand…' }).click();
      await page.getByRole('button', { name: 'Settle it' }).click();
      await page.getByText('Say why.').waitFor();
      expect(await statusOf(other)).toBe('needs_human');
      await page.getByRole('textbox', { name: /Why/ }).fill('seen in the bank');
      await page.getByRole('button', { name: 'Settle it' }).click();
      await page.getByText('A person settled it by hand: seen in the bank').waitFor();
      expect(await statusOf(other)).toBe('succeeded');
      await page.getByRole('button', { name: 'Settle by hand…' }).waitFor({ state: 'detached' });
    },
  );

  test(
    '[IP-4] a hook is made, tried with the line that is shown, given a new secret, and removed',
    LONG,
    async () => {
      const sh = (line: string): string =>
        execFileSync('sh', ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
      const shown = async (label: string): Promise<string> =>
        (await page.getByRole('dialog').getByRole('group', { name: label }).textContent()) ?? '';
      await page.goto(host.link('/inputs/hooks'));
      await page.getByText('No hooks yet').waitFor();
      await expectFine(page, 'hooks-empty');
      await page.getByRole('button', { name: 'New hook' }).click();
      await page.getByRole('textbox', { name: /^Name/ }).fill('forge');
      await choose('Workflow', 'clerk', 'dialog');
      await choose('The only one', 'invoice', 'dialog');
      await choose('Bearer token', 'Signature, as GitHub sends it', 'dialog');
      await choose('The same bytes', 'The same header', 'dialog');
      await page.getByRole('textbox', { name: /^Header/ }).fill('X-GitHub-Delivery');
      await expectFine(page, 'hook-new');
      await page.getByRole('button', { name: 'Make the hook' }).click();
      await page.getByText('Copy the secret now').waitFor();
      await expectFine(page, 'hook-secret');
      const secret = await shown('Secret');
      const line = await shown('Command');
      expect(line).toContain(secret);
      expect(JSON.parse(sh(line))).toMatchObject({ status: 'accepted' });
      await page.getByRole('button', { name: 'Done' }).click();

      const card = page.getByRole('article', { name: 'forge' });
      await card.getByText('1 input', { exact: true }).waitFor();
      expect(await page.locator('body').textContent()).not.toContain(secret);
      await expectFine(page, 'hooks');

      await card.getByRole('button', { name: 'New secret…' }).click();
      await page.getByRole('button', { name: 'Make a new secret' }).click();
      await page.getByText('Copy the secret now').waitFor();
      const next = await shown('Command');
      const fresh = next.replace('example-1', 'example-2').replace('world', 'moon');
      await page.getByRole('button', { name: 'Done' }).click();
      expect(JSON.parse(sh(line.replace('example-1', 'example-3')))).toHaveProperty('error');
      expect(JSON.parse(sh(fresh))).toMatchObject({ status: 'accepted' });
      await card.getByText('2 inputs', { exact: true }).waitFor();
      await card.getByText('Secret changed').waitFor();

      await card.getByRole('link', { name: '2 inputs' }).click();
      await expect.poll(() => row('forge').count()).toBe(2);
      await page.goBack();
      await card.getByRole('button', { name: 'Remove…' }).click();
      await page.getByRole('button', { name: 'Remove the hook' }).click();
      await page.getByText('No hooks yet').waitFor();
      expect((await host.call('hooks.list', {})).hooks).toEqual([]);
      expect((await host.call('inputs.list', {})).inputs).toHaveLength(2);
    },
  );

  test(
    '[IP-5] work that failed too often is shown on both pages, and tried again from there',
    LONG,
    async () => {
      const { input } = await host.call('inputs.start', {
        requestId: 'once',
        workflowId,
        topic: 'invoice',
        title: 'invoice 11',
        payload: { amount: 3 },
      });
      await expect.poll(() => statusOf(input.id)).toBe('succeeded');
      await host.kill();
      // As ten failures in a row leave it, which would take the better part of an hour.
      const db = new SQLite(join(folder, 'data', 'holdfast.db'));
      const { changes } = db
        .prepare(
          "UPDATE outbox SET status = 'dead', attempts = 10, last_error = 'The disk is full.' WHERE run_id = ? AND kind = 'write_completion'",
        )
        .run(input.run.id);
      db.close();
      expect(changes).toBe(1);
      host = await startHost(join(folder, 'data'));

      await page.goto(host.link('/inputs'));
      await page.getByText('1 piece of work failed too often and waits for you:').waitFor();
      await expectFine(page, 'inputs-dead');
      await page.getByRole('listitem').getByRole('link', { name: 'invoice 11' }).click();
      await page.getByText('The disk is full.').waitFor();
      await expectFine(page, 'input-dead');
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText('The disk is full.').waitFor({ state: 'detached' });
      await expect
        .poll(async () => (await host.call('outbox.list', { status: 'pending' })).rows)
        .toEqual([]);
      expect((await host.call('outbox.list', { status: 'dead' })).rows).toEqual([]);
      expect(await practice.effects()).toHaveLength(1);
    },
  );

  test(
    '[MP-1] [MP-2] the metrics tell what ran, in charts that can be read without seeing them',
    LONG,
    async () => {
      await page.goto(host.link('/activity'));
      await page.getByRole('heading', { name: 'Metrics' }).waitFor();
      const figure = (name: string) =>
        page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
      await figure('Failed').waitFor();
      const before = Number(await figure('Runs ended').textContent());

      const { post } = await makeHook('shop');
      for (const id of ['a', 'b', 'c']) expect((await post({ id, amount: 1 })).status).toBe(202);
      expect((await post({ id: 'd' }, 'not-the-secret-of-it')).status).toBe(401);
      await expect
        .poll(async () => (await host.call('metrics.snapshot', {})).effects['applied'])
        .toBe(3);
      // The page asks by itself.
      await expect
        .poll(async () => Number(await figure('Runs ended').textContent()))
        .toBeGreaterThanOrEqual(before + 3);
      const webhooks = page.getByRole('table', { name: 'Webhooks' });
      await expect.poll(() => webhooks.getByRole('row', { name: '202 3' }).count()).toBe(1);
      await expect.poll(() => webhooks.getByRole('row', { name: '401 1' }).count()).toBe(1);
      await page
        .getByRole('table', { name: 'Effects' })
        .getByRole('row', { name: 'applied 3' })
        .waitFor();

      const chart = page.getByRole('slider', { name: 'Runs ended: minute' });
      await chart.focus();
      const ranIn = async (): Promise<number> =>
        Number(/(\d+) runs?/.exec((await chart.getAttribute('aria-valuetext')) ?? '')?.[1] ?? 0);
      // The minute may have turned while they ran.
      const last = await ranIn();
      await page.keyboard.press('ArrowLeft');
      expect(last + (await ranIn())).toBeGreaterThanOrEqual(3);
      await page.keyboard.press('Home');
      expect(await chart.getAttribute('aria-valuetext')).toMatch(/ · Holdfast was not running$/);
      await page.getByText(/^\d\d:\d\d · Holdfast was not running$/).waitFor();
      await page.getByText('As a table').first().click();
      const table = page.getByRole('table', { name: 'Runs ended, as a table' });
      await expect.poll(() => table.getByRole('row').count()).toBeGreaterThanOrEqual(2);
      await expectFine(page, 'metrics');
    },
  );
});
