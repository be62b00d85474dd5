// The offline probe: days without a network with real tools' grants and stand-ins, and hosts that are down.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testWorkflow, type TestOptions, type WorkflowTest } from '#main/testing/test-workflow.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const account = (port: number) =>
  `{ host: 'mail.example.org', port: ${port}, user: 'me@example.org' }`;

/** Reads a page and a feed by schedule, searches mail, posts and sends what came. */
const SOURCE = `
  import { workflow } from 'holdfast';
  export default workflow({
    name: 'everything',
    uses: {
      http: { hosts: ['api.example.org'] },
      feed: { hosts: ['news.example.org'] },
      mail: { account: { from: 'me@example.org', passwordSecret: 'mail',
        smtp: ${account(465)}, imap: ${account(993)} } },
    },
    topics: ['wanted', 'news', 'mailed'],
    producers: {
      page: { schedule: { every: '6h' }, publishes: ['wanted'], async run(ctx) {
        await ctx.tools.http.get({ url: 'https://api.example.org/page' });
        await ctx.publish('wanted', { id: 'page-' + ctx.now, title: 'Page', payload: {} });
      } },
      news: { schedule: { cron: '0 9 * * *', timezone: 'UTC' }, publishes: ['news'], async run(ctx) {
        await ctx.tools.feed.read({ url: 'https://news.example.org/feed' });
        await ctx.publish('news', { id: 'news-' + ctx.now, title: 'News', payload: {} });
      } },
    },
    consumers: {
      post: { subscribes: 'wanted', async prepare(ctx) {
        const [event] = await ctx.peek('wanted', { limit: 1 });
        if (!event) return;
        await ctx.tools.http.get({ url: 'https://api.example.org/known' });
        return { reservations: [event], data: {} };
      }, async mutate(ctx) {
        await ctx.tools.http.post({ url: 'https://api.example.org/orders', json: {} });
      } },
      send: { subscribes: 'news', publishes: ['mailed'], async prepare(ctx) {
        const [event] = await ctx.peek('news', { limit: 1 });
        if (!event) return;
        await ctx.tools.mail.search({});
        return { reservations: [event], data: {} };
      }, async mutate(ctx) {
        await ctx.tools.mail.send({ to: ['you@example.org'], subject: 'News', text: 'News' });
      } },
    },
  });`;

async function start(options: TestOptions = {}): Promise<WorkflowTest> {
  const path = join(tempFolder(), 'everything.ts');
  writeFileSync(path, SOURCE);
  return testWorkflow(path, {
    now: '2026-03-02T08:00:00Z',
    secrets: { mail: 'secret' },
    outside: {
      'http.get': () => ({ status: 200 }),
      'http.post': () => ({ status: 201 }),
      'feed.read': () => ({ entries: [] }),
      'mail.search': () => [],
      'mail.send': () => ({ accepted: ['you@example.org'] }),
    },
    after: onTestFinished,
    ...options,
  });
}

async function assertUnharmed(t: WorkflowTest): Promise<void> {
  const { workflows } = await t.call('workflows.list', {});
  expect(workflows.map(({ status }) => status)).toEqual(['active']);
  expect(await t.inbox()).toEqual([]);
  t.assertNothingTwice();
}

test('[OF-1] [OF-13] [OF-14] three days offline, with a crash: nothing is paused or asked, and each effect is made once', async () => {
  const t = await start();
  await t.pass('2h');
  expect([t.reached('http.post').length, t.reached('mail.send').length]).toEqual([1, 1]);
  await t.network('offline');
  for (const id of ['a', 'b', 'c']) await t.publish('wanted', { id });
  await t.pass('1d');
  await t.crash();
  await t.pass('2d');
  expect([t.reached('http.post').length, t.reached('mail.send').length]).toEqual([1, 1]);
  const { workflows } = await t.call('workflows.list', {});
  expect(workflows[0]?.waitsFor.length).toBeGreaterThan(0);
  for (const wait of workflows[0]?.waitsFor ?? []) {
    expect(wait).toMatchObject({ until: null, isNetwork: true });
  }
  expect(workflows[0]?.failing).toEqual([]);
  await assertUnharmed(t);
  await t.network('online');
  await t.pass('10s');
  // The three events, and the latest of the missed pages and news.
  expect([t.reached('http.post').length, t.reached('mail.send').length]).toEqual([5, 2]);
  await assertUnharmed(t);
  await t.assertDone();
}, 60_000);

test('[OF-1] [OF-4] a connection that is cut before every call for twenty minutes pauses nothing', async () => {
  const t = await start({ faults: ['cut the line before every http.post'] });
  await t.publish('wanted', { id: 'a' });
  await t.pass('20m');
  const effects = await t.effects('http.post');
  expect(new Set(effects.map(({ status }) => status))).toEqual(new Set(['failed']));
  await assertUnharmed(t);
}, 60_000);

test('[OF-2] [OF-13] a host that is down holds back only its calls, and they continue automatically', async () => {
  const t = await start();
  await t.host('api.example.org', 'down');
  await t.publish('wanted', { id: 'a' });
  await t.publish('news', { id: 'b' });
  expect([t.reached('http.post').length, t.reached('mail.send').length]).toEqual([1, 1]);
  await t.pass('3h');
  const { workflows } = await t.call('workflows.list', {});
  expect(workflows[0]?.waitsFor).toMatchObject([
    { handler: 'post', host: 'api.example.org', until: null, isNetwork: false },
  ]);
  await t.host('api.example.org', 'up');
  await t.call('hosts.retry', {});
  expect(t.reached('http.post').length).toBe(2);
  await assertUnharmed(t);
});
