// Limits and waits of outside hosts through the API, on real hosts.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Host } from '#main/host/host.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { createTestHost } from '#test/support/create-test-host.ts';
import { eventually } from '#test/support/eventually.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { answerWith, closedPort, rawServer, type RawServer } from '#test/tools/raw-server.ts';

type Outside = Pick<RawServer, 'host' | 'url'>;

async function add(host: Host, name: string, { host: outside, url }: Outside): Promise<string> {
  const path = join(tempFolder(), 'workflow.ts');
  writeFileSync(
    path,
    `import { workflow } from 'holdfast';
export default workflow({
  name: '${name}', uses: { http: { hosts: ['${outside}'] } }, topics: ['in'],
  limits: { '${outside}': { concurrent: 4 } },
  producers: { read: { schedule: { cron: '0 0 1 1 *' }, async run(ctx) {
    await ctx.tools.http.get({ url: '${url}/feed' });
  } } },
  consumers: { send: { subscribes: 'in',
    async prepare(ctx) {
      const [event] = await ctx.peek('in');
      return { reservations: event ? [event] : [] };
    },
    async mutate(ctx) { await ctx.tools.http.post({ url: '${url}/orders', json: 1 }); },
  } },
});`,
  );
  return (await succeed(host.dispatch, 'workflows.add', { path })).workflowId;
}

const BUSY = 'HTTP/1.1 429 Slow down\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n';

describe('outside hosts', () => {
  test('[OH-9] a limit is set, changed and removed, and the strictest one is shown', async () => {
    const host = createTestHost();
    const server = await rawServer(answerWith(BUSY));
    await add(host, 'reader', server);
    const byWorkflow = { host: server.host, limit: { perSecond: null, concurrent: 4 }, own: null };
    const list = () => succeed(host.dispatch, 'hosts.list', {});
    expect((await list()).hosts).toMatchObject([byWorkflow]);
    const set = (limit: object | null) =>
      succeed(host.dispatch, 'hosts.setLimit', { host: server.host, limit });
    expect((await set({ perSecond: 2 })).hosts).toMatchObject([
      {
        limit: { perSecond: 2, concurrent: 4 },
        own: { perSecond: 2, concurrent: null },
        heldUntil: null,
      },
    ]);
    expect((await set({ concurrent: 9 })).hosts).toMatchObject([
      { limit: { perSecond: null, concurrent: 4 }, own: { perSecond: null, concurrent: 9 } },
    ]);
    expect((await set(null)).hosts).toMatchObject([byWorkflow]);
  });

  test('[OH-8] an invalid limit is refused, and nothing is changed', async () => {
    const host = createTestHost();
    for (const input of [
      { host: 'https://api.example.org', limit: { perSecond: 1 } },
      { host: '*.example.org', limit: { perSecond: 1 } },
      { host: 'api.example.org', limit: {} },
      { host: 'api.example.org', limit: { perSecond: 0 } },
    ]) {
      const error = await fail(host.dispatch, 'hosts.setLimit', input);
      expect(error.type).toBe('invalid_input');
    }
    expect(await succeed(host.dispatch, 'hosts.list', {})).toEqual({ hosts: [] });
  });

  test('[OH-6] a host that asks to wait is shown, with each workflow that waits for it', async () => {
    const host = createTestHost();
    const server = await rawServer(answerWith(BUSY));
    const first = await add(host, 'first', server);
    const second = await add(host, 'second', server);
    const event = { topic: 'in', messageId: 'm1', title: 'One', payload: null };
    await succeed(host.dispatch, 'events.publish', { workflowId: first, ...event });
    const views = async () =>
      (await succeed(host.dispatch, 'workflows.list', { limit: 10 })).workflows.map(
        ({ waitsFor, failing, status }) => ({ waitsFor, failing, status }),
      );
    await eventually(async () => expect((await views())[0]?.waitsFor.length).toBe(1));
    await succeed(host.dispatch, 'events.publish', { workflowId: second, ...event });
    await eventually(async () => expect((await views())[1]?.waitsFor.length).toBe(1));
    const [held] = (await succeed(host.dispatch, 'hosts.list', {})).hosts;
    expect(held).toMatchObject({ host: server.host, active: 0 });
    expect(held?.heldUntil).toBeGreaterThan(Date.now() + 3_500_000);
    const waitsFor = [
      { handler: 'send', host: server.host, until: held?.heldUntil, isNetwork: false },
    ];
    expect(await views()).toMatchObject([
      { waitsFor, failing: [], status: 'active' },
      { waitsFor, failing: [], status: 'active' },
    ]);
    // The second workflow sent nothing.
    expect(server.received.join('').match(/^POST/gm)).toHaveLength(1);
  });

  test('[OF-2] [OF-5] [OF-7] all workflows wait for a real server that stops, and continue when it starts again', async () => {
    const host = createTestHost();
    const port = await closedPort();
    const outside = { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
    const first = await add(host, 'first', outside);
    const second = await add(host, 'second', outside);
    const publish = (workflowId: string, messageId: string) =>
      succeed(host.dispatch, 'events.publish', {
        workflowId,
        topic: 'in',
        messageId,
        title: messageId,
        payload: null,
      });
    const views = async () =>
      (await succeed(host.dispatch, 'workflows.list', { limit: 10 })).workflows;
    const waiting = async () => (await views()).map(({ waitsFor }) => waitsFor[0]?.host ?? null);
    for (const id of ['a', 'b']) {
      await publish(first, id);
      await publish(second, id);
    }
    await eventually(async () => expect(await waiting()).toEqual([outside.host, outside.host]));
    for (const { waitsFor, failing, status } of await views()) {
      expect(waitsFor).toMatchObject([{ until: null, isNetwork: false }]);
      expect([failing, status]).toEqual([[], 'active']);
    }
    const [down] = (await succeed(host.dispatch, 'hosts.list', {})).hosts;
    expect(down?.downSince).toBeLessThanOrEqual(Date.now());

    const keys: string[] = [];
    const server = createServer((request, response) => {
      keys.push(String(request.headers['idempotency-key']));
      response.end('{}');
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await eventually(async () => expect(keys.length).toBe(4));
    expect(new Set(keys).size).toBe(4);
    await eventually(async () => expect(await waiting()).toEqual([null, null]));
    expect((await succeed(host.dispatch, 'inbox.list', {})).items).toEqual([]);
  });

  test('[OF-6] a person can have unreachable hosts probed at once', async () => {
    const host = createTestHost();
    const port = await closedPort();
    const outside = { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
    const workflowId = await add(host, 'first', outside);
    const event = { topic: 'in', messageId: 'm1', title: 'One', payload: null };
    await succeed(host.dispatch, 'events.publish', { workflowId, ...event });
    const runs = async () =>
      (await succeed(host.dispatch, 'handlerRuns.list', { workflowId, limit: 50 })).runs.length;
    await eventually(async () => expect(await runs()).toBeGreaterThan(0));
    const before = await runs();
    const answer = await succeed(host.dispatch, 'hosts.retry', {});
    expect(answer.hosts).toMatchObject([{ host: outside.host }]);
    await eventually(async () => expect(await runs()).toBeGreaterThan(before));
  });
});
