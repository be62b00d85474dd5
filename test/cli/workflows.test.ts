// Workflows from the command line, with a host at work: adding, looking, acting, settling.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPractice, type Practice } from '#main/practice/practice.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import {
  copyExample,
  hostForFile,
  postingWorkflow,
  refused,
  succeeds,
  type FileHost,
} from '#test/cli/holdfast.ts';
import { succeed } from '#test/support/api-calls.ts';
import { startHost } from '#test/support/paired-hosts.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
const data = ['--data', join(folder, 'data')];
let host: FileHost;
let practice: Practice;

beforeAll(async () => {
  practice = await startPractice({ port: 0 });
  host = await hostForFile(join(folder, 'data'));
});

afterAll(async () => {
  await host.stop();
  await practice.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The first thing of this type that waits. */
function untilItem<Type extends InboxItem['type']>(
  type: Type,
): Promise<InboxItem & { type: Type }> {
  return host.until(async () => {
    const { items } = await host.call('inbox.list', {});
    return items.find((item): item is InboxItem & { type: Type } => item.type === type);
  });
}

/** Its id. It is gone again: nobody claims what is handed over to it. */
async function pairWithAnother(): Promise<string> {
  const other = startHost();
  const { link } = await host.call('devices.invite', {});
  await succeed(other.dispatch, 'devices.join', { link });
  await other.close();
  return other.folder.identity.deviceId;
}

/** The last run of a handler, once so many have ended. */
function untilEnded(workflow: string, handler: string, count = 1): Promise<string> {
  return host.until(async () => {
    const { runs: all } = await host.call('handlerRuns.list', { limit: 200 });
    const runs = all.filter(({ workflowName }) => workflowName === workflow);
    const ended = runs.filter(
      ({ handlerName, phase }) => handlerName === handler && phase === 'committed',
    );
    return ended.length >= count ? ended[0]?.id : undefined;
  });
}

test('[CL-2] [EN-14] [EN-15] an unknown effect is shown, and settled once', async () => {
  const file = copyExample('practice.ts', folder, {
    '127.0.0.1:8808': new URL(practice.url).host,
  });
  expect(await succeeds('add', file, ...data)).toMatch(
    /^"practice" is added and active, version \w+\.\n$/,
  );
  const { mutation } = await untilItem('unknown_effect');
  const id = mutation.id.slice(0, 8);
  const [inbox, list, blind] = await Promise.all([
    succeeds('inbox', ...data),
    succeeds('list', ...data),
    refused('resolve', id, '--as', 'retry', ...data),
  ]);
  expect(inbox).toContain('practice: It is not known whether this happened: Three ropes');
  expect(inbox).toContain(`holdfast resolve ${id} --as happened|did-not-happen|retry|skip`);
  expect(list).toMatch(/^ID +NAME +STATE +NEXT RUN +PENDING\n/);
  expect(list).toMatch(/^\w{8} +practice +waits for you \(holdfast inbox\) +\d{4}-.* +–$/m);
  expect(blind).toMatch(
    /^holdfast: The outside cannot be asked .*may make it happen twice\. Nothing was done\. .*--yes\.\n$/,
  );
  expect(practice.effects()).toHaveLength(1);

  const way = ['--as', 'happened', '--result', '{"number":1}', '--note', 'I saw it'];
  expect(await succeeds('resolve', id, ...way, ...data)).toBe('It happened: the run goes on.\n');
  const runId = await untilEnded('practice', 'place');
  const [late, nothing, shown] = await Promise.all([
    refused('resolve', mutation.id, '--as', 'skip', ...data),
    succeeds('inbox', ...data),
    succeeds('show', runId, ...data),
  ]);
  expect(late).toMatch(
    /^holdfast: It was settled before, as "user_assert_applied"\. .*changed nothing\.\n$/,
  );
  expect(nothing).toBe('Nothing waits for you.\n');
  expect(shown).toMatch(/^Three ropes {2}\(practice, place\)\n/);
  for (const part of ['Phases', 'prepared', 'mutating', 'committed', 'Effect', 'I saw it', 'Log']) {
    expect(shown).toContain(part);
  }
  expect(shown).toContain('The order was settled as applied.');
  expect(shown).toContain('result {"number":1}');
  expect(practice.effects()).toHaveLength(1);
});

test('[EN-18] publish, rerun, pause and resume', async () => {
  const file = join(folder, 'poster.ts');
  const { host: outside } = new URL(practice.url);
  const before = practice.effects().length;
  const sent = (): number => practice.effects().length - before;
  writeFileSync(file, postingWorkflow(outside));
  await succeeds('add', file, ...data);
  const [published] = await Promise.all([
    succeeds('publish', 'poster', 'in', '{"a":1}', '--id', 'a', '--title', 'A', ...data),
    untilEnded('poster', 'post'),
  ]);
  const eventId = /^The event (\w{32}) is published\.\n$/.exec(published)?.[1] ?? '';
  expect(sent()).toBe(1);
  expect(await succeeds('publish', 'poster', 'in', '{"a":2}', '--id', 'a', ...data)).toContain(
    'it stays as it was',
  );
  expect(await succeeds('rerun', eventId, ...data)).toBe('"A" is pending again: attempt 2.\n');
  await untilEnded('poster', 'post', 2);
  expect(sent()).toBe(2);

  expect(await succeeds('pause', 'poster', ...data)).toBe('"poster" is paused.\n');
  await succeeds('publish', 'poster', 'in', 'null', '--id', 'b', ...data);
  const [list, paused] = await Promise.all([
    succeeds('list', ...data),
    refused('run', 'poster', 'tick', ...data),
  ]);
  expect(list).toMatch(/^\w{8} +poster +paused +\d{4}-.* +1 in$/m);
  expect(paused).toContain('holdfast resume poster');
  expect(sent()).toBe(2);
  expect(await succeeds('resume', 'poster', ...data)).toBe('"poster" is resumed.\n');
  await untilEnded('poster', 'post', 3);
  expect(sent()).toBe(3);
});

test('[AU-6] run now, a changed file is a draft, and runs once it is activated', async () => {
  const file = join(folder, 'drafts.ts');
  const { host: outside } = new URL(practice.url);
  writeFileSync(file, postingWorkflow(outside, '', 'drafts'));
  await succeeds('add', file, ...data);
  const ran = (): Promise<string> => succeeds('run', 'drafts', 'tick', ...data);
  expect(await ran()).toBe('"tick" of "drafts" runs now. See it with "holdfast runs".\n');
  await untilEnded('drafts', 'post');
  writeFileSync(file, postingWorkflow(outside, `console.log('the second version');`, 'drafts'));
  expect(await succeeds('add', file, ...data)).toMatch(/is a draft\..*holdfast activate drafts\n$/);
  await ran();
  const second = await untilEnded('drafts', 'post', 2);
  expect(await succeeds('activate', 'drafts', ...data)).toMatch(
    /^"drafts" runs version \w+ now\.\n$/,
  );
  await ran();
  const third = await untilEnded('drafts', 'post', 3);
  const [before, after, runs] = await Promise.all([
    succeeds('show', second, ...data),
    succeeds('show', third, ...data),
    succeeds('runs', 'drafts', '--json', ...data),
  ]);
  expect(before).not.toContain('the second version');
  expect(after).toContain('the second version');
  const { runs: all } = JSON.parse(runs) as { runs: { id: string; effect: string | null }[] };
  expect(all[0]).toMatchObject({ id: third, effect: 'applied' });
});

test('[EN-8] [EN-17] a grant and an answer let a workflow go on', async () => {
  const file = copyExample('approve-payment.ts', folder, {
    'https://bank.example.org': practice.url,
    "auth: { bearerSecret: 'bank-token' },": '',
  });
  const before = practice.effects().length;
  await succeeds('add', file, ...data);
  await succeeds(
    'publish',
    'approve-payment',
    'payment.wanted',
    '{"to":"ACME","cents":50}',
    ...data,
  );
  const { mutationId } = await untilItem('question');
  const [inbox, wrong] = await Promise.all([
    succeeds('inbox', ...data),
    refused('answer', mutationId.slice(0, 8), 'Maybe', ...data),
  ]);
  expect(inbox).toContain('approve-payment: Pay 0.50 EUR to ACME?');
  expect(inbox).toContain(`holdfast answer ${mutationId.slice(0, 8)} "Pay" or "Do not pay"`);
  expect(wrong).toBe('holdfast: The answer must be one of: Pay, Do not pay.\n');
  expect(await succeeds('answer', mutationId.slice(0, 8), 'Pay', ...data)).toBe('Answered.\n');
  // The file grants another host than the one it speaks to here.
  await untilItem('approval');
  expect(practice.effects()).toHaveLength(before);
  const hosts = JSON.stringify({ hosts: [new URL(practice.url).host] });
  await succeeds('grant', 'approve-payment', 'http', hosts, ...data);
  await untilEnded('approve-payment', 'pay');
  expect(practice.effects()).toHaveLength(before + 1);
});

test('[CL-3] what does not exist is refused with a sentence', async () => {
  const sentences = await Promise.all([
    refused('pause', 'nobody', ...data),
    refused('resolve', 'abc', '--as', 'skip', ...data),
    refused('show', 'no-run', ...data),
    refused('publish', 'poster', 'out', '1', ...data),
    refused('run', 'poster', 'tock', ...data),
  ]);
  expect(sentences).toEqual([
    'holdfast: There is no workflow "nobody". See which there are with "holdfast list".\n',
    'holdfast: Nothing that waits has an id that begins with "abc". See what waits with "holdfast inbox".\n',
    'holdfast: There is no handler run with the id "no-run".\n',
    'holdfast: This workflow has no topic "out". Nothing was published.\n',
    'holdfast: "poster" has no producer "tock". There is: tick. Nothing was run.\n',
  ]);
});

test('[CL-2] [OW-5] who runs a workflow is shown, handed over and called back', async () => {
  const file = join(folder, 'owned.ts');
  writeFileSync(file, postingWorkflow(new URL(practice.url).host, '', 'owned'));
  await succeeds('add', file, ...data);
  expect(await succeeds('owner', 'owned', ...data)).toMatch(
    /^"owned": run by this device, in epoch 1\.\n {2}epoch 1 .* added /,
  );
  expect(await refused('handover', 'owned', 'another-device', ...data)).toContain(
    'None of your devices has the id "another-device".',
  );
  const another = await pairWithAnother();
  expect(await succeeds('handover', 'owned', another, ...data)).toContain(
    `handed over by this device, waiting for ${another}; nobody runs it.`,
  );
  expect(await succeeds('takeover', 'owned', '--yes', ...data)).toContain('in epoch 2.');
  expect(await refused('takeover', 'owned', '--yes', ...data)).toContain('already');
});
