// Ingress of webhooks over HTTP: refusals, duplicates and hook management.
import { createHmac, randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHookServer } from '#main/inputs/hook-route.ts';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import { jsonFlaw } from '#shared/inputs/json-flaw.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';
import { fail, succeed } from '#test/support/api-calls.ts';
import { LOOPBACK } from '#test/support/create-test-host.ts';
import { eventually } from '#test/support/eventually.ts';
import { serveInProcess } from '#test/support/serve-in-process.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { addWorkflow, ECHO, ended, makeHook, post } from '#test/support/webhooks.ts';

const rows = ({ folder }: Host): number[] =>
  ['trigger_events', 'automation_runs', 'outbox', 'hook_proofs', 'script_runs'].map(
    (table) => folder.db.value<number>(`SELECT count(*) FROM ${table}`) ?? -1,
  );

const github = (secret: string, body: string): { [name: string]: string } => ({
  'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
});

async function errorOf(
  response: Response,
): Promise<{ status: number; type: string; message: string }> {
  const { error } = (await response.json()) as { error: { type: string; message: string } };
  return { status: response.status, ...error };
}

describe('refused webhooks', () => {
  it('[IG-3] a wrong token, unknown hook, other method, or an invalid, too deep or too large body is refused and writes nothing', async () => {
    const served = await serveInProcess();
    const workflowId = await addWorkflow(served.host, ECHO);
    const { url, secret } = await makeHook(served, workflowId);
    const before = rows(served.host);
    const refused = async (body: string, more = {}, at = url) =>
      errorOf(await post(at, secret, body, more));
    expect(await refused('{}', { Authorization: 'Bearer wrong' })).toMatchObject({
      status: 401,
      type: 'signature_wrong',
    });
    expect(await refused('{}', {}, `${served.url}/hooks/nowhere`)).toMatchObject({
      status: 404,
      type: 'unknown_hook',
    });
    expect((await fetch(url)).status).toBe(405);
    expect(await refused('{"a": 1,\n "b": oops}')).toMatchObject({
      status: 400,
      message: expect.stringContaining('position 15 (line 2, column 7)'),
    });
    expect(await refused('')).toMatchObject({ status: 400 });
    expect(await refused('{"__proto__": 1}')).toMatchObject({ status: 400 });
    expect(await refused('['.repeat(200) + ']'.repeat(200))).toMatchObject({
      status: 400,
      message: expect.stringContaining('nested deeper'),
    });
    expect(await refused(JSON.stringify('x'.repeat(MAX_PAYLOAD_BYTES)))).toMatchObject({
      status: 413,
    });
    const bytes = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${secret}` },
      body: Buffer.from([0x22, 0xff, 0x22]),
    });
    expect(await errorOf(bytes)).toMatchObject({
      status: 400,
      message: expect.stringContaining('UTF-8'),
    });
    expect(rows(served.host)).toEqual(before);
    expect(served.host.stores.hooks.list()[0]?.accepted).toBe(0);
  });

  it('[IG-3] a webhook over the rate limit gets 429 with Retry-After and writes nothing', async () => {
    const host = createHost({
      dataDir: tempFolder(),
      createLog: createSilentLog,
      links: LOOPBACK,
      hookRate: { burst: 2, perSecond: 0.1 },
    });
    onTestFinished(() => host.close());
    const token = host.token.current;
    const server = await startHttpServer({ host, port: 0 });
    onTestFinished(() => server.close());
    const served = { host, token, url: server.url, port: 0 };
    const { url, secret } = await makeHook(served, await addWorkflow(host, ECHO));
    for (const n of [1, 2]) expect((await post(url, secret, { n })).status).toBe(202);
    const third = await post(url, secret, { n: 3 });
    expect(third.status).toBe(429);
    expect(Number(third.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(rows(host)[0]).toBe(2);
  });

  it('[IG-3] the same signed bytes under another delivery id get 409 with the first id', async () => {
    const served = await serveInProcess();
    const workflowId = await addWorkflow(served.host, ECHO);
    const { url, secret } = await makeHook(served, workflowId, {
      auth: { kind: 'github' },
      dedup: { by: 'header', name: 'X-GitHub-Delivery' },
    });
    const body = '{"n":1}';
    const send = (delivery: string) =>
      post(url, 'unused', body, { ...github(secret, body), 'X-GitHub-Delivery': delivery });
    const first = await send('d1');
    expect(first.status).toBe(202);
    const { id } = (await first.json()) as { id: string };
    const again = await send('d1');
    expect(again.status).toBe(202);
    const replay = await send('d2');
    expect(replay.status).toBe(409);
    expect(await replay.json()).toMatchObject({ id, error: { type: 'replay' } });
    const missing = await post(url, 'unused', body, github(secret, body));
    expect(await errorOf(missing)).toMatchObject({ status: 400, type: 'no_dedup_key' });
    expect(rows(served.host).slice(0, 2)).toEqual([1, 1]);
  });

  it('[IG-3] jsonFlaw returns the position of the first invalid character', () => {
    const at = (text: string): number => jsonFlaw(text).position;
    expect(at('')).toBe(0);
    expect(at('{"a":}')).toBe(5);
    expect(at('[1,]')).toBe(3);
    expect(at('{"a":1,}')).toBe(7);
    expect(at('{"a" 1}')).toBe(5);
    expect(at('[1 2]')).toBe(3);
    expect(at('{"a":1}}')).toBe(7);
    expect(at('[1}')).toBe(2);
    expect(at('"a\nb"')).toBe(0);
    expect(at('[01]')).toBe(2);
    expect(at('{"a":[')).toBe(6);
    expect(at('nul')).toBe(0);
    expect(jsonFlaw('[\r\n1,\n oops]')).toEqual({ position: 7, line: 3, column: 2 });
  });
});

describe('accepted webhooks', () => {
  it('[IG-2] concurrent duplicates get the same response and create one input', async () => {
    const served = await serveInProcess();
    const workflowId = await addWorkflow(served.host, ECHO);
    const {
      url,
      secret,
      id: hookId,
    } = await makeHook(served, workflowId, {
      dedup: { by: 'path', path: 'order' },
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => post(url, secret, { order: 'o-1', n })),
    );
    const bodies = new Set(await Promise.all(answers.map((answer) => answer.text())));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(202));
    expect(bodies.size).toBe(1);
    const fresh = answers.filter(({ headers }) => headers.get('Holdfast-Duplicate') === null);
    expect(fresh).toHaveLength(1);
    expect(rows(served.host).slice(0, 2)).toEqual([1, 1]);
    expect(served.host.stores.hooks.get(hookId)?.accepted).toBe(1);
  });

  it('[NU-3] two deliveries whose ids differ in the last of sixteen digits are two inputs with their digits', async () => {
    const served = await serveInProcess();
    const workflowId = await addWorkflow(served.host, ECHO);
    const { url, secret } = await makeHook(served, workflowId, {
      dedup: { by: 'path', path: 'id' },
    });
    const arrived: unknown[] = [];
    for (const body of ['{"id":9007199254740992}', '{"id":9007199254740993}']) {
      const response = await post(url, secret, body);
      expect(response.headers.get('Holdfast-Duplicate')).toBe(null);
      const { id } = (await response.json()) as { id: string };
      const { payload, externalId } = await ended(served.host, id);
      arrived.push([payload, externalId]);
    }
    expect(arrived).toEqual([
      [{ id: '9007199254740992' }, '9007199254740992'],
      [{ id: '9007199254740993' }, '9007199254740993'],
    ]);
    const again = await post(url, secret, '{"id":9007199254740993}');
    expect(again.headers.get('Holdfast-Duplicate')).toBe('true');
  });

  it('[IG-1] at the 202 response the input, run and outbox row are stored and no session has started', async () => {
    const served = await serveInProcess();
    const { host } = served;
    const workflowId = await addWorkflow(host, ECHO);
    const { url, secret } = await makeHook(served, workflowId);
    host.engine.context.inputs.onWork = () => undefined;
    const answer = await post(url, secret, { id: 'x', type: 'thing' });
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ status: 'accepted' });
    expect(rows(host)).toEqual([1, 1, 1, 0, 0]);
    expect(host.stores.outbox.due(1)).toMatchObject([{ kind: 'enqueue_enrich', attempts: 0 }]);
    const { inputs } = await succeed(host.dispatch, 'inputs.list', {});
    expect(inputs).toMatchObject([
      { externalId: 'x', type: 'thing', source: 'orders', run: { status: 'queued' } },
    ]);
  });

  it('[IG-1] the 202 is sent only after the fsync of the input', async () => {
    const served = await serveInProcess();
    const workflowId = await addWorkflow(served.host, ECHO);
    const { url, secret } = await makeHook(served, workflowId);
    await served.host.engine.idle();
    const { db } = served.host.folder;
    const real = db.writeThenFsync.bind(db);
    let finishFsync: (() => void) | undefined;
    db.writeThenFsync = (...given) => {
      const { result, onDisk } = real(...given);
      const held = new Promise<void>((resolve) => (finishFsync = resolve));
      return { result, onDisk: onDisk.then(() => held) };
    };
    let isAnswered = false;
    const answer = post(url, secret, { n: 1 }).finally(() => (isAnswered = true));
    await eventually(async () => {
      expect(rows(served.host)[0]).toBe(1);
      expect(finishFsync).toBeDefined();
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAnswered).toBe(false);
    db.writeThenFsync = real;
    finishFsync?.();
    expect((await answer).status).toBe(202);
  });

  it('[IG-1] a valid correlation id of the sender is stored; an invalid one is replaced by the input id', async () => {
    const served = await serveInProcess();
    const workflowId = await addWorkflow(served.host, ECHO);
    const { url, secret } = await makeHook(served, workflowId);
    const answer = await post(url, secret, {}, { 'X-Correlation-Id': 'trace-7' });
    const { id } = (await answer.json()) as { id: string };
    expect((await ended(served.host, id)).correlationId).toBe('trace-7');
    const other = await post(url, secret, { n: 2 }, { 'X-Correlation-Id': 'bad id\u00e9' });
    const { id: second } = (await other.json()) as { id: string };
    expect((await ended(served.host, second)).correlationId).toBe(second);
  });
});

describe('hooks', () => {
  it("[IG-5] a hook's secret is shown once, stored in no row or list, and rotated with an overlap", async () => {
    const served = await serveInProcess();
    const { host } = served;
    const workflowId = await addWorkflow(host, ECHO);
    const requestId = randomUUID();
    const { url, secret, id } = await makeHook(served, workflowId, { requestId });
    const twice = { requestId, workflowId, name: 'orders', auth: { kind: 'bearer' } };
    expect((await fail(host.dispatch, 'hooks.create', twice)).type).toBe('conflict');
    const { hooks } = await succeed(host.dispatch, 'hooks.list', {});
    expect(hooks).toMatchObject([{ id, name: 'orders', topic: 'in', dedup: { by: 'body' } }]);
    expect(
      JSON.stringify(hooks) + JSON.stringify(host.folder.db.all('SELECT * FROM hooks')),
    ).not.toContain(secret);
    expect((await succeed(host.dispatch, 'secrets.names', {})).names).toEqual([]);
    const rotated = await succeed(host.dispatch, 'hooks.rotate', {
      hookId: id,
      overlapMs: 3_600_000,
    });
    for (const each of [secret, rotated.secret]) {
      expect((await post(url, each, { each: each.length })).status).toBe(202);
    }
    const ends = await succeed(host.dispatch, 'hooks.rotate', { hookId: id });
    expect((await post(url, rotated.secret, {})).status).toBe(401);
    expect((await post(url, ends.secret, {})).status).toBe(202);
    await succeed(host.dispatch, 'hooks.remove', { hookId: id });
    expect((await post(url, ends.secret, {})).status).toBe(404);
    expect((await succeed(host.dispatch, 'inputs.list', {})).inputs.length).toBeGreaterThan(0);
    expect((await fail(host.dispatch, 'hooks.rotate', { hookId: id })).type).toBe('not_found');
  });

  it('[IG-5] a webhook whose body arrives during a rotation with an overlap is accepted', async () => {
    const served = await serveInProcess();
    const { host } = served;
    const { url, secret, id } = await makeHook(served, await addWorkflow(host, ECHO));
    const status = new Promise((resolve, reject) => {
      const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json' };
      const sending = request(url, { method: 'POST', headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sending.on('error', reject);
      sending.write('{"n":');
      // Long enough for the host to have read the hook; otherwise it reads the rotated one.
      setTimeout(() => {
        const rotation = { hookId: id, overlapMs: 3_600_000 };
        void succeed(host.dispatch, 'hooks.rotate', rotation).then(() => sending.end('1}'));
      }, 100);
    });
    expect(await status).toBe(202);
  });

  it('[IG-6] a separate hook server serves only hooks; the loopback server refuses other hosts', async () => {
    const served = await serveInProcess();
    const { host } = served;
    const workflowId = await addWorkflow(host, ECHO);
    const { secret, id } = await makeHook(served, workflowId);
    const server = await startHookServer({
      route: host.inputs.hookRoute,
      host: '127.0.0.1',
      port: 0,
      log: createSilentLog(),
    });
    onTestFinished(() => server.close());
    expect((await post(`${server.url}/hooks/${id}`, secret, { n: 1 })).status).toBe(202);
    expect((await post(`${server.url}/hooks/${id}`, 'no', { n: 1 })).status).toBe(401);
    for (const path of ['/', '/api/call/host.info', '/index.html']) {
      const answer = await fetch(server.url + path, {
        headers: { Authorization: `Bearer ${served.token}` },
      });
      expect(answer.status).toBe(404);
    }
    // The loopback server refuses a foreign Host header before the hook.
    const status = await new Promise((resolve) => {
      const { port } = new URL(served.url);
      const options = {
        port,
        path: `/hooks/${id}`,
        method: 'POST',
        headers: { Host: 'evil.test' },
      };
      request({ host: '127.0.0.1', ...options }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }).end('{}');
    });
    expect(status).toBe(403);
  });
});
