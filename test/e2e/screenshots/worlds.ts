// The worlds that the pictures are of: real hosts, filled by real runs; a long history is written
// straight into the store.
import { join } from 'node:path';
import type { Json } from '#shared/json.ts';
import { startHost, type HostProcess } from '#test/e2e/browser/host-process.ts';
import { writePaymentsWorkflow } from '#test/e2e/browser/payments-workflow.ts';
import { startPracticeProcess } from '#test/e2e/browser/practice-process.ts';
import { until } from '#test/e2e/screenshots/until.ts';
import { seedHistory } from '#test/support/seed-history.ts';

export interface World {
  readonly host: HostProcess;
  readonly workflowId: string;
  close(): Promise<void>;
}

/** Titles and texts that break pages which were not made for them. */
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

/** Some of everything that can happen in a week. */
async function usual(folder: string): Promise<World> {
  const [practice, host] = await Promise.all([
    startPracticeProcess(),
    startHost(join(folder, 'data')),
  ]);
  const path = writePaymentsWorkflow(folder, practice.host);
  const { workflowId } = await host.call('workflows.add', { path });
  const publish = (topic: string, title: string, payload: Json): Promise<unknown> =>
    host.call('events.publish', { workflowId, topic, messageId: title, title, payload });
  for (const [index, title] of ODD_TITLES.entries()) {
    await publish('invoice', title, { amount: index * 100, note: ODD_TITLES[2] ?? '' });
  }
  for (let n = 1; n <= 14; n += 1) await publish('invoice', `invoice ${n}`, { amount: n * 10 });
  await until(async () => (await practice.effects()).length === ODD_TITLES.length + 14);
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
    path: writePaymentsWorkflow(join(folder, 'data'), practice.host),
  });
  await host.call('events.publish', {
    workflowId: asking.workflowId,
    topic: 'doubtful',
    messageId: 'q',
    title: 'invoice 9',
    payload: { choices: ['Pay it', 'Leave it', 'Ask the office'] },
  });
  await until(async () => (await inbox()).length === 3);
  const close = async (): Promise<void> => {
    await Promise.all([host.kill(), practice.kill()]);
  };
  return { host, workflowId, close };
}

async function full(folder: string): Promise<World> {
  const data = join(folder, 'data');
  await (await startHost(data)).kill();
  const workflowId = seedHistory(join(data, 'holdfast.db'), { runs: 100_000 });
  const host = await startHost(data);
  return { host, workflowId, close: () => host.kill() };
}

export const WORLDS = { empty, usual, full } as const;
