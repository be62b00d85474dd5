// The end of a request that is given up, and the send gate before one is sent.
import { createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { callMutation } from '#main/tools/call-tool.ts';
import { createHttpTool } from '#main/tools/http/http.ts';
import type { MutationOutcome, ToolFailure } from '#main/tools/tool.ts';
import { testHost, type TestHost } from '#test/tools/call-host.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '#test/tools/http/test-certificate.ts';
import { answerWith, isWhole, rawServer } from '#test/tools/raw-server.ts';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const TOO_LATE: ToolFailure = { errorType: 'internal', error: 'too late', startsOver: true };

const http = createHttpTool({ extraCertificates: [TEST_CERTIFICATE] });

function post(url: string, params: object, host: TestHost): Promise<MutationOutcome> {
  const grant = { hosts: [new URL(url).host] };
  const call = { namespace: 'http', method: 'post', params: { url, ...params }, grant };
  return callMutation({ http }, { ...call, effectId: 'effect-1' }, host);
}

/** Looks that pass before `maySend` refuses. */
function after(looks: number): TestHost {
  let left = looks;
  return { ...testHost(), maySend: () => ((left -= 1) < 0 ? TOO_LATE : null) };
}

/** Resolves with how the client ended the connection, once it got the whole request. */
function endOf(socket: Socket | TLSSocket): Promise<string> {
  return new Promise((resolve) => {
    socket.on('error', (error) => resolve((error as NodeJS.ErrnoException).code ?? error.message));
    socket.on('end', () => resolve('FIN'));
  });
}

describe('[DO-5] a request that is given up is reset', () => {
  test('after its timeout', async () => {
    let ending: Promise<string> | undefined;
    const server = await rawServer(
      () => undefined,
      (socket) => (ending = endOf(socket)),
    );
    const outcome = await post(`${server.url}/`, { json: 1, timeoutMs: 50 }, testHost());
    expect(outcome.type).toBe('ambiguous');
    expect(await ending).toBe('ECONNRESET');
  });

  test('when Holdfast stops, also in the middle of the response', async () => {
    let ending: Promise<string> | undefined;
    const host = testHost();
    const server = await rawServer(
      (socket, received) => {
        if (!isWhole(received)) return;
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', () => host.stop());
      },
      (socket) => (ending = endOf(socket)),
    );
    expect((await post(`${server.url}/`, { json: 1 }, host)).type).toBe('ambiguous');
    expect(await ending).toBe('ECONNRESET');
  });

  test('over TLS', async () => {
    let ending: Promise<string> | undefined;
    const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (socket) => {
      ending = endOf(socket);
      socket.resume();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `https://127.0.0.1:${port}/`;
    const outcome = await post(url, { json: 1, timeoutMs: 500 }, testHost());
    expect(outcome.type).toBe('ambiguous');
    expect(await ending).toBe('ECONNRESET');
  });

  test('and its connection is not reused', async () => {
    const server = await rawServer((socket, received) => {
      if (received.includes('/second')) socket.write(OK);
    });
    await post(`${server.url}/first`, { json: 1, timeoutMs: 50 }, testHost());
    expect((await post(`${server.url}/second`, { json: 1 }, testHost())).type).toBe('applied');
    expect(server.received).toHaveLength(2);
  });
});

describe('[DO-6] the send gate is passed when the connection is open', () => {
  test('after a refusal no byte was sent', async () => {
    const server = await rawServer(answerWith(OK));
    const outcome = await post(`${server.url}/`, { json: 1 }, after(1));
    expect(outcome).toEqual({ ...TOO_LATE, type: 'not_sent' });
    expect(server.received.join('')).toBe('');
  });

  test('also on a reused connection, and for the next address of a redirect', async () => {
    const redirect =
      'HTTP/1.1 307 Temporary Redirect\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n';
    const server = await rawServer((socket, received) => {
      if (isWhole(received)) socket.write(received.includes('/from') ? redirect : OK);
    });
    expect((await post(`${server.url}/`, { json: 1 }, testHost())).type).toBe('applied');
    expect(await post(`${server.url}/`, { json: 2 }, after(1))).toMatchObject({ type: 'not_sent' });
    const redirected = await post(`${server.url}/from`, { json: 3 }, after(2));
    expect(redirected).toEqual({ ...TOO_LATE, type: 'not_sent' });
    expect(server.received.join('')).not.toContain('/there');
    expect(server.received.join('').match(/POST/g)).toHaveLength(2);
  });
});

describe('[DO-8] what an answer proves', () => {
  const answered = async (
    status: number,
    wasSentBefore: boolean,
    header = '',
  ): Promise<unknown> => {
    const server = await rawServer(
      answerWith(`HTTP/1.1 ${status} X\r\n${header}Content-Length: 0\r\n\r\n`),
    );
    const host = { ...testHost(), wasSentBefore };
    const { error: _, ...outcome } = (await post(`${server.url}/`, { json: 1 }, host)) as {
      error: string;
    };
    return outcome;
  };

  test('409 and 422 are refusals of a first request only', async () => {
    for (const status of [409, 422]) {
      expect(await answered(status, false)).toEqual({ type: 'failed', errorType: 'logic' });
      expect(await answered(status, true)).toEqual({ type: 'ambiguous' });
    }
  });

  test('other definite refusals stay definite, and everything else is ambiguous', async () => {
    for (const status of [400, 401, 403, 404, 405, 410, 413, 421, 423, 425, 429, 501, 505]) {
      expect(await answered(status, true), String(status)).toMatchObject({ type: 'failed' });
    }
    for (const status of [300, 301, 302, 303, 304, 408, 500, 502, 503, 504, 599]) {
      expect(await answered(status, false), String(status)).toMatchObject({ type: 'ambiguous' });
    }
  });

  test('Retry-After of an ambiguous answer says when to check', async () => {
    const header = 'Retry-After: 90\r\n';
    expect(await answered(409, true, header)).toEqual({ type: 'ambiguous', retryAfterMs: 90_000 });
    expect(await answered(502, false, header)).toEqual({ type: 'ambiguous', retryAfterMs: 90_000 });
  });
});
