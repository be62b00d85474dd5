// Writes, dry-runs, activates and runs a workflow in the editor.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { PracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { editorShown, replaceText } from '#test/e2e/browser/editor-page.ts';
import { seen, type AppWindow } from '#test/e2e/flows/app-window.ts';
import { eventually } from '#test/support/eventually.ts';

/** Orders rope from the practice service. A different `amount` makes a different version. */
export const ordersFor = (
  { host, url }: PracticeProcess,
  amount: number,
): string => `import { workflow } from 'holdfast';

export default workflow({
  name: 'orders',
  uses: { http: { hosts: ['${host}'] } },
  topics: ['order'],
  producers: {
    want: {
      schedule: { cron: '0 0 1 1 *' },
      publishes: ['order'],
      async run(ctx) {
        await ctx.publish('order', { id: String(ctx.now), title: 'Rope', payload: { amount: ${amount} } });
      },
    },
  },
  consumers: {
    place: {
      subscribes: 'order',
      async prepare(ctx) {
        const [event] = await ctx.peek('order', { limit: 1 });
        if (!event) return;
        console.log('placing', event.title);
        return { reservations: [event], data: event.payload, ui: { title: 'Place ' + event.title } };
      },
      async mutate(ctx, prepared) {
        await ctx.tools.http.post({ url: '${url}/effects/order', json: prepared.data });
      },
    },
  },
});
`;

/** Starts in a window without workflows. */
export async function writeAndRunOrders(
  { page, call, open }: AppWindow,
  practice: PracticeProcess,
  dataDir: string,
): Promise<void> {
  const folder = join(dataDir, 'workflows');
  const path = join(folder, 'orders.ts');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const monaco = () => asked.filter((file) => /editor|worker/.test(file));
  await open('/workflows');
  await seen(page, 'No workflows yet');
  expect(monaco()).toEqual([]);
  await page.getByRole('button', { name: 'New workflow' }).click();
  await editorShown(page);
  expect(monaco().length).toBeGreaterThan(0);

  await page.getByRole('textbox', { name: 'File name' }).fill('orders.ts');
  await replaceText(page, ordersFor(practice, 1));
  const dryRun = page.getByRole('region', { name: 'Dry run' });
  await dryRun.getByRole('button', { name: 'Start dry run' }).click();
  await dryRun.getByText(/1 effect recorded, none sent/).waitFor();
  await dryRun.getByRole('heading', { name: 'Would send' }).waitFor();
  await dryRun.getByText(`POST ${practice.url}/effects/order`).waitFor();
  await dryRun.getByText('placing Rope').waitFor();
  expect(await practice.effects()).toEqual([]);
  expect((await call('workflows.list', {})).workflows).toEqual([]);

  await page.getByRole('button', { name: 'Create and run' }).click();
  await page.waitForURL(/\/workflows\/[0-9a-f]{32}\/edit$/);
  const workflowId = page.url().split('/').at(-2) ?? '';
  expect(readFileSync(path, 'utf8')).toBe(ordersFor(practice, 1));

  await editorShown(page);
  await replaceText(page, ordersFor(practice, 2));
  await seen(page, 'Unsaved changes');
  await page.keyboard.press('Control+s');
  await seen(page, 'New version ready to activate');
  expect(readFileSync(path, 'utf8')).toBe(ordersFor(practice, 2));
  expect(readdirSync(folder)).toEqual(['orders.ts']);
  await page.getByRole('button', { name: 'Activate orders' }).click();
  await page.getByText('New version ready to activate').waitFor({ state: 'detached' });

  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('button', { name: 'Run now want' }).click();
  await eventually(async () => expect((await practice.effects()).length).toBe(1));
  await page.getByRole('img', { name: /Recent runs: .*committed/ }).waitFor();
  const { runs } = await call('handlerRuns.list', { workflowId });
  const placed = runs.find(({ handlerName }) => handlerName === 'place');
  const detail = await call('handlerRuns.get', { handlerRunId: placed?.id ?? '' });
  expect(detail.mutation).toMatchObject({ status: 'applied', params: { json: { amount: 2 } } });
}

/** Checks what the editor's workers provide: authoring types, and problems with their position. */
export async function fixOrders({ page }: AppWindow, practice: PracticeProcess): Promise<void> {
  const right = ordersFor(practice, 1);
  await seen(page, 'No problems');
  await replaceText(page, right.replace("subscribes: 'order'", "subscribes: 'nothing'"));
  const problem = page.getByRole('button', { name: /There is no topic "nothing"/ });
  await problem.waitFor();
  const line = lineOf(right, 'subscribes:');
  expect(await problem.textContent()).toContain(`Line ${line + 1}, column`);
  await page.locator('.monaco-editor .squiggly-error').first().waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await seen(page, /Nothing was saved/);

  // Completion knows the phase at the cursor: `mutate` has tools but no `peek`.
  await replaceText(page, right.replace('await ctx.tools.http.post({ url', 'ctx.;({ url'));
  await page.keyboard.press('Control+Home');
  for (let at = 0; at < lineOf(right, 'http.post'); at += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Home');
  for (let at = 0; at < 'ctx.'.length; at += 1) await page.keyboard.press('ArrowRight');
  const offered = page.locator('.suggest-widget .monaco-list-row');
  await eventually(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+Space');
    await offered.first().waitFor({ timeout: 5000 });
    expect((await offered.allTextContents()).join(' ')).toMatch(/tools/);
  });
  expect((await offered.allTextContents()).join(' ')).not.toMatch(/peek/);
  await page.keyboard.press('Escape');
}

const lineOf = (source: string, words: string): number =>
  source.split('\n').findIndex((text) => text.includes(words));
