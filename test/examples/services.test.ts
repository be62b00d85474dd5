// The examples that call services, run scripts and show notifications.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startExample } from '#test/examples/start-example.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

test('[TL-4] webhook-to-issue opens one issue per alert, despite a lost answer, a crash and a repeated delivery', async () => {
  const issues: string[] = [];
  const example = await startExample('webhook-to-issue.ts', {
    secrets: { 'tracker-token': 't' },
    outside: {
      'http.post': ({ json }: { json: { title: string } }) => {
        issues.push(json.title);
        return { status: 201, json: { number: 7, url: 'https://tracker.example.org/7' } };
      },
    },
    faults: ['lose the answer of the first http.post', 'crash before the second http.post'],
  });
  const hook = await example.hook({ topic: 'alert.raised', signs: 'github' });
  const alert = { service: 'shop', text: 'Disk full' };
  const first = await hook.deliver(alert);
  expect(first).toMatchObject({ status: 202, isDuplicate: false });
  expect(await hook.deliver(alert)).toMatchObject({ inputId: first.inputId, isDuplicate: true });
  expect(await hook.deliver(alert, { secret: 'a guess' })).toMatchObject({ status: 401 });
  // The check found the issue in the tracker, so it was not sent again.
  expect(issues).toEqual(['shop: Disk full']);
  expect(await example.inputs()).toMatchObject([
    {
      id: first.inputId,
      kind: 'webhook',
      status: 'succeeded',
      effects: ['http.post', 'notify.show'],
    },
  ]);
  expect(example.notices).toMatchObject([
    { title: 'shop: Disk full', body: 'https://tracker.example.org/7' },
  ]);
  // The host crashed before sending; the outcome is checked after the settle time.
  await hook.deliver({ ...alert, text: 'Slow' });
  expect((await example.inputs()).at(-1)).toMatchObject({ status: 'running', effects: [] });
  await example.pass('5m');
  expect((await example.inputs()).at(-1)).toMatchObject({ status: 'succeeded' });
  expect(issues).toEqual(['shop: Disk full', 'shop: Slow']);
  example.assertNothingTwice();
  await example.assertDone();
});

test('[RV-4] nightly-backup runs the script once a night despite a crash, and notifies when it failed', async () => {
  const repo = tempFolder();
  const script = join(repo, 'backup.sh');
  const write = (end: string): void => {
    writeFileSync(script, `#!/bin/sh\necho "$1" >> nights.txt\n${end}\n`);
    chmodSync(script, 0o755);
  };
  write('exit 0');
  const day = { type: 'string', pattern: '\\d{4}-\\d\\d-\\d\\d', required: true };
  const backup = { title: 'Back up', executable: 'backup.sh', args: { day } };
  const example = await startExample('nightly-backup.ts', {
    now: '2026-03-02T12:00:00Z',
    runner: { repos: { home: { path: repo } }, scripts: { backup } },
    faults: ['crash after the first runner.run'],
  });
  const nights = (): string[] => readFileSync(join(repo, 'nights.txt'), 'utf8').trim().split('\n');
  await example.pass('1d');
  expect(nights()).toEqual(['2026-03-03']);
  expect(example.state('backUp')).toEqual({ lastGood: '2026-03-03' });
  write('echo "the disk is full" >&2; exit 3');
  await example.pass('1d');
  expect(nights()).toEqual(['2026-03-03', '2026-03-04']);
  expect(example.notices).toMatchObject([
    { title: 'No backup of 2026-03-04', body: 'the disk is full' },
  ]);
  await example.assertDone();
});

test('[EN-6] uptime-check notifies once when the site goes down and once when it is back', async () => {
  let isUp = true;
  const example = await startExample('uptime-check.ts', {
    now: '2026-03-02T12:00:00Z',
    outside: {
      'http.get': () => {
        if (!isUp) throw new Error('503');
        return { status: 200 };
      },
    },
    // A single failed request is not reported, and a crash repeats no notification.
    faults: ['fail the second http.get', 'crash after the second notify.show'],
  });
  await example.pass('30m');
  expect(example.notices).toEqual([]);
  isUp = false;
  await example.pass('30m');
  expect(example.notices.map(({ title }) => title)).toEqual(['shop.example.org is down']);
  isUp = true;
  await example.pass('30m');
  // A notification cannot be checked, so a person settles it after the crash.
  await example.resolve('happened');
  expect(example.notices.map(({ title }) => title)).toEqual([
    'shop.example.org is down',
    'shop.example.org is back',
  ]);
  await example.assertDone();
});
