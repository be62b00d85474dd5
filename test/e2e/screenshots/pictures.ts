// The list of screenshots. A new page needs one line here.
import type { Page } from 'playwright-core';
import type { World, WORLDS } from '#test/e2e/screenshots/worlds.ts';

export type Look = 'light' | 'dark' | 'narrow' | 'wide';

export interface Picture {
  readonly name: string;
  readonly world: keyof typeof WORLDS;
  readonly path: string | ((world: World) => Promise<string>);
  /** Runs before the screenshot. */
  readonly prepare?: (page: Page, world: World) => Promise<void>;
  /** Default: light, dark and narrow. */
  readonly looks?: readonly Look[];
  /** The full page, not only the viewport. */
  readonly whole?: boolean;
}

const runWith =
  (wanted: (run: { phase: string; effect: string | null; title: string | null }) => boolean) =>
  async ({ host }: World): Promise<string> => {
    const { runs } = await host.call('handlerRuns.list', { limit: 200 });
    const run = runs.find(wanted);
    if (!run) throw new Error('No such run.');
    return `/runs/${run.id}`;
  };

const workflowPage =
  (tab: string) =>
  async ({ host }: World): Promise<string> => {
    const { workflows } = await host.call('workflows.list', {});
    return `/workflows/${workflows[0]?.id}${tab}`;
  };

/** README images. `npm run screenshots -- --docs` writes them to docs/images. */
export const IN_DOCS: readonly string[] = ['inbox', 'run-unknown', 'workflow-graph'];
const jobOf =
  (scriptKey: string) =>
  async ({ host }: World): Promise<string> => {
    const { jobs } = await host.call('jobs.list', {});
    return `/jobs/${jobs.find((job) => job.scriptKey === scriptKey)?.id}`;
  };

const inputCalled =
  (wanted: string) =>
  async ({ host }: World): Promise<string> => {
    const { inputs } = await host.call('inputs.list', {});
    return `/inputs/${inputs.find(({ title }) => title === wanted)?.id}`;
  };

export const PICTURES: readonly Picture[] = [
  { name: 'start-empty', world: 'empty', path: '/' },
  { name: 'inbox-empty', world: 'empty', path: '/inbox' },
  { name: 'runs-empty', world: 'empty', path: '/runs' },
  { name: 'inputs-empty', world: 'empty', path: '/inputs' },
  { name: 'jobs-empty', world: 'empty', path: '/jobs' },
  { name: 'workflows-empty', world: 'empty', path: '/workflows', looks: ['light', 'narrow'] },
  { name: 'backups-empty', world: 'empty', path: '/settings/backups', looks: ['light'] },
  { name: 'run-missing', world: 'empty', path: '/runs/nope', looks: ['light'] },
  { name: 'inbox', world: 'usual', path: '/inbox', looks: ['light', 'dark', 'narrow', 'wide'] },
  { name: 'runs', world: 'usual', path: '/runs', looks: ['light', 'dark', 'narrow', 'wide'] },
  {
    name: 'runs-selected',
    world: 'usual',
    path: '/runs',
    looks: ['light', 'narrow'],
    prepare: async (page) => {
      await page.getByRole('row').nth(2).getByRole('checkbox').check({ force: true });
      await page.getByRole('row').nth(3).getByRole('checkbox').check({ force: true });
    },
  },
  {
    name: 'run-done',
    world: 'usual',
    path: runWith(({ title }) => title === 'Pay invoice 14'),
  },
  { name: 'run-failed', world: 'usual', path: runWith(({ phase }) => phase === 'failed') },
  {
    name: 'run-unknown',
    world: 'usual',
    path: runWith(({ effect }) => effect === 'indeterminate'),
  },
  {
    name: 'palette',
    world: 'usual',
    path: '/runs',
    looks: ['light', 'dark'],
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('theme');
    },
  },
  {
    name: 'palette-page',
    world: 'usual',
    path: workflowPage(''),
    looks: ['light', 'narrow'],
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
    },
  },
  {
    name: 'palette-workflow',
    world: 'usual',
    path: '/inbox',
    looks: ['light'],
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill('payments');
    },
  },
  {
    name: 'shortcuts',
    world: 'usual',
    path: '/inbox',
    looks: ['light', 'dark'],
    prepare: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'workflows', world: 'usual', path: '/workflows' },
  { name: 'workflow', world: 'usual', path: workflowPage('') },
  { name: 'workflow-graph', world: 'usual', path: workflowPage('/graph') },
  { name: 'workflow-versions', world: 'usual', path: workflowPage('/versions') },
  { name: 'workflow-edit', world: 'usual', path: workflowPage('/edit') },
  { name: 'workflow-new', world: 'usual', path: '/workflows/new' },
  { name: 'inputs', world: 'usual', path: '/inputs' },
  { name: 'hooks', world: 'usual', path: '/inputs/hooks' },
  { name: 'metrics', world: 'usual', path: '/activity' },
  { name: 'devices', world: 'usual', path: '/devices' },
  { name: 'devices-link', world: 'usual', path: '/devices/link' },
  { name: 'settings', world: 'usual', path: '/settings' },
  { name: 'settings-flags', world: 'usual', path: '/settings/flags', looks: ['light'] },
  { name: 'settings-grants', world: 'usual', path: '/settings/grants' },
  { name: 'settings-about', world: 'usual', path: '/settings/about', looks: ['light', 'dark'] },
  { name: 'settings-backups', world: 'usual', path: '/settings/backups' },
  { name: 'settings-history', world: 'usual', path: '/settings/history' },
  { name: 'settings-secrets', world: 'usual', path: '/settings/secrets', looks: ['light', 'dark'] },
  { name: 'settings-desktop', world: 'usual', path: '/settings/desktop', looks: ['light'] },
  { name: 'settings-access', world: 'usual', path: '/settings/access', looks: ['light'] },
  { name: 'jobs', world: 'usual', path: '/jobs' },
  { name: 'job', world: 'usual', path: jobOf('build') },
  { name: 'job-failed', world: 'usual', path: jobOf('deploy'), looks: ['light', 'narrow'] },
  { name: 'scripts', world: 'usual', path: '/scripts' },
  { name: 'script', world: 'usual', path: '/scripts/deploy', looks: ['light', 'narrow'] },
  { name: 'input', world: 'usual', path: inputCalled('Order 41') },
  { name: 'input-done', world: 'usual', path: inputCalled('Order 40') },
  {
    name: 'input-artifacts',
    world: 'usual',
    whole: true,
    path: async (world) => {
      const path = await inputCalled('Order 41')(world);
      await world.host.call('artifacts.attach', {
        requestId: 'receipt',
        inputId: path.slice('/inputs/'.length),
        name: 'receipt.txt',
        type: 'text/plain',
        base64: Buffer.from('Paid in full on 2 March.').toString('base64'),
      });
      return path;
    },
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Open the artifact receipt.txt' }).click();
      await page.getByRole('group', { name: 'Content of receipt.txt' }).waitFor();
    },
  },
  { name: 'restored-workflows', world: 'restored', path: '/workflows' },
  { name: 'restored', world: 'restored', path: '/settings/backups' },
  { name: 'runs-full', world: 'full', path: '/runs' },
  { name: 'runs-found', world: 'full', path: '/runs?q=invoice%209999', looks: ['light'] },
  { name: 'runs-none', world: 'full', path: '/runs?q=nothing+like+it', looks: ['light', 'dark'] },
  {
    name: 'runs-gone',
    world: 'full',
    path: '/runs',
    looks: ['light'],
    // Last in its world, because the host doesn't come back.
    prepare: async (page, { host }) => {
      await host.kill();
      await page
        .getByText(/Disconnected/)
        .first()
        .waitFor();
    },
  },
];
