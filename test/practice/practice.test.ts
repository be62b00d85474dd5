import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startPractice, type Practice } from '#main/practice/practice.ts';

async function practice(): Promise<Practice> {
  const started = await startPractice({ port: 0 });
  onTestFinished(() => started.close());
  return started;
}

function post(url: string, key: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ amount: 7 });
  return fetch(url, { method: 'POST', body, headers: { 'Idempotency-Key': key, ...headers } });
}

async function setFault(url: string, fault: object): Promise<number> {
  const { status } = await fetch(`${url}/faults`, { method: 'POST', body: JSON.stringify(fault) });
  return status;
}

test('[PR-1] accepts effects and lists them, also by key', async () => {
  const { url, effects } = await practice();
  const answer = await post(`${url}/effects/pay`, 'k1');
  expect(answer.status).toBe(201);
  expect(await answer.json()).toMatchObject({ effect: { number: 1, name: 'pay', key: 'k1' } });
  expect(effects()).toMatchObject([{ name: 'pay', key: 'k1', body: { amount: 7 } }]);
  const found = await (await fetch(`${url}/effects?key=k1`)).json();
  expect(found).toMatchObject({ count: 1, effects: [{ key: 'k1' }] });
  expect(await (await fetch(`${url}/effects?key=k2`)).json()).toEqual({ count: 0, effects: [] });
  expect(await (await fetch(`${url}/effects`)).json()).toMatchObject({ count: 1 });
});

test('[PR-1] lists an effect sent twice twice, unless dedupe=1', async () => {
  const { url, effects } = await practice();
  await post(`${url}/effects/pay`, 'k1');
  await post(`${url}/effects/pay`, 'k1');
  expect(effects().length).toBe(2);
  const again = await post(`${url}/effects/pay?dedupe=1`, 'k1');
  expect(again.status).toBe(200);
  expect(await again.json()).toMatchObject({ duplicate: true, effect: { number: 1 } });
  expect(effects().length).toBe(2);
});

test('[PR-1] drops the reply of as many effects as requested', async () => {
  const { url, effects } = await practice();
  expect(await setFault(url, { mode: 'drop_answer', times: 2 })).toBe(200);
  for (const key of ['k1', 'k2']) await expect(post(`${url}/effects/pay`, key)).rejects.toThrow();
  expect((await post(`${url}/effects/pay`, 'k3')).status).toBe(201);
  expect(effects().map(({ key }) => key)).toEqual(['k1', 'k2', 'k3']);
});

test('[PR-1] applies the fault in a request header to that request', async () => {
  const { url, effects } = await practice();
  const header = (fault: string): Record<string, string> => ({ 'X-Practice-Fault': fault });
  await expect(post(`${url}/effects/pay`, 'k1', header('drop_answer'))).rejects.toThrow();
  await expect(post(`${url}/effects/pay`, 'k2', header('garbage'))).rejects.toThrow();
  expect(effects().length).toBe(2);
  await expect(post(`${url}/effects/pay`, 'k3', header('refuse'))).rejects.toThrow();
  expect((await post(`${url}/effects/pay`, 'k4', header('fail_before'))).status).toBe(500);
  expect(effects().length, 'refuse and fail_before apply nothing').toBe(2);
  expect((await post(`${url}/effects/pay`, 'k5', header('delay 1'))).status).toBe(201);
  expect((await post(`${url}/effects/pay`, 'k6', header('nonsense'))).status).toBe(201);
});

test('[PR-1] applies a delayed effect immediately, and survives a client that disconnects', async () => {
  const { url, effects } = await practice();
  await setFault(url, { mode: 'delay', ms: 600_000 });
  const controller = new AbortController();
  const waiting = fetch(`${url}/effects/pay`, { method: 'POST', signal: controller.signal });
  waiting.catch(() => {});
  await expect.poll(() => effects().length).toBe(1);
  controller.abort();
  await expect(waiting).rejects.toThrow();
});

test('[PR-1] can make lookups fail', async () => {
  const { url } = await practice();
  await setFault(url, { mode: 'fail_before', on: 'lookups' });
  expect((await post(`${url}/effects/pay`, 'k1')).status).toBe(201);
  expect((await fetch(`${url}/effects`)).status).toBe(500);
  expect((await fetch(`${url}/effects`)).status).toBe(200);
});

test('[PR-1] refuses invalid faults, unknown paths and large bodies', async () => {
  const { url, effects } = await practice();
  expect(await setFault(url, { mode: 'explode' })).toBe(400);
  expect(await setFault(url, { mode: 'delay' })).toBe(400);
  expect((await fetch(`${url}/nowhere`)).status).toBe(404);
  expect((await fetch(`${url}/effects/a/b`, { method: 'POST' })).status).toBe(404);
  const huge = { method: 'POST', body: 'x'.repeat(3 * 1024 * 1024) };
  expect((await fetch(`${url}/effects/pay`, huge)).status).toBe(413);
  expect(effects()).toEqual([]);
});

test('[PR-1] shows effects and queued faults on an escaped page', async () => {
  const { url } = await practice();
  await post(`${url}/effects/pay`, '<script>alert(1)</script>');
  await post(`${url}/effects/pay`, '<script>alert(1)</script>');
  await setFault(url, { mode: 'garbage', times: 3 });
  const page = await (await fetch(`${url}/`)).text();
  expect(page).toContain('2 effects.');
  expect(page).toContain('(2 times)');
  expect(page).toContain('garbage × 3');
  expect(page).not.toContain('<script>');
});

test('[PR-1] answers only to its loopback name, and to no foreign page', async () => {
  const { url, effects } = await practice();
  const { port } = new URL(url);
  for (const headers of [
    { host: 'evil.example' },
    { host: `127.0.0.1:${port}`, origin: 'https://evil.example' },
  ]) {
    const status = await new Promise((resolve) => {
      const call = request({
        port,
        host: '127.0.0.1',
        path: '/effects/pay',
        method: 'POST',
        headers,
      });
      call.on('response', (response) => resolve(response.resume().statusCode));
      call.end();
    });
    expect(status).toBe(403);
  }
  expect(effects()).toEqual([]);
});
