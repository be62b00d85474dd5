// Whether a request was sent: connections that fail before it and connections cut at every byte after.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callMutation } from '#main/tools/call-tool.ts';
import { createHttpTool } from '#main/tools/http/http.ts';
import { testHost } from '#test/tools/call-host.ts';
import { get, post } from '#test/tools/http/http-call.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '#test/tools/http/test-certificate.ts';
import { closedPort, isWhole, rawServer } from '#test/tools/raw-server.ts';

const ANSWER =
  'HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"ok":true}';

describe('[TL-3] a request that was not sent is not_sent', () => {
  test('nothing listens on the port', async () => {
    const outcome = await post({ url: `http://127.0.0.1:${await closedPort()}/x`, json: 1 });
    expect(outcome).toMatchObject({
      type: 'not_sent',
      errorType: 'network',
      error: expect.stringMatching(/nothing answers/),
    });
  });

  test('nothing listens on the port of an https address', async () => {
    const outcome = await post({ url: `https://127.0.0.1:${await closedPort()}/x`, json: 1 });
    expect(outcome).toMatchObject({
      type: 'not_sent',
      errorType: 'network',
      error: expect.stringMatching(/nothing answers/),
    });
    expect(await post({ url: 'https://no-such-name.invalid/x', json: 1 })).toMatchObject({
      type: 'not_sent',
      error: expect.stringMatching(/no-such-name/),
    });
  });

  test('the host name does not resolve', async () => {
    const outcome = await post({ url: 'http://no-such-name.invalid/x', json: 1 });
    expect(outcome).toMatchObject({
      type: 'not_sent',
      errorType: 'network',
      error: expect.stringMatching(/no-such-name/),
    });
  });

  test('the server does not speak TLS', async () => {
    const server = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const outcome = await post({ url: `https://${server.host}/x`, json: 'precious' });
    expect(outcome).toMatchObject({ type: 'not_sent', errorType: 'network' });
    expect(server.received.join('')).not.toMatch(/POST|precious/);
  });

  test('the server closes the connection during the TLS handshake', async () => {
    const server = await rawServer((socket) => socket.destroy());
    const outcome = await post({ url: `https://${server.host}/x`, json: 'precious' });
    expect(outcome).toMatchObject({ type: 'not_sent', errorType: 'network' });
  });

  test('the connection times out', async () => {
    const server = await rawServer(() => {});
    const outcome = await postWith({ connectTimeoutMs: 30 }, `https://${server.host}/x`);
    expect(outcome).toMatchObject({
      type: 'not_sent',
      errorType: 'network',
      error: expect.stringMatching(/in time/),
    });
  });

  test('the call times out before the connection is open', async () => {
    const server = await rawServer(() => {});
    const outcome = await post({
      url: `https://${server.host}/x`,
      json: 'precious',
      timeoutMs: 30,
    });
    expect(outcome).toMatchObject({
      type: 'not_sent',
      error: expect.stringMatching(/within 30 ms|within \d+ ms/),
    });
    expect(server.received.join('')).not.toMatch(/POST|precious/);
  });

  test('the certificate is not trusted', async () => {
    const server = await secureServer();
    const outcome = await postWith({}, server.url);
    expect(outcome).toMatchObject({
      type: 'not_sent',
      error: expect.stringMatching(/certificate/),
    });
    expect(server.requests()).toBe(0);
    const trusted = await postWith({ extraCertificates: [TEST_CERTIFICATE] }, server.url);
    expect(trusted).toMatchObject({ type: 'applied', result: { status: 200, json: { ok: true } } });
    expect(server.requests()).toBe(1);
  });
});

describe('[TL-3] a request that may have arrived is ambiguous', () => {
  test('the response is cut at every byte; only the complete one is applied', async () => {
    for (let length = 0; length <= ANSWER.length; length += 1) {
      const server = await rawServer((socket, received) => {
        if (isWhole(received)) socket.end(ANSWER.slice(0, length));
      });
      const outcome = await post({ url: `${server.url}/x`, json: { a: 1 } });
      const expected = length === ANSWER.length ? 'applied' : 'ambiguous';
      expect(outcome.type, `cut after ${length}`).toBe(expected);
      expect(server.received.length, 'never sent again').toBe(1);
    }
  });

  test('the connection is cut before, within and after the request', async () => {
    const json = { text: 'x'.repeat(300_000) };
    for (const bytes of [0, 1, 20, 200, 100_000, 300_000]) {
      const server = await rawServer(
        (socket, received) => void (received.length >= bytes && socket.destroy()),
        (socket) => void (bytes === 0 && socket.destroy()),
      );
      const outcome = await post({ url: `${server.url}/x`, json });
      // An immediate cut can be noticed while the connection is still being opened.
      const allowed = bytes === 0 ? ['ambiguous', 'not_sent'] : ['ambiguous'];
      expect(allowed, `cut after ${bytes}`).toContain(outcome.type);
      expect(server.received.length, 'never sent again').toBe(1);
    }
  });

  test('a keep-alive connection that breaks on reuse is ambiguous, and nothing is sent twice', async () => {
    let requests = 0;
    const server = await rawServer((socket) => {
      requests += 1;
      if (requests === 1) socket.write(ANSWER);
      else socket.destroy();
    });
    expect((await post({ url: `${server.url}/x`, json: 1 })).type).toBe('applied');
    expect((await post({ url: `${server.url}/x`, json: 2 })).type).toBe('ambiguous');
    expect(requests).toBe(2);
    expect(server.received.length, 'the connection was used again').toBe(1);
  });

  test('no response before the timeout', async () => {
    const server = await rawServer(() => {});
    const outcome = await post({ url: `${server.url}/x`, json: 1, timeoutMs: 50 });
    expect(outcome).toMatchObject({
      type: 'ambiguous',
      error: expect.stringMatching(/may have gone through/),
    });
  });

  test('half a response before the timeout', async () => {
    const server = await rawServer((socket) => void socket.write(ANSWER.slice(0, -3)));
    const outcome = await post({ url: `${server.url}/x`, json: 1, timeoutMs: 50 });
    expect(outcome.type).toBe('ambiguous');
  });

  test('[TL-12] a response that breaks off is reported with the status that had arrived', async () => {
    const server = await rawServer((socket) => void socket.end(ANSWER.slice(0, -3)));
    const outcome = await post({ url: `${server.url}/x`, json: 1 });
    expect(outcome).toMatchObject({
      type: 'ambiguous',
      error: expect.stringContaining(
        'lost in the middle of the response; the status 201 Created had arrived',
      ),
    });
  });

  test('a response that is not HTTP', async () => {
    const server = await rawServer((socket) => socket.end('\u0001 no HTTP\r\n\r\n'));
    const outcome = await post({ url: `${server.url}/x`, json: 1 });
    expect(outcome).toMatchObject({ type: 'ambiguous', error: expect.stringMatching(/not HTTP/) });
  });

  test('the call is aborted while it waits', async () => {
    const host = testHost();
    const server = await rawServer(() => host.stop());
    const outcome = await post({ url: `${server.url}/x`, json: 1 }, undefined, host);
    expect(outcome.type).toBe('ambiguous');
  });
});

test('[TL-3] a read without a response is a network failure', async () => {
  const cutting = await rawServer((socket) => socket.destroy());
  const dead = `http://127.0.0.1:${await closedPort()}/`;
  for (const url of [cutting.url, dead]) {
    expect(await get({ url })).toMatchObject({ type: 'failed', errorType: 'network' });
  }
});

async function secureServer(): Promise<{ url: string; requests: () => number }> {
  let requests = 0;
  const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (_, response) => {
    requests += 1;
    response.end('{"ok":true}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://127.0.0.1:${port}/`, requests: () => requests };
}

function postWith(
  options: Parameters<typeof createHttpTool>[0],
  url: string,
): ReturnType<typeof callMutation> {
  const call = { namespace: 'http', method: 'post', params: { url }, effectId: 'e' };
  const grant = { hosts: [new URL(url).host] };
  return callMutation({ http: createHttpTool(options) }, { ...call, grant }, testHost());
}
