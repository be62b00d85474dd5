// Workflows from the command line, with a running host: add, list, publish, settle, hand over.
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

/** The first inbox item of this type. */
function untilItem<Type extends InboxItem['type']>(
  type: Type,
): Promise<InboxItem & { type: Type }> {
  return host.until(async () => {
    const { items } = await host.call('inbox.list', {});
    return items.find((item): item is InboxItem & { type: Type } => item.type === type);
  });
}

/** Returns the id of a paired device that is closed and will not claim a handed-over workflow. */
async function pairWithAnother(): Promise<string> {
  const other = startHost();
  const { link } = await host.call('devices.invite', {});
  await succeed(other.dispatch, 'devices.join', { link });
  await other.close();
  return other.folder.identity.deviceId;
}

/** The latest run of a handler, once `count` runs are committed. */
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

test('[CL-2] [EN-14] [EN-15] an unknown outcome is listed, settled, and cannot be settled again', async () => {
  const file = copyExample('practice.ts', folder, {
    '127.0.0.1:8808': new URL(practice.url).host,
  });
  expect(await succeeds('add', file, ...data)).toMatch(
    /^Added "practice" and activated version \w+\.\n$/,
  );
  const { mutation } = await untilItem('unknown_effect');
  const id = mutation.id.slice(0, 8);
  const [inbox, list, blind] = await Promise.all([
    succeeds('inbox', ...data),
    succeeds('list', ...data),
    refused('resolve', id, '--as', 'retry', ...data),
  ]);
  expect(inbox).toContain('practice: Outcome unknown: Three ropes');
  expect(inbox).toContain(`holdfast resolve ${id} --as happened|did-not-happen|retry|skip`);
  expect(list).toMatch(/^ID +NAME +STATUS +NEXT RUN +PENDING\n/);
  expect(list).toMatch(/^\w{8} +practice +needs you \(holdfast inbox\) +\d{4}-.* +–$/m);
  expect(blind).toMatch(
    /^holdfast: There is no automatic check .*may make it happen twice\. Nothing was sent\. .*--yes\.\n$/,
  );
  expect(practice.effects()).toHaveLength(1);

  const decision = ['--as', 'happened', '--result', '{"number":1}', '--note', 'I saw it'];
  expect(await succeeds('resolve', id, ...decision, ...data)).toBe(
    'Settled: it went through. The run continues.\n',
  );
  const runId = await untilEnded('practice', 'place');
  const [late, nothing, shown] = await Promise.all([
    refused('resolve', mutation.id, '--as', 'skip', ...data),
    succeeds('inbox', ...data),
    succeeds('show', runId, ...data),
  ]);
  expect(late).toMatch(
    /^holdfast: Another decision was first: "it went through"\. .*had no effect\.\n$/,
  );
  expect(nothing).toBe("You're all caught up.\n");
  expect(shown).toMatch(/^Three ropes {2}\(practice, place\)\n/);
  for (const part of ['Phases', 'prepared', 'mutating', 'committed', 'Effect', 'I saw it', 'Log']) {
    expect(shown).toContain(part);
  }
  expect(shown).toContain('The order was settled as applied.');
  expect(shown).toContain('result {"number":1}');
  expect(practice.effects()).toHaveLength(1);
});

test('[EN-18] publish, rerun, pause and resume send the expected number of effects', async () => {
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
  const eventId = /^Published event (\w{32})\.\n$/.exec(published)?.[1] ?? '';
  expect(sent()).toBe(1);
  expect(await succeeds('publish', 'poster', 'in', '{"a":2}', '--id', 'a', ...data)).toContain(
    'Nothing was changed',
  );
  expect(await succeeds('rerun', eventId, ...data)).toBe('"A" is pending again (attempt 2).\n');
  await untilEnded('poster', 'post', 2);
  expect(sent()).toBe(2);

  expect(await succeeds('pause', 'poster', ...data)).toBe('Paused "poster".\n');
  await succeeds('publish', 'poster', 'in', 'null', '--id', 'b', ...data);
  const [list, paused] = await Promise.all([
    succeeds('list', ...data),
    refused('run', 'poster', 'tick', ...data),
  ]);
  expect(list).toMatch(/^\w{8} +poster +paused +\d{4}-.* +1 in$/m);
  expect(paused).toContain('holdfast resume poster');
  expect(sent()).toBe(2);
  expect(await succeeds('resume', 'poster', ...data)).toBe('Resumed "poster".\n');
  await untilEnded('poster', 'post', 3);
  expect(sent()).toBe(3);
});

test('[AU-6] a changed file is a draft and runs only after activate', async () => {
  const file = join(folder, 'drafts.ts');
  const { host: outside } = new URL(practice.url);
  writeFileSync(file, postingWorkflow(outside, '', 'drafts'));
  await succeeds('add', file, ...data);
  const runTick = (): Promise<string> => succeeds('run', 'drafts', 'tick', ...data);
  expect(await runTick()).toBe('Running "tick" of "drafts". See "holdfast runs".\n');
  await untilEnded('drafts', 'post');
  writeFileSync(file, postingWorkflow(outside, `console.log('the second version');`, 'drafts'));
  expect(await succeeds('add', file, ...data)).toMatch(/as a draft\..*holdfast activate drafts\n$/);
  await runTick();
  const second = await untilEnded('drafts', 'post', 2);
  expect(await succeeds('activate', 'drafts', ...data)).toMatch(
    /^Activated version \w+ of "drafts"\.\n$/,
  );
  await runTick();
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

test('[EN-8] [EN-17] a workflow continues after an answer and after a grant', async () => {
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
  // The file declares another host than the one it calls here.
  await untilItem('approval');
  expect(practice.effects()).toHaveLength(before);
  const hosts = JSON.stringify({ hosts: [new URL(practice.url).host] });
  await succeeds('grant', 'approve-payment', 'http', hosts, ...data);
  await untilEnded('approve-payment', 'pay');
  expect(practice.effects()).toHaveLength(before + 1);
});

test('[CL-3] unknown workflows, ids, topics and producers are refused with a message', async () => {
  const messages = await Promise.all([
    refused('pause', 'nobody', ...data),
    refused('resolve', 'abc', '--as', 'skip', ...data),
    refused('show', 'no-run', ...data),
    refused('publish', 'poster', 'out', '1', ...data),
    refused('run', 'poster', 'tock', ...data),
  ]);
  expect(messages).toEqual([
    'holdfast: There is no workflow "nobody". Nothing was changed. See "holdfast list".\n',
    'holdfast: No inbox item has an id that begins with "abc". Nothing was changed. See "holdfast inbox".\n',
    'holdfast: There is no run and no input with the id "no-run". See "holdfast runs" and "holdfast inputs".\n',
    'holdfast: This workflow has no topic "out". Nothing was published. Topics: in.\n',
    'holdfast: "poster" has no producer "tock". Nothing was run. Producers: tick.\n',
  ]);
});

test('[CL-2] [OW-5] owner, handover and takeover show and change the owner', async () => {
  const file = join(folder, 'owned.ts');
  writeFileSync(file, postingWorkflow(new URL(practice.url).host, '', 'owned'));
  await succeeds('add', file, ...data);
  expect(await succeeds('owner', 'owned', ...data)).toMatch(
    /^"owned": run by this device, in epoch 1\.\n {2}epoch 1 .* added /,
  );
  expect(await refused('handover', 'owned', 'another-device', ...data)).toContain(
    'There is no device with the name or id "another-device".',
  );
  const another = await pairWithAnother();
  expect(await succeeds('handover', 'owned', another.slice(0, 8), ...data)).toMatch(
    /handed over by this device, waiting for .+; no device runs it\./,
  );
  expect(await succeeds('takeover', 'owned', '--yes', ...data)).toContain('in epoch 2.');
  expect(await refused('takeover', 'owned', '--yes', ...data)).toContain('already');
});
