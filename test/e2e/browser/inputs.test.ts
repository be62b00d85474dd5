// Inputs, hooks and metrics in Chromium, against a real host. Webhooks are real requests, and their
// effects happen in the practice service, a separate process.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
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

/** Axe takes seconds per page. */
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
    '[AF-16] artifacts are listed on the input page, opened, saved and attached',
    LONG,
    async () => {
      const { input } = await host.call('inputs.start', {
        requestId: crypto.randomUUID(),
        workflowId,
        topic: 'invoice',
        title: 'Invoice with a receipt',
        payload: { id: 'inv-9', amount: 9 },
      });
      await page.goto(host.link(`/inputs/${input.id}`));
      const panel = page.locator('section', {
        has: page.getByRole('heading', { name: 'Artifacts' }),
      });
      await panel.getByText('sources.json').first().waitFor();
      const attach = async (name: string, content: Buffer): Promise<void> => {
        const [chooser] = await Promise.all([
          page.waitForEvent('filechooser'),
          panel.getByRole('button', { name: 'Attach a file' }).click(),
        ]);
        await chooser.setFiles({ name, mimeType: 'text/plain', buffer: content });
      };
      await attach('receipt.txt', Buffer.from('paid in full'));
      const item = panel.getByRole('listitem').filter({ hasText: 'receipt.txt' });
      await item.getByText('text/plain').waitFor();
      await item.getByRole('button', { name: 'Open the artifact receipt.txt' }).click();
      const shown = page.getByRole('group', { name: 'Content of receipt.txt' });
      expect(await shown.textContent()).toBe('paid in full');
      await expectFine(page, 'input-artifacts');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        item.getByRole('button', { name: 'Save the artifact receipt.txt' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('receipt.txt');
      expect(readFileSync(await download.path(), 'utf8')).toBe('paid in full');
      await attach('large.bin', Buffer.alloc(1024 * 1024 + 1));
      await panel.getByText(/Nothing was attached/).waitFor();
      expect(await panel.getByRole('listitem').filter({ hasText: 'large.bin' }).count()).toBe(0);
    },
  );

  test(
    '[IP-1] [IP-2] a webhook appears live, once, with its payload, redactions, run and effect',
    LONG,
    async () => {
      const { post } = await makeHook('shop');
      await page.goto(host.link('/inputs'));
      await page.getByText('No inputs yet').waitFor();
      await expectFine(page, 'inputs-empty');

      const body = { id: 'inv-1', amount: 700, password: 'correct horse battery' };
      expect((await post(body)).status).toBe(202);
      await row('shop').getByText('Succeeded').waitFor();
      const again = await post(body);
      expect([again.status, again.headers.get('holdfast-duplicate')]).toEqual([
        202,
        expect.any(String),
      ]);
      // A later delivery appears next: a row for the duplicate would be there before it.
      expect((await post({ id: 'inv-2', amount: 5 })).status).toBe(202);
      await expect.poll(() => row('shop').count()).toBe(2);
      await row('shop').nth(0).getByText('Succeeded').waitFor();
      await expectFine(page, 'inputs');
      expect(await practice.effects()).toHaveLength(2);

      await row('shop').nth(1).getByRole('link').click();
      await page.getByRole('heading', { name: 'Activity' }).waitFor();
      const payload = page.getByRole('group', { name: 'Payload', exact: true });
      expect(await payload.textContent()).toContain('"amount": 700');
      expect(await page.locator('main').textContent()).not.toContain('correct horse battery');
      const taken = page.getByRole('region', { name: 'Redacted' });
      expect(await taken.textContent()).toContain('password');
      const story = page.locator('section', { hasText: 'Activity' });
      await story.getByText('Applied').first().waitFor();
      await story.getByText('http.post').first().waitFor();
      await story
        .getByText(/^Follows from /)
        .first()
        .waitFor({ state: 'attached' });
      await expectFine(page, 'input');

      await page.getByRole('button', { name: /: this input/ }).click();
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

  test('[IP-1] filters and search are in the URL and survive reload and back', LONG, async () => {
    const { post } = await makeHook('shop');
    await post({ id: 'inv-1', amount: 700 });
    await startDoubtful('invoice 8');
    await page.goto(host.link('/inputs'));
    await expect.poll(() => rows().count()).toBe(3);

    await choose('Status', 'Needs you');
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
    await page.getByText('No inputs match').waitFor();
    await page.getByRole('link', { name: 'Show all inputs' }).click();
    await page.getByRole('searchbox').fill('INVOICE 8');
    await expect.poll(() => rows().count()).toBe(2);
    await row('invoice 8').waitFor();
  });

  test(
    '[IP-2] [IP-3] a manual input needs a person and is skipped, and another is settled',
    LONG,
    async () => {
      await page.goto(host.link('/inputs'));
      await page.getByRole('button', { name: 'Start manually' }).click();
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('Select a workflow.').waitFor();
      await choose('Workflow', 'clerk', 'dialog');
      await choose('Automatic', 'doubtful', 'dialog');
      await page.getByRole('textbox', { name: /Title/ }).fill('invoice 9');
      await page.getByRole('textbox', { name: /Payload/ }).fill('{ not json');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByText('Invalid JSON. Nothing was started.').waitFor();
      await page.getByRole('textbox', { name: /Payload/ }).fill('{"choices":["yes","no"]}');
      await expectFine(page, 'input-start');
      await page.getByRole('button', { name: 'Start', exact: true }).click();
      await page.getByRole('heading', { name: 'invoice 9' }).waitFor();
      await page.getByText('Something this input started needs you.').waitFor();
      expect(
        await page.getByRole('link', { name: 'Settle in the inbox' }).getAttribute('href'),
      ).toBe('/inbox');
      await expectFine(page, 'input-waits');
      const inputId = new URL(page.url()).pathname.split('/').at(-1) ?? '';

      await page.getByRole('button', { name: 'Skip…' }).click();
      await page.getByRole('textbox', { name: /Reason/ }).fill('paid by hand');
      await expectFine(page, 'input-skip');
      await page.getByRole('button', { name: 'Skip input' }).click();
      await page.getByText('Reason: paid by hand').waitFor();
      expect(await statusOf(inputId)).toBe('skipped');
      await page.getByRole('button', { name: 'Skip…' }).waitFor({ state: 'detached' });
      expect(await practice.effects()).toEqual([]);

      const other = await startDoubtful('invoice 10');
      // The next input is blocked and must say why.
      const { input: behind } = await host.call('inputs.start', {
        requestId: 'behind',
        workflowId,
        topic: 'invoice',
        title: 'invoice 11',
        payload: { amount: 1 },
      });
      await page.goto(host.link(`/inputs/${behind.id}`));
      await page.getByText(/“clerk” is waiting for a decision in the inbox/).waitFor();
      await host.call('workflows.pause', { workflowId });
      await page.getByText('“clerk” is paused. This input continues when you resume it.').waitFor();
      await expectFine(page, 'input-held-up');
      await host.call('workflows.resume', { workflowId });
      await page.goto(host.link(`/inputs/${other}`));
      await page.getByRole('button', { name: 'Settle…' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Settle' }).click();
      await page.getByText('Enter a reason.').waitFor();
      expect(await statusOf(other)).toBe('needs_human');
      await page.getByRole('textbox', { name: /Reason/ }).fill('seen in the bank');
      await page.getByRole('dialog').getByRole('button', { name: 'Settle' }).click();
      await page.getByText('You settled this: seen in the bank').waitFor();
      expect(await statusOf(other)).toBe('succeeded');
      await page.getByRole('button', { name: 'Settle…' }).waitFor({ state: 'detached' });
    },
  );

  test(
    '[IP-4] a hook is created, tested with the shown command, given a new secret, and removed',
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
      await choose('Automatic', 'invoice', 'dialog');
      await choose('Bearer token', 'GitHub signature', 'dialog');
      await choose('Identical body', 'Same header value', 'dialog');
      await page.getByRole('textbox', { name: /^Header/ }).fill('X-GitHub-Delivery');
      await expectFine(page, 'hook-new');
      await page.getByRole('button', { name: 'Create hook' }).click();
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
      await page.getByRole('button', { name: 'Create new secret' }).click();
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
      await page.getByRole('button', { name: 'Remove hook' }).click();
      await page.getByText('No hooks yet').waitFor();
      expect((await host.call('hooks.list', {})).hooks).toEqual([]);
      expect((await host.call('inputs.list', {})).inputs).toHaveLength(2);
    },
  );

  test(
    '[IP-5] a dead stage is shown in the list and on the input, and is retried there',
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
      // The state after ten failures, which would take most of an hour to reach.
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
      await page.getByText('1 stage failed too often and needs you:').waitFor();
      await expectFine(page, 'inputs-dead');
      await page.getByRole('listitem').getByRole('link', { name: 'invoice 11' }).click();
      await page.getByText('The disk is full.').waitFor();
      await expectFine(page, 'input-dead');
      await page.getByRole('button', { name: 'Retry' }).click();
      await page.getByText('The disk is full.').waitFor({ state: 'detached' });
      await expect
        .poll(async () => (await host.call('outbox.list', { status: 'pending' })).rows)
        .toEqual([]);
      expect((await host.call('outbox.list', { status: 'dead' })).rows).toEqual([]);
      expect(await practice.effects()).toHaveLength(1);
    },
  );

  test(
    '[MP-1] [MP-2] metrics count runs, effects and webhooks live, in charts that work by keyboard and as tables',
    LONG,
    async () => {
      await page.goto(host.link('/activity'));
      await page.getByRole('heading', { name: 'Metrics' }).waitFor();
      const figure = (name: string) =>
        page.locator('dl > div', { has: page.getByText(name, { exact: true }) }).locator('dd');
      await figure('Failed').waitFor();
      const before = Number(await figure('Runs').textContent());

      const { post } = await makeHook('shop');
      for (const id of ['a', 'b', 'c']) expect((await post({ id, amount: 1 })).status).toBe(202);
      expect((await post({ id: 'd' }, 'not-the-secret-of-it')).status).toBe(401);
      await expect
        .poll(async () => (await host.call('metrics.snapshot', {})).effects['applied'])
        .toBe(3);
      // The page refreshes automatically.
      await expect
        .poll(async () => Number(await figure('Runs').textContent()))
        .toBeGreaterThanOrEqual(before + 3);
      const webhooks = page.getByRole('table', { name: 'Webhooks' });
      await expect.poll(() => webhooks.getByRole('row', { name: '202 3' }).count()).toBe(1);
      await expect.poll(() => webhooks.getByRole('row', { name: '401 1' }).count()).toBe(1);
      await page
        .getByRole('table', { name: 'Effects' })
        .getByRole('row', { name: 'applied 3' })
        .waitFor();

      const chart = page.getByRole('slider', { name: 'Runs: minute' });
      await chart.focus();
      const ranIn = async (): Promise<number> =>
        Number(/(\d+) runs?/.exec((await chart.getAttribute('aria-valuetext')) ?? '')?.[1] ?? 0);
      // The runs may span two minutes.
      const last = await ranIn();
      await page.keyboard.press('ArrowLeft');
      expect(last + (await ranIn())).toBeGreaterThanOrEqual(3);
      await page.keyboard.press('Home');
      expect(await chart.getAttribute('aria-valuetext')).toMatch(/ · Holdfast wasn’t running$/);
      await page.getByText(/^\d\d:\d\d · Holdfast wasn’t running$/).waitFor();
      await page.getByText('View as table').first().click();
      const table = page.getByRole('table', { name: 'Runs by minute' });
      await expect.poll(() => table.getByRole('row').count()).toBeGreaterThanOrEqual(2);
      await expectFine(page, 'metrics');
    },
  );
});
