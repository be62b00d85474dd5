import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { startPractice, type Practice } from '#main/practice/practice.ts';

async function practice(): Promise<Practice> {
  const started = await startPractice({ port: 0 });
  onTestFinished(() => started.close());
  return started;
}

function act(url: string, key: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ amount: 7 });
  return fetch(url, { method: 'POST', body, headers: { 'Idempotency-Key': key, ...headers } });
}

async function setFault(url: string, fault: object): Promise<number> {
  const { status } = await fetch(`${url}/faults`, { method: 'POST', body: JSON.stringify(fault) });
  return status;
}

test('[PR-1] acts, and shows what it did', async () => {
  const { url, effects } = await practice();
  const answer = await act(`${url}/effects/pay`, 'k1');
  expect(answer.status).toBe(201);
  expect(await answer.json()).toMatchObject({ effect: { number: 1, name: 'pay', key: 'k1' } });
  expect(effects()).toMatchObject([{ name: 'pay', key: 'k1', body: { amount: 7 } }]);
  const found = await (await fetch(`${url}/effects?key=k1`)).json();
  expect(found).toMatchObject({ count: 1, effects: [{ key: 'k1' }] });
  expect(await (await fetch(`${url}/effects?key=k2`)).json()).toEqual({ count: 0, effects: [] });
  expect(await (await fetch(`${url}/effects`)).json()).toMatchObject({ count: 1 });
});

test('[PR-1] an effect made twice is seen twice, unless it is told to look at the key', async () => {
  const { url, effects } = await practice();
  await act(`${url}/effects/pay`, 'k1');
  await act(`${url}/effects/pay`, 'k1');
  expect(effects().length).toBe(2);
  const again = await act(`${url}/effects/pay?dedupe=1`, 'k1');
  expect(again.status).toBe(200);
  expect(await again.json()).toMatchObject({ duplicate: true, effect: { number: 1 } });
  expect(effects().length).toBe(2);
});

test('[PR-1] loses the answer after acting, as often as it was told', async () => {
  const { url, effects } = await practice();
  expect(await setFault(url, { mode: 'drop_answer', times: 2 })).toBe(200);
  for (const key of ['k1', 'k2']) await expect(act(`${url}/effects/pay`, key)).rejects.toThrow();
  expect((await act(`${url}/effects/pay`, 'k3')).status).toBe(201);
  expect(effects().map(({ key }) => key)).toEqual(['k1', 'k2', 'k3']);
});

test('[PR-1] one request can bring its own fault', async () => {
  const { url, effects } = await practice();
  const header = (fault: string): Record<string, string> => ({ 'X-Practice-Fault': fault });
  await expect(act(`${url}/effects/pay`, 'k1', header('drop_answer'))).rejects.toThrow();
  await expect(act(`${url}/effects/pay`, 'k2', header('garbage'))).rejects.toThrow();
  expect(effects().length).toBe(2);
  await expect(act(`${url}/effects/pay`, 'k3', header('refuse'))).rejects.toThrow();
  expect((await act(`${url}/effects/pay`, 'k4', header('fail_before'))).status).toBe(500);
  expect(effects().length, 'these two did not act').toBe(2);
  expect((await act(`${url}/effects/pay`, 'k5', header('delay 1'))).status).toBe(201);
  expect((await act(`${url}/effects/pay`, 'k6', header('nonsense'))).status).toBe(201);
});

test('[PR-1] a delay acts at once and answers later; a client that left does not matter', async () => {
  const { url, effects } = await practice();
  await setFault(url, { mode: 'delay', ms: 600_000 });
  const controller = new AbortController();
  const waiting = fetch(`${url}/effects/pay`, { method: 'POST', signal: controller.signal });
  waiting.catch(() => {});
  await expect.poll(() => effects().length).toBe(1);
  controller.abort();
  await expect(waiting).rejects.toThrow();
});

test('[PR-1] looking can be made to fail, too', async () => {
  const { url } = await practice();
  await setFault(url, { mode: 'fail_before', on: 'lookups' });
  expect((await act(`${url}/effects/pay`, 'k1')).status).toBe(201);
  expect((await fetch(`${url}/effects`)).status).toBe(500);
  expect((await fetch(`${url}/effects`)).status).toBe(200);
});

test('[PR-1] wrong faults, paths and bodies get a sentence', async () => {
  const { url, effects } = await practice();
  expect(await setFault(url, { mode: 'explode' })).toBe(400);
  expect(await setFault(url, { mode: 'delay' })).toBe(400);
  expect((await fetch(`${url}/nowhere`)).status).toBe(404);
  expect((await fetch(`${url}/effects/a/b`, { method: 'POST' })).status).toBe(404);
  const huge = { method: 'POST', body: 'x'.repeat(3 * 1024 * 1024) };
  expect((await fetch(`${url}/effects/pay`, huge)).status).toBe(413);
  expect(effects()).toEqual([]);
});

test('[PR-1] the page for people escapes what it shows', async () => {
  const { url } = await practice();
  await act(`${url}/effects/pay`, '<script>alert(1)</script>');
  await act(`${url}/effects/pay`, '<script>alert(1)</script>');
  await setFault(url, { mode: 'garbage', times: 3 });
  const page = await (await fetch(`${url}/`)).text();
  expect(page).toContain('2 things happened.');
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
