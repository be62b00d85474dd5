// The loopback server with raw HTTP requests.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readStatic, rendererFolder } from '#main/api/transport/static-files.ts';
import { MAX_REQUEST_BYTES } from '#shared/limits.ts';
import { succeed } from '#test/support/api-calls.ts';
import { watchCommits } from '#test/support/watch-commits.ts';
import {
  callHeaders,
  callOver,
  errorOf,
  openFeed,
  refusedFeed,
  send,
  type Place,
  type Received,
} from '#test/support/http-client.ts';
import { serveInProcess, type ServedInProcess } from '#test/support/serve-in-process.ts';
import { addWorkflow, ECHO } from '#test/support/webhooks.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const INFO = '/api/call/host.info';
const TEN_MIB = 10 * 1024 * 1024;

/** A call that writes, so that a request that should be refused is detected. */
function create(place: Place, headers: { readonly [name: string]: string }): Promise<Received> {
  const body = JSON.stringify({ requestId: 'r', name: 'n' });
  return send(place.url, { method: 'POST', path: '/api/call/workflows.create', headers, body });
}

async function expectAlive(place: Place): Promise<void> {
  expect(await callOver(place, 'host.info', {})).toMatchObject({ ok: true });
}

describe('the token', () => {
  test('[HT-1] allows calls', async () => {
    const place = await serveInProcess();
    const answer = await create(place, { Authorization: `Bearer ${place.token}` });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ ok: true, output: { name: 'n' } });
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  });

  test('[HT-1] must be complete and correct in the Authorization header', async () => {
    const place = await serveInProcess();
    const wrote = watchCommits(place.host.folder.dir);
    const { token } = place;
    const wrong = [
      {},
      { Authorization: '' },
      { Authorization: 'Bearer' },
      { Authorization: 'Bearer ' },
      { Authorization: token },
      { Authorization: `Basic ${token}` },
      { Authorization: `Bearer ${token.slice(1)}` },
      { Authorization: `Bearer ${token}x` },
      { Authorization: `Bearer ${token.toUpperCase()}` },
      { Authorization: `Bearer ${'a'.repeat(token.length)}` },
      { Cookie: `token=${token}` },
    ];
    for (const headers of wrong) {
      const answer = await create(place, headers);
      expect(answer.status, JSON.stringify(headers)).toBe(401);
      expect(errorOf(answer)).toMatchObject({ type: 'unauthorized' });
      expect(errorOf(answer).message).toContain('api-token');
      expect(answer.text).not.toContain(token);
    }
    expect(wrote()).toBe(false);
  });

  test('[HT-1] is checked before path and method under /api/', async () => {
    const { url } = await serveInProcess();
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH']) {
      for (const path of ['/api/call/nothing', '/api/', '/api/feed', INFO, '//x/api/feed']) {
        const { status, headers } = await send(url, { method, path });
        expect(status, `${method} ${path}`).toBe(401);
        expect(headers['access-control-allow-origin']).toBeUndefined();
      }
    }
  });

  test('[HT-1] is needed for the feed', async () => {
    const { url } = await serveInProcess();
    const offers = [
      [],
      ['holdfast'],
      ['holdfast', 'holdfast.bearer.'],
      ['holdfast', 'holdfast.bearer.wrong'],
    ];
    for (const protocols of offers) {
      const answer = await refusedFeed(url, '/api/feed', protocols);
      expect(answer.status, protocols.join()).toBe(401);
      expect(errorOf(answer).type).toBe('unauthorized');
    }
  });

  test('[HT-1] is not needed for the files of the window', async () => {
    const { url } = await serveInProcess();
    for (const path of ['/', '/index.html', '/runs/some-run']) {
      const page = await send(url, { path });
      expect(page.status, path).toBe(200);
      expect(page.text, path).toContain('<div id="root">');
    }
  });
});

describe('Host and Origin', () => {
  test('[HT-2] another Host is refused for calls, pages and the feed, even with the token', async () => {
    const place = await serveInProcess();
    const wrote = watchCommits(place.host.folder.dir);
    const { port } = place;
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `127.0.0.1:${port}.evil.example`,
      `evil.example@127.0.0.1:${port}`,
      `127.0.0.1:${port + 1}`,
      '127.0.0.1',
      `127.0.0.2:${port}`,
      `0.0.0.0:${port}`,
      `[::]:${port}`,
      'localhost',
    ];
    for (const host of hosts) {
      const call = await create(place, { ...callHeaders(place.token), Host: host } as never);
      expect(call.status, host).toBe(403);
      expect(errorOf(call).type).toBe('forbidden');
      const page = await send(place.url, { headers: { Host: host } });
      expect(page.status, host).toBe(403);
      expect(page.text).not.toContain('<html');
      const feed = await feedWith(place, { Host: host });
      expect(feed.status, host).toBe(403);
    }
    expect(wrote()).toBe(false);
  });

  test('[HT-2] a missing Host is refused', async () => {
    const place = await serveInProcess();
    const oldStyle = await sendRaw(
      place.port,
      `POST ${INFO} HTTP/1.0\r\nAuthorization: Bearer ${place.token}\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(oldStyle).toMatch(/^HTTP\/1\.1 403 /);
    const newStyle = await sendRaw(place.port, `GET ${INFO} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    expect(newStyle).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('[HT-2] loopback names are accepted as Host and Origin', async () => {
    const place = await serveInProcess();
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST', '[::1]']) {
      const host = `${name}:${place.port}`;
      const headers = { ...callHeaders(place.token), Host: host };
      const call = await send(place.url, { method: 'POST', path: INFO, headers, body: '{}' });
      expect(call.status, host).toBe(200);
      const own = { ...headers, Origin: `http://${host}` };
      expect(
        (await send(place.url, { method: 'POST', path: INFO, headers: own, body: '{}' })).status,
      ).toBe(200);
    }
  });

  test('[HT-2] another Origin is refused, for calls and for the feed', async () => {
    const place = await serveInProcess();
    const wrote = watchCommits(place.host.folder.dir);
    const { port, url } = place;
    const origins = [
      'https://evil.example',
      'null',
      '',
      `https://127.0.0.1:${port}`,
      `http://127.0.0.1:${port + 1}`,
      'http://127.0.0.1',
      `http://localhost:${port}`,
      `${url}.evil.example`,
      `${url}/`,
      'file://',
    ];
    for (const origin of origins) {
      const call = await create(place, { ...callHeaders(place.token), Origin: origin } as never);
      expect(call.status, origin).toBe(403);
      expect(errorOf(call).type).toBe('forbidden');
      expect(call.headers['access-control-allow-origin']).toBeUndefined();
      const feed = await feedWith(place, { Origin: origin });
      expect(feed.status, origin).toBe(403);
      expect(errorOf(feed).type).toBe('forbidden');
    }
    expect(wrote()).toBe(false);
    expect((await feedWith(place, { Origin: url })).status).toBe(101);
  });

  function feedWith(
    { url, token }: Place,
    headers: { readonly [name: string]: string },
  ): Promise<Received> {
    return refusedFeed(url, '/api/feed', ['holdfast', `holdfast.bearer.${token}`], headers);
  }
});

describe('the files of the window', () => {
  const index = (): string => readFileSync(join(rendererFolder(), 'index.html'), 'utf8');

  test('[HT-3] no path leaves the folder', async () => {
    const { url } = await serveInProcess();
    const ups = [
      '..',
      '%2e%2e',
      '%2E%2e',
      '.%2e',
      '..%2f..',
      '..%5c..',
      '..\\..',
      '....//',
      '..;',
      '%252e%252e',
    ];
    const targets = ['package.json', 'out/main/main.js', 'etc/passwd', 'SPEC.md'];
    const paths = ups.flatMap((up) =>
      targets.flatMap((target) => [
        `/${up}/${up}/${target}`,
        `/assets/${up}/${up}/${up}/${target}`,
        `/${up}%2f${up}%2f${target}`,
        `/${up}%5c${up}%5c${target}`,
      ]),
    );
    const more = [
      '//etc/passwd',
      '/%2fetc%2fpasswd',
      '/etc/passwd%00.html',
      '/%00',
      '/package.json%00.js',
    ];
    for (const path of [...paths, ...more]) {
      const { status, text } = await send(url, { path });
      expect([200, 404], path).toContain(status);
      expect(status === 200 ? text : text.length, path).toEqual(
        status === 200 ? index() : 'File not found.'.length,
      );
    }
  });

  test('[HT-3] a sibling folder with the same name prefix is not served', async () => {
    const parent = tempFolder();
    const folder = join(parent, 'renderer');
    for (const name of ['renderer', 'renderer-secret']) mkdirSync(join(parent, name));
    writeFileSync(join(folder, 'index.html'), 'the page');
    writeFileSync(join(parent, 'renderer-secret', 'a.js'), 'secret');
    writeFileSync(join(parent, 'renderer.js'), 'secret');
    const paths = ['/../renderer-secret/a.js', '/..%2frenderer-secret%2fa.js', '/..%2frenderer.js'];
    for (const path of paths) {
      const { status, body } = await readStatic(path, folder);
      expect([status, body.toString()], path).toEqual([200, 'the page']);
    }
  });

  test('[HT-3] a built script has its type and content; folders are not listed; missing files give 404', async () => {
    const { url } = await serveInProcess();
    const files = readdirSync(join(rendererFolder(), 'assets'));
    const script = files.find((file) => file.endsWith('.js')) as string;
    const found = await send(url, { path: `/assets/${script}` });
    expect(found.status).toBe(200);
    expect(found.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(found.text).toBe(readFileSync(join(rendererFolder(), 'assets', script), 'utf8'));
    expect((await send(url, { path: '/assets/' })).text).toBe(index());
    const missing = await send(url, { path: '/assets/nothing.js' });
    expect(missing).toMatchObject({ status: 404, text: 'File not found.' });
  });

  test('[HT-4] every page and file has a content security policy that allows only its own origin', async () => {
    const { url } = await serveInProcess();
    for (const path of ['/', '/runs/x', '/assets/nothing.js', '/%ff']) {
      const { headers } = await send(url, { path });
      const policy = parsePolicy(headers['content-security-policy'] as string);
      expect(policy['default-src'], path).toEqual(["'none'"]);
      expect(policy['script-src']).toEqual(["'self'"]);
      expect(policy['style-src']).toEqual(["'self'"]);
      expect(policy['connect-src']).toEqual(["'self'"]);
      expect(policy['base-uri']).toEqual(["'none'"]);
      expect(policy['form-action']).toEqual(["'none'"]);
      expect(policy['frame-ancestors']).toEqual(["'none'"]);
      expect(Object.values(policy).flat().join(' ')).not.toMatch(/unsafe|\*|https?:|blob:/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
    }
  });

  test('[HT-4] the page has no inline script or style', () => {
    expect(index()).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|javascript:/i);
  });

  test('[HT-3] pages accept only GET and HEAD', async () => {
    const { url } = await serveInProcess();
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await send(url, { method, path: '/' });
      expect(answer.status, method).toBe(404);
      expect(errorOf(answer).message).toBe('Pages accept only GET.');
    }
    const head = await send(url, { method: 'HEAD', path: '/' });
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

describe('bodies', () => {
  test.each([
    ['with its length', 'x'.repeat(TEN_MIB)],
    ['in chunks', Array.from({ length: 160 }, () => 'x'.repeat(TEN_MIB / 160))],
  ])(
    '[TR-2] a body of 10 MiB %s is refused as too large, and the host stays up',
    async (_how, body) => {
      const place = await serveInProcess();
      const wrote = watchCommits(place.host.folder.dir);
      const headers = callHeaders(place.token);
      const answer = await send(place.url, {
        method: 'POST',
        path: '/api/call/workflows.create',
        headers,
        body,
      });
      expect(answer.status).toBe(413);
      expect(errorOf(answer).type).toBe('too_large');
      expect(errorOf(answer).message).toContain(`${MAX_REQUEST_BYTES}`);
      expect(wrote()).toBe(false);
      await expectAlive(place);
    },
  );

  test('[TR-2] a body at the limit is accepted, one byte more is refused', async () => {
    const place = await serveInProcess();
    const sendBytes = (bytes: number): Promise<Received> =>
      send(place.url, {
        method: 'POST',
        path: INFO,
        headers: callHeaders(place.token),
        body: `{}${' '.repeat(bytes - 2)}`,
      });
    expect((await sendBytes(MAX_REQUEST_BYTES)).status).toBe(200);
    expect((await sendBytes(MAX_REQUEST_BYTES + 1)).status).toBe(413);
  });

  test('[TR-2] an endless body is cut off', async () => {
    const place = await serveInProcess();
    const socket = await openSocket(place.port);
    socket.write(
      `POST ${INFO} HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\nAuthorization: Bearer ${place.token}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = Buffer.from(`100000\r\n${'x'.repeat(0x100000)}\r\n`);
    let sent = 0;
    const pour = (): void => {
      while (socket.writable && socket.write(chunk)) sent += 1;
      sent += 1;
    };
    socket.on('drain', pour);
    pour();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(sent).toBeGreaterThan(32);
    expect(sent).toBeLessThan(256);
    await expectAlive(place);
  });

  test.each(['', '{', '{"a":}', 'undefined', '\u0000', '{}{}', "{'a':1}", '{"a":1,}'])(
    '[AP-1] [HT-1] the body %j is refused as invalid JSON',
    async (body) => {
      const place = await serveInProcess();
      const headers = callHeaders(place.token);
      const answer = await send(place.url, { method: 'POST', path: INFO, headers, body });
      expect(answer.status).toBe(400);
      expect(errorOf(answer).type).toBe('invalid_input');
      expect(errorOf(answer).message).toMatch(/^Invalid JSON: .*Nothing was written\.$/s);
    },
  );

  test('[AP-1] the deepest nesting that fits into a body is refused with a message', async () => {
    const place = await serveInProcess();
    const body = '['.repeat(MAX_REQUEST_BYTES / 2) + ']'.repeat(MAX_REQUEST_BYTES / 2);
    const answer = await send(place.url, {
      method: 'POST',
      path: INFO,
      headers: callHeaders(place.token),
      body,
    });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).message).toContain('nested deeper');
  });
});

describe('URLs and connections', () => {
  test('[TR-1] another method or an unknown name gives unknown_call', async () => {
    const place = await serveInProcess();
    const headers = callHeaders(place.token);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const answer = await send(place.url, { method, path: INFO, headers });
      expect(answer.status, method).toBe(404);
      expect(errorOf(answer)).toMatchObject({
        type: 'unknown_call',
        message: 'API calls have the form POST /api/call/NAME.',
      });
    }
    const names = ['nothing', '', '%zz', '%E0%A4%A', 'host.info/..', '__proto__', 'host%2Einfo%00'];
    for (const name of names) {
      const path = `/api/call/${name}`;
      const answer = await send(place.url, { method: 'POST', path, headers, body: '{}' });
      expect(answer.status, name).toBe(404);
      expect(errorOf(answer).type, name).toBe('unknown_call');
    }
  });

  test('[HT-3] an invalid URL is refused, and the host keeps running', async () => {
    const place = await serveInProcess();
    for (const path of ['//', '//[', '/\\', 'http://', '//a:b:c/']) {
      const asked = await sendRaw(
        place.port,
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\nConnection: close\r\n\r\n`,
      );
      expect(asked, path).toMatch(
        /^HTTP\/1\.1 400 [^]*"The URL is invalid\. Nothing was changed\."/,
      );
      const feed = await sendRaw(
        place.port,
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${place.token}\r\n\r\n`,
      );
      expect(feed, path).toMatch(/^HTTP\/1\.1 404 [^]*"The feed is at \/api\/feed\."/);
    }
    await expectAlive(place);
  });

  test('[HT-2] a refused client that resets the connection does not stop the host', async () => {
    const place = await serveInProcess();
    for (let i = 0; i < 50; i += 1) {
      const socket = await openSocket(place.port);
      socket.write(
        `GET /api/feed HTTP/1.1\r\nHost: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      );
      socket.resetAndDestroy();
    }
    await expectAlive(place);
  });

  test('[TR-2] an aborted request writes nothing, and the host keeps running', async () => {
    const place = await serveInProcess();
    const wrote = watchCommits(place.host.folder.dir);
    const head = `POST /api/call/workflows.create HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\nAuthorization: Bearer ${place.token}\r\nContent-Length: 100\r\n\r\n`;
    for (const text of [head.slice(0, 30), head, `${head}{"requestId":"r","name":"n"}`]) {
      const socket = await openSocket(place.port);
      await new Promise((resolve) => socket.write(text, resolve));
      socket.resetAndDestroy();
    }
    await expectAlive(place);
    expect(wrote()).toBe(false);
  });

  test('[TR-1] a slow request does not block others', async () => {
    const place = await serveInProcess();
    const slow = await openSocket(place.port);
    const answer = received(slow);
    slow.write(`POST ${INFO} HTTP/1.1\r\nHost: 127.0.0.1:${place.port}\r\nConnection: close\r\n`);
    await expectAlive(place);
    slow.write(`Authorization: Bearer ${place.token}\r\nContent-Length: 2\r\n\r\n{`);
    await expectAlive(place);
    slow.write('}');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[^]*"ok":true/);
  });

  test('[TR-2] a feed client that sends too much is disconnected; others stay', async () => {
    const place = await serveInProcess();
    const loud = await openFeed(place);
    const quiet = await openFeed(place);
    const closed = new Promise((resolve) => loud.socket.once('close', resolve));
    loud.socket.on('error', () => undefined);
    loud.socket.send('x'.repeat(100_000));
    await closed;
    const { id } = await succeed(place.host.dispatch, 'workflows.create', {
      requestId: 'r',
      name: 'n',
    });
    expect(await quiet.messages.until(({ type }) => type === 'changes')).toEqual({
      type: 'changes',
      changes: [{ table: 'workflows', ids: [id] }],
    });
  });

  test('[FD-1] a WebSocket at another path than /api/feed is refused', async () => {
    const place: ServedInProcess = await serveInProcess();
    for (const path of ['/api/feed/', '/', INFO]) {
      const answer = await refusedFeed(place.url, path, [
        'holdfast',
        `holdfast.bearer.${place.token}`,
      ]);
      expect(answer.status, path).toBe(404);
      expect(errorOf(answer).type).toBe('unknown_call');
    }
  });
});

test('[NU-1] a number in a call that JavaScript would change is stored as text with its digits', async () => {
  const place = await serveInProcess();
  const workflowId = await addWorkflow(place.host, ECHO);
  const { status, text } = await send(place.url, {
    method: 'POST',
    path: '/api/call/events.publish',
    headers: callHeaders(place.token),
    body: `{"workflowId":"${workflowId}","topic":"in","messageId":"n","title":"n","payload":{"total":12345678901234567891,"n":2}}`,
  });
  expect(status).toBe(200);
  const { output } = JSON.parse(text) as { output: { eventId: string } };
  expect(place.host.stores.events.get(output.eventId)?.payload).toEqual({
    total: '12345678901234567891',
    n: 2,
  });
});

function parsePolicy(text: string): { readonly [directive: string]: readonly string[] } {
  return Object.fromEntries(
    text.split(';').map((part) => {
      const [directive = '', ...sources] = part.trim().split(/\s+/);
      return [directive, sources];
    }),
  );
}

function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  socket.on('error', () => undefined);
  return new Promise((resolve) => socket.once('connect', () => resolve(socket)));
}

function received(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
  return new Promise((resolve) => socket.once('close', () => resolve(text)));
}

async function sendRaw(port: number, text: string): Promise<string> {
  const socket = await openSocket(port);
  const answer = received(socket);
  socket.write(text);
  return answer;
}
