// The hosts behind the screenshots, filled by real runs. The long history is written directly to the
// store.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { restoreBackup } from '#main/upkeep/restore.ts';
import type { Json } from '#shared/json.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { writePaymentsWorkflow } from '#test/e2e/browser/payments-workflow.ts';
import { startPracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { writeWaiterWorkflow } from '#test/e2e/browser/waiter-workflow.ts';
import { COLOURED } from '#test/e2e/flows/job.ts';
import { until } from '#test/e2e/screenshots/until.ts';
import { writeRegistry } from '#test/support/runner-files.ts';
import { seedHistory } from '#test/support/seed-history.ts';

const ON_LOOPBACK = { HOLDFAST_LINK_HOST: '127.0.0.1', HOLDFAST_LINK_PORT: '0' };

const SCRIPTS = {
  build: { title: 'Build everything', sh: COLOURED },
  deploy: {
    title: 'Deploy the site',
    description: 'Copies the built site to where it is served from.',
    sh: 'echo "deploying $*"; exit 3',
    args: { copies: { type: 'integer', min: 1, max: 9, flag: '--copies', default: 2 } },
  },
};

export interface World {
  readonly host: HostProcess;
  readonly workflowId: string;
  close(): Promise<void>;
}

/** Titles that break careless layouts. */
export const ODD_TITLES = [
  'فاتورة رقم ٧ من مكتب القاهرة',
  '🧾 Rechnung 🇩🇪 №7 — „schön“',
  '<img src=x onerror=alert(1)><b>bold</b>',
  'W'.repeat(180),
];

async function empty(folder: string): Promise<World> {
  const host = await startHost(join(folder, 'data'));
  return { host, workflowId: '', close: () => host.kill() };
}

/** A host with some of everything. */
async function usual(folder: string): Promise<World> {
  const { repo } = writeRegistry(join(folder, 'data'), SCRIPTS);
  const [practice, host, attic] = await Promise.all([
    startPracticeProcess(),
    startHost(join(folder, 'data'), 0, { ...ON_LOOPBACK, RUNNER_ENABLED: 'true' }),
    startHost(join(folder, 'attic'), 0, ON_LOOPBACK),
  ]);
  await attic.call('devices.rename', { name: 'Attic' });
  const { link } = await host.call('devices.invite', {});
  await attic.call('devices.join', { link });
  const path = writePaymentsWorkflow(folder, practice.host);
  const { workflowId } = await host.call('workflows.add', { path });
  const publish = (topic: string, title: string, payload: Json): Promise<unknown> =>
    host.call('events.publish', { workflowId, topic, messageId: title, title, payload });
  for (const [index, title] of ODD_TITLES.entries()) {
    await publish('invoice', title, { amount: index * 100, note: ODD_TITLES[2] ?? '' });
  }
  for (let n = 1; n <= 14; n += 1) await publish('invoice', `invoice ${n}`, { amount: n * 10 });
  await until(async () => (await practice.effects()).length === ODD_TITLES.length + 14);
  const order = { requestId: 'Order 40', workflowId, topic: 'invoice', title: 'Order 40' };
  await host.call('inputs.start', { ...order, payload: { amount: 40 } });
  await until(async () => (await practice.effects()).length === ODD_TITLES.length + 15);
  await publish('invoice', 'no invoice', {});
  const inbox = async () => (await host.call('inbox.list', {})).items;
  await until(async () => (await inbox()).length === 1);
  await practice.loseNextAnswer();
  await publish('invoice', 'invoice 15 of Bergmann & Sons', {
    amount: 1250,
    currency: 'EUR',
    account: 'DE12 5001 0517 0648 4898 90',
  });
  await until(async () => (await inbox()).length === 2);
  const asking = await host.call('workflows.add', {
    path: writePaymentsWorkflow(join(folder, 'data'), practice.host, 'approvals'),
  });
  await host.call('events.publish', {
    workflowId: asking.workflowId,
    topic: 'doubtful',
    messageId: 'q',
    title: 'invoice 9',
    payload: { choices: ['Pay it', 'Leave it', 'Ask the office'] },
  });
  await until(async () => (await inbox()).length === 3);
  for (const title of ['Order 41', ODD_TITLES[0] ?? '']) {
    const request = { requestId: title, workflowId, topic: 'invoice', title };
    await host.call('inputs.start', { ...request, payload: { amount: 41, note: title } });
  }
  for (const scriptKey of ['build', 'deploy']) {
    await host.call('jobs.start', { requestId: scriptKey, scriptKey, repoKey: 'main', args: {} });
  }
  writeFileSync(join(repo, 'go'), '');
  await host.call('backups.make', {});
  await host.call('backups.make', {});
  const close = async (): Promise<void> => {
    await Promise.all([host.kill(), attic.kill(), practice.kill()]);
  };
  return { host, workflowId, close };
}

/** A restored device whose workflows aren't resumed yet. */
async function restored(folder: string): Promise<World> {
  const before = await startHost(join(folder, 'before'));
  const path = writeWaiterWorkflow(folder);
  const { workflowId } = await before.call('workflows.add', { path });
  await before.call('workflows.pause', { workflowId });
  const event = { workflowId, topic: 'in', messageId: 'm', title: 'first', payload: null };
  await before.call('events.publish', event);
  const { file } = await before.call('backups.make', {});
  await before.kill();
  restoreBackup(join(folder, 'data'), file, Date.now());
  const host = await startHost(join(folder, 'data'));
  return { host, workflowId, close: () => host.kill() };
}

async function full(folder: string): Promise<World> {
  const data = join(folder, 'data');
  await (await startHost(data)).kill();
  const workflowId = seedHistory(join(data, 'holdfast.db'), { runs: 100_000 });
  const host = await startHost(data);
  return { host, workflowId, close: () => host.kill() };
}

export const WORLDS = { empty, usual, restored, full } as const;
