// Outcomes derived from responses: statuses, redirects and sizes.
import { describe, expect, test } from 'vitest';
import type { MutationOutcome } from '#main/tools/tool.ts';
import { SECRET_VALUE } from '#test/tools/call-host.ts';
import { get, post } from '#test/tools/http/http-call.ts';
import { answerWith, isWhole, rawServer, type RawServer } from '#test/tools/raw-server.ts';

const MIB = 1024 * 1024;

function answering(head: string, body = ''): Promise<RawServer> {
  const length = `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  return rawServer(answerWith(`HTTP/1.1 ${head}\r\n${length}\r\n\r\n${body}`));
}

describe('[TL-3] outcome of a mutation by status', () => {
  test.each<[number, MutationOutcome['type'], string?]>([
    [200, 'applied'],
    [201, 'applied'],
    [202, 'applied'],
    [204, 'applied'],
    [301, 'ambiguous'],
    [302, 'ambiguous'],
    [303, 'ambiguous'],
    [304, 'ambiguous'],
    [400, 'failed', 'logic'],
    [401, 'failed', 'auth'],
    [403, 'failed', 'permission'],
    [404, 'failed', 'logic'],
    [407, 'failed', 'auth'],
    [408, 'ambiguous'],
    [409, 'failed', 'logic'],
    [422, 'failed', 'logic'],
    [425, 'failed', 'network'],
    [429, 'failed', 'network'],
    [500, 'ambiguous'],
    [501, 'failed', 'logic'],
    [502, 'ambiguous'],
    [503, 'ambiguous'],
    [504, 'ambiguous'],
    [505, 'failed', 'logic'],
    [599, 'ambiguous'],
  ])('%i is %s %s', async (status, type, errorType) => {
    const server = await answering(`${status} X\r\nRetry-After: 7`);
    const outcome = await post({ url: `${server.url}/x`, json: 1 });
    expect(outcome).toMatchObject(errorType === undefined ? { type } : { type, errorType });
    if (status === 429) expect(outcome).toMatchObject({ waitsFor: { host: server.host } });
    expect(server.received.length).toBe(1);
  });

  test('statuses listed in expect are applied, and other 2xx statuses are ambiguous', async () => {
    const conflict = await answering('409 Conflict', '{"already":true}');
    const known = await post({ url: conflict.url, expect: [201, 409] });
    expect(known).toMatchObject({ type: 'applied', result: { json: { already: true } } });
    const accepted = await answering('202 Accepted');
    expect((await post({ url: accepted.url, expect: [201] })).type).toBe('ambiguous');
  });
});

test('[NU-1] a number in a response that JavaScript would change is text with its digits', async () => {
  const server = await answering('200 OK', '{"next":12345678901234567891,"price":0.1}');
  const json = { next: '12345678901234567891', price: 0.1 };
  expect(await get({ url: server.url })).toMatchObject({ type: 'ok', result: { json } });
  expect(await post({ url: server.url, json: 1 })).toMatchObject({
    type: 'applied',
    result: { json },
  });
});

test('[TL-3] a read maps each status to an error type, and expect can allow it', async () => {
  const expected = [
    [401, 'auth'],
    [403, 'permission'],
    [404, 'logic'],
    [429, 'network'],
    [500, 'network'],
    [503, 'network'],
  ] as const;
  for (const [status, errorType] of expected) {
    const server = await answering(`${status} X`, 'a reason');
    const outcome = await get({ url: server.url });
    expect(outcome).toMatchObject({
      type: 'failed',
      errorType,
      error: expect.stringMatching(/a reason/),
    });
  }
  const missing = await answering('404 X');
  const outcome = await get({ url: missing.url, expect: [200, 404] });
  expect(outcome).toMatchObject({ type: 'ok', result: { status: 404 } });
});

test('[TL-5] a request carries the effect id as Idempotency-Key, and reserved headers are refused', async () => {
  const server = await answering('200 OK');
  await post({
    url: server.url,
    json: { a: 1 },
    headers: { 'X-Mine': 'yes' },
    query: { q: ['a b', 1] },
  });
  expect(server.received[0]).toMatch(/^POST \/\?q=a\+b&q=1 HTTP\/1\.1\r\n/);
  expect(server.received[0]).toMatch(/\r\nidempotency-key: effect-1\r\n/i);
  expect(server.received[0]).toMatch(/\r\nx-mine: yes\r\n/i);
  expect(server.received[0]).toMatch(/\r\n\r\n\{"a":1\}$/);
  for (const name of [
    'Idempotency-Key',
    'HOST',
    'content-length',
    'Transfer-Encoding',
    'Authorization',
  ]) {
    const outcome = await post({ url: server.url, headers: { [name]: 'x' } });
    expect(outcome, name).toMatchObject({
      type: 'failed',
      errorType: 'logic',
      error: expect.stringMatching(/headers/),
    });
  }
  const split = await post({ url: server.url, headers: { 'X-A': 'a\r\nX-B: b' } });
  expect(split).toMatchObject({
    type: 'failed',
    errorType: 'logic',
    error: expect.stringMatching(/headers\.X-A/),
  });
  expect(server.received.length).toBe(1);
});

test('[TL-2] the error names the invalid field', async () => {
  const url = 'http://127.0.0.1:1/';
  const cases: [object, RegExp][] = [
    [{ url: 'ftp://x/' }, /url: .*https/],
    [{ url: 'http://a:b@127.0.0.1:1/' }, /url: .*password/],
    [{ url, timeoutMs: 0 }, /timeoutMs/],
    [{ url, json: 1, text: 'x' }, /json/],
    [{ url, text: 'x'.repeat(MIB + 1) }, /larger/],
    [{ url, expect: [99] }, /expect\.0/],
    [{ url, auth: { bearerSecret: 'token', basicSecret: 'token' } }, /auth/],
    [{ url, reconcile: { url, happenedWhen: {} } }, /reconcile\.happenedWhen: needs status/],
    [{ url, reconcile: { url, happenedWhen: { jsonPath: 'a' } } }, /reconcile\.happenedWhen/],
  ];
  for (const [params, sentence] of cases) {
    const outcome = await post({ url, ...params }, ['127.0.0.1:1']);
    expect(outcome).toMatchObject({
      type: 'failed',
      errorType: 'logic',
      error: expect.stringMatching(sentence),
    });
  }
});

describe('[TL-6] redirects', () => {
  test.each([301, 302, 303, 307, 308])(
    'a mutation does not follow %i to another host',
    async (status) => {
      const other = await answering('200 OK');
      const server = await answering(`${status} X\r\nLocation: ${other.url}/there`);
      const hosts = [server.host, other.host];
      const outcome = await post({ url: `${server.url}/x`, json: 1 }, hosts);
      expect(outcome.type).toBe(status >= 307 ? 'failed' : 'ambiguous');
      expect(other.received).toEqual([]);
    },
  );

  test('a mutation follows 307 and 308 on its own host, with method, body and key', async () => {
    for (const status of [307, 308]) {
      const server = await rawServer((socket, received) => {
        if (!isWhole(received)) return;
        const moved = received.startsWith('POST /first');
        socket.end(
          moved ? `HTTP/1.1 ${status} X\r\nLocation: /second\r\n\r\n` : 'HTTP/1.1 201 X\r\n\r\n',
        );
      });
      const outcome = await post({ url: `${server.url}/first`, json: { a: 1 } });
      expect(outcome).toMatchObject({ type: 'applied', result: { status: 201 } });
      expect(server.received[1]).toMatch(
        /^POST \/second .*\r\nidempotency-key: effect-1\r\n.*\{"a":1\}$/is,
      );
    }
  });

  test('a mutation in a redirect loop fails', async () => {
    const server = await answering('307 X\r\nLocation: /again');
    const outcome = await post({ url: server.url, json: 1 });
    expect(outcome).toMatchObject({
      type: 'failed',
      errorType: 'logic',
      error: expect.stringMatching(/redirects/),
    });
  });

  test('a read follows redirects to granted hosts only and sends them no secret', async () => {
    const other = await answering('200 OK', 'there');
    const server = await answering(`302 X\r\nLocation: ${other.url}/`);
    const params = { url: server.url, auth: { bearerSecret: 'token' } };
    expect(await get(params)).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(other.received).toEqual([]);
    const outcome = await get(params, [server.host, other.host]);
    expect(outcome).toMatchObject({ type: 'ok', result: { text: 'there' } });
    expect(server.received[0]).toContain(SECRET_VALUE);
    expect(other.received[0]).not.toContain(SECRET_VALUE);
  });
});

describe('[TL-7] response sizes', () => {
  test('a mutation with an oversized response keeps the outcome of its status', async () => {
    const server = await answering('201 X', 'x'.repeat(MIB + 1));
    const outcome = await post({ url: server.url, json: 1 });
    expect(outcome).toMatchObject({
      type: 'applied',
      result: { status: 201, truncated: true, note: expect.stringMatching(/longer than/) },
    });
    const refused = await answering('400 X', 'x'.repeat(MIB + 1));
    expect((await post({ url: refused.url })).type).toBe('failed');
  });

  test('a read with an oversized response fails', async () => {
    const server = await answering('200 X', 'x'.repeat(MIB + 1));
    const outcome = await get({ url: server.url });
    expect(outcome).toMatchObject({
      type: 'failed',
      errorType: 'logic',
      error: expect.stringMatching(/longer than/),
    });
    const fits = await answering('200 X', 'x'.repeat(MIB));
    expect((await get({ url: fits.url })).type).toBe('ok');
  });

  test('an endless response is cut off', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const pour = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
      };
      socket.on('drain', pour);
      pour();
    });
    expect(await post({ url: server.url })).toMatchObject({
      type: 'applied',
      result: { truncated: true },
    });
  });
});

test('[TL-11] a response body is returned as JSON, text or base64', async () => {
  const cases: [string, object][] = [
    ['{"a":[1,null]}', { json: { a: [1, null] } }],
    ['plain é', { text: 'plain é' }],
    ['', { text: '' }],
    ['{"__proto__":{"x":1}}', { text: '{"__proto__":{"x":1}}' }],
    ['"\\ud800"', { text: '"\\ud800"' }],
    ['['.repeat(5000) + ']'.repeat(5000), { text: '['.repeat(5000) + ']'.repeat(5000) }],
  ];
  for (const [body, result] of cases) {
    const server = await answering('200 OK', body);
    expect(await post({ url: server.url })).toMatchObject({ type: 'applied', result });
  }
  const bytes = await rawServer((socket) => {
    socket.end(
      Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), Buffer.from([0xff, 0xfe, 0])]),
    );
  });
  expect(await post({ url: bytes.url })).toMatchObject({ result: { base64: '//4A' } });
});
