import { expect, onTestFinished, test } from 'vitest';
import { startPractice, type Practice } from '#main/practice/practice.ts';
import { post, reconcile } from '#test/tools/http/http-call.ts';
import { answerWith, closedPort, rawServer } from '#test/tools/raw-server.ts';

const LONG_AGO = 0;

async function practiceCall(): Promise<{
  practice: Practice;
  params: { url: string; reconcile: object; [name: string]: unknown };
}> {
  const practice = await startPractice({ port: 0 });
  onTestFinished(() => practice.close());
  const params = {
    url: `${practice.url}/effects/pay`,
    json: { amount: 7 },
    reconcile: {
      url: `${practice.url}/effects`,
      query: 'key',
      happenedWhen: { jsonPath: 'count', equals: 1 },
      didNotHappenWhen: { jsonPath: 'count', equals: 0 },
    },
  };
  return { practice, params };
}

test('[TL-4] reconcile finds an effect by its key after its response was lost', async () => {
  const { practice, params } = await practiceCall();
  const faulty = { ...params, headers: { 'X-Practice-Fault': 'drop_answer' } };
  expect((await post(faulty)).type).toBe('ambiguous');
  const outcome = await reconcile(params, Date.now());
  expect(outcome).toMatchObject({
    type: 'happened',
    result: { json: { effects: [{ name: 'pay' }] } },
  });
  expect(practice.effects().length).toBe(1);
});

test('[TL-4] [DO-1] a negative answer names the time that the request may still need', async () => {
  const { params } = await practiceCall();
  // 30 s for the call's timeout and 30 s for the server to finish after it.
  expect(await reconcile(params, LONG_AGO)).toEqual({ type: 'not_there', windowMs: 60_000 });
  const quick = { ...params, reconcile: { ...params.reconcile, settleMs: 5 } };
  expect(await reconcile(quick, LONG_AGO)).toEqual({ type: 'not_there', windowMs: 5 });
});

test('[EN-35] a check that the server puts off says for how long', async () => {
  const { params } = await practiceCall();
  const server = await rawServer(
    answerWith('HTTP/1.1 503 Busy\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n'),
  );
  const asking = { ...params.reconcile, url: server.url };
  const askedAt = Date.now();
  const outcome = await reconcile({ ...params, reconcile: asking }, LONG_AGO, [
    new URL(params.url).host,
    server.host,
  ]);
  expect(outcome).toMatchObject({ type: 'unknown', waitsFor: { host: server.host } });
  const { until } = (outcome.type === 'unknown' && outcome.waitsFor) || {};
  expect((until ?? 0) - askedAt).toBeGreaterThanOrEqual(9000);
});

test('[TL-4] an unreachable, unclear or missing reconcile request leaves the effect unknown', async () => {
  const { practice, params } = await practiceCall();
  const wrong = [
    { url: `http://127.0.0.1:${await closedPort()}/` },
    { url: `${practice.url}/nowhere` },
    { happenedWhen: { jsonPath: 'count', equals: 5 }, didNotHappenWhen: undefined },
    // Both conditions match, so neither counts.
    { happenedWhen: { status: [200] } },
    {
      happenedWhen: { jsonPath: 'effects.0.key', exists: true },
      didNotHappenWhen: { status: [404] },
    },
  ];
  for (const change of wrong) {
    const changed = { ...params.reconcile, ...change };
    const given = Object.fromEntries(
      Object.entries(changed).filter(([, value]) => value !== undefined),
    );
    const hosts = [new URL(params.url).host, new URL(String(given['url'])).host];
    const outcome = await reconcile({ ...params, reconcile: given }, LONG_AGO, hosts);
    expect(outcome.type, JSON.stringify(change)).toBe('unknown');
  }
  const { reconcile: _, ...without } = params;
  expect((await reconcile(without, LONG_AGO)).type).toBe('unknown');
});

test('[TL-4] the effect id is inserted into the URL, the header and the expected value', async () => {
  const body = '{"payment":{"id":"effect-1","done":null}}';
  const server = await rawServer(
    answerWith(
      `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  );
  const ask = (happenedWhen: object) =>
    reconcile(
      {
        url: server.url,
        auth: { bearerSecret: 'token' },
        reconcile: { url: `${server.url}/by/{effectId}`, header: 'X-Key', happenedWhen },
      },
      LONG_AGO,
    );
  expect((await ask({ jsonPath: 'payment.id', equals: '{effectId}' })).type).toBe('happened');
  expect((await ask({ jsonPath: 'payment.id', exists: true })).type).toBe('happened');
  expect((await ask({ jsonPath: 'payment.done', exists: true })).type).toBe('unknown');
  expect((await ask({ jsonPath: 'payment.constructor', exists: true })).type).toBe('unknown');
  expect((await ask({ status: [200] })).type).toBe('happened');
  expect(server.received[0]).toMatch(
    /^GET \/by\/effect-1 .*x-key: effect-1.*authorization: Bearer /is,
  );
});

test('[NU-6] a check tells two numbers apart that differ in one of twenty digits, and knows a large number of the workflow', async () => {
  const body = `{"id":12345678901234567891,"computed":${2 ** 60}}`;
  const server = await rawServer(
    answerWith(
      `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    ),
  );
  const ask = async (jsonPath: string, equals: unknown): Promise<string> => {
    const happenedWhen = { jsonPath, equals };
    const params = { url: server.url, reconcile: { url: server.url, happenedWhen } };
    return (await reconcile(params, LONG_AGO)).type;
  };
  expect(await ask('id', '12345678901234567891')).toBe('happened');
  expect(await ask('id', '12345678901234567892')).toBe('unknown');
  expect(await ask('id', Number('12345678901234567891'))).toBe('unknown');
  expect(await ask('computed', 2 ** 60)).toBe('happened');
  expect(await ask('computed', 2 ** 60 + 256)).toBe('unknown');
});
