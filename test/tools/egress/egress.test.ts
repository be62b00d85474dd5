// The address that a socket connects to is checked, for http, feed and mail. Real servers on loopback;
// only the name lookup is injected.
import { describe, expect, test } from 'vitest';
import { callMutation, callRead, reconcileMutation } from '#main/tools/call-tool.ts';
import { guardedLookup, type Resolve } from '#main/tools/egress/guarded-lookup.ts';
import { openSocket } from '#main/tools/egress/open-socket.ts';
import { createFeedTool } from '#main/tools/feed/feed.ts';
import { createHttpTool } from '#main/tools/http/http.ts';
import { describeHosts, hostsGrant } from '#main/tools/http/hosts.ts';
import { describeMailGrant, mailGrant } from '#main/tools/mail/grant.ts';
import { createMailTool } from '#main/tools/mail/mail.ts';
import { SECRET_VALUE, testHost } from '#test/tools/call-host.ts';
import { startSmtpServer, SMTP_PASSWORD } from '#test/tools/mail/smtp-server.ts';
import { answerWith, rawServer, type RawServer } from '#test/tools/raw-server.ts';

const EMPTY = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** Every name has these addresses, one list per lookup; the last one stays. */
function names(...answers: string[][]) {
  const asked: string[] = [];
  const resolve: Resolve = (name, _options, done) => {
    const addresses = answers[Math.min(asked.push(name), answers.length) - 1] ?? [];
    setImmediate(() =>
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  };
  const tools = {
    http: createHttpTool({ resolve }),
    feed: createFeedTool({ resolve }),
    mail: createMailTool({ resolve }),
  };
  return { asked, tools, resolve };
}

type Tools = ReturnType<typeof names>['tools'];

const ASKED = { url: '', params: {} as object, method: 'get', namespace: 'http' };

function read(tools: Tools, grant: object, asked: Partial<typeof ASKED>) {
  const { url, params, method, namespace } = { ...ASKED, ...asked };
  return callRead(tools, { namespace, method, grant, params: { url, ...params } }, testHost());
}

function post(tools: Tools, grant: object, params: object) {
  const call = { namespace: 'http', method: 'post', effectId: 'effect-1', grant, params };
  return callMutation(tools, call, testHost());
}

const urlOf = (server: RawServer, host = 'api.example.org', scheme = 'http'): string =>
  `${scheme}://${host}:${server.port}/x`;
const hostOf = (server: RawServer, host = 'api.example.org'): string => `${host}:${server.port}`;

describe('a granted name that resolves to a private address', () => {
  test('[EG-1] [EG-3] gets no connection, and the failure names host, address and grant', async () => {
    const server = await rawServer(answerWith(EMPTY));
    const { tools } = names(['127.0.0.1']);
    const grant = { hosts: [hostOf(server)] };
    const url = urlOf(server);
    const refusal = {
      type: 'failed',
      errorType: 'permission',
      error: `api.example.org has the address 127.0.0.1, which is this machine. A grant of a name reaches only the internet. Nothing was sent there. To allow it, grant {"host":"${hostOf(server)}","private":true}.`,
    };
    expect(await read(tools, grant, { url })).toEqual(refusal);
    expect(await read(tools, grant, { url, namespace: 'feed', method: 'read' })).toEqual(refusal);
    expect(await post(tools, grant, { url })).toEqual(refusal);
    const secure = await post(tools, grant, { url: urlOf(server, undefined, 'https') });
    expect(secure).toEqual(refusal);
    const reconcile = { url, happenedWhen: { status: [200] } };
    const call = { namespace: 'http', method: 'post', grant, params: { url, reconcile } };
    const sent = { ...call, effectId: 'effect-1', sentAt: 0 };
    expect(await reconcileMutation(tools, sent, testHost())).toMatchObject({ type: 'unknown' });
    expect(server.received).toEqual([]);
  });

  test('[EG-1] gets no connection for a granted subdomain either', async () => {
    const server = await rawServer(answerWith(EMPTY));
    const { tools } = names(['127.0.0.1']);
    const outcome = await read(
      tools,
      { hosts: [`*.example.org:${server.port}`] },
      { url: urlOf(server) },
    );
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(server.received).toEqual([]);
  });

  test('[EG-2] gets one if the grant of the name says so, or another entry for it does', async () => {
    const server = await rawServer(answerWith(EMPTY));
    const { tools } = names(['127.0.0.1']);
    const hosts = ['*.example.org', { host: hostOf(server), private: true }];
    expect(await read(tools, { hosts }, { url: urlOf(server) })).toMatchObject({ type: 'ok' });
    expect(await post(tools, { hosts }, { url: urlOf(server) })).toMatchObject({ type: 'applied' });
  });

  test('[EG-1] does not get the open connection of a grant that allows it', async () => {
    const server = await rawServer(answerWith(EMPTY));
    const { tools } = names(['127.0.0.1']);
    const url = urlOf(server);
    const open = { hosts: [{ host: hostOf(server), private: true }] };
    expect(await read(tools, open, { url })).toMatchObject({ type: 'ok' });
    const outcome = await read(tools, { hosts: [hostOf(server)] }, { url });
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(server.received.join('').match(/^GET/gm)).toHaveLength(1);
  });

  test('[EG-1] is refused at a redirect, before the second connection', async () => {
    const inner = await rawServer(answerWith(EMPTY));
    const outer = await rawServer(
      answerWith(
        `HTTP/1.1 302 Found\r\nLocation: ${urlOf(inner, 'inner.example.org')}\r\nContent-Length: 0\r\n\r\n`,
      ),
    );
    const { tools } = names(['127.0.0.1']);
    const hosts = [{ host: hostOf(outer), private: true }, hostOf(inner, 'inner.example.org')];
    const outcome = await read(tools, { hosts }, { url: urlOf(outer) });
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(outcome.type === 'failed' && outcome.error).toContain('inner.example.org');
    expect([outer.received.length, inner.received.length]).toEqual([1, 0]);
  });

  test('[EG-1] is looked up once for a connection, so a second answer changes nothing', async () => {
    const server = await rawServer(answerWith(EMPTY));
    const { tools, asked } = names(['127.0.0.1'], ['10.0.0.1']);
    const hosts = [{ host: hostOf(server), private: true }];
    expect(await read(tools, { hosts }, { url: urlOf(server) })).toMatchObject({ type: 'ok' });
    expect(asked).toEqual(['api.example.org']);
    const rebound = names(['127.0.0.1'], ['10.0.0.1']);
    const socket = await openSocket({
      host: 'api.example.org',
      port: server.port,
      lookup: guardedLookup('loopback', rebound.resolve),
      signal: new AbortController().signal,
    });
    expect([socket.remoteAddress, rebound.asked.length]).toEqual(['127.0.0.1', 1]);
    socket.destroy();
  });

  test('[EG-2] localhost reaches this machine, and only this machine', async () => {
    const server = await rawServer(answerWith(EMPTY));
    const grant = { hosts: [hostOf(server, 'localhost')] };
    const asked = { url: urlOf(server, 'localhost') };
    expect(await read(names(['127.0.0.1']).tools, grant, asked)).toMatchObject({ type: 'ok' });
    const outcome = await read(names(['10.0.0.1']).tools, grant, asked);
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'permission' });
    expect(server.received.length).toBe(1);
  });
});

describe('a mail server whose name resolves to a private address', () => {
  const letter = { to: 'bob@example.org', subject: 'Report', text: 'All is well.' };

  function account(port: number, more: object = {}) {
    const server = { host: 'mail.example.org', port, user: 'ada', ...more };
    const from = 'ada@example.org';
    const passwordSecret = 'mail';
    return { account: { smtp: server, imap: server, from, passwordSecret, sentCopy: 'server' } };
  }

  test('[EG-1] [EG-3] gets no connection from send, search or read', async () => {
    const server = await rawServer(() => {});
    const { tools } = names(['127.0.0.1']);
    const grant = account(server.port);
    const host = testHost({ mail: 'word' });
    const sending = { namespace: 'mail', method: 'send', grant, params: letter, effectId: 'e1' };
    const refusal = {
      type: 'failed',
      errorType: 'permission',
      error:
        'mail.example.org has the address 127.0.0.1, which is this machine. A grant of a name reaches only the internet. Nothing was sent. To allow it, add "private": true to the server in the grant.',
    };
    expect(await callMutation(tools, sending, host)).toEqual(refusal);
    const search = { namespace: 'mail', method: 'search', grant, params: {} };
    expect(await callRead(tools, search, host)).toEqual(refusal);
    const one = { namespace: 'mail', method: 'read', grant, params: { uid: 1 } };
    expect(await callRead(tools, one, host)).toEqual(refusal);
    expect(server.received).toEqual([]);
  });

  test('[EG-2] is reached if the grant of the server says so, and gets no password without TLS', async () => {
    const plain = await startSmtpServer();
    const { tools } = names(['127.0.0.1']);
    const host = testHost({ mail: SMTP_PASSWORD });
    const call = { namespace: 'mail', method: 'send', params: letter, effectId: 'e1' };
    const grant = account(plain.port, { private: true });
    // The name is not this machine's, so the password needs TLS, which this server doesn't have.
    const outcome = await callMutation(tools, { ...call, grant }, host);
    expect(outcome).toMatchObject({
      type: 'failed',
      error: expect.stringContaining('mail.example.org refused the mail') as string,
    });
    expect(plain.accepted).toEqual([]);
    const near = account(plain.port, { host: 'localhost' });
    expect(await callMutation(tools, { ...call, grant: near }, host)).toMatchObject({
      type: 'applied',
    });
  });
});

describe('secrets without encryption', () => {
  const auth = { bearerSecret: 'token' };

  test('[EG-4] go to this machine without a further grant', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const server = await rawServer(answerWith(EMPTY));
      const { tools } = names(['127.0.0.1']);
      const params = { url: urlOf(server, host), auth };
      const outcome = await post(tools, { hosts: [hostOf(server, host)] }, params);
      expect(outcome).toMatchObject({ type: 'applied' });
      expect(server.received[0]).toContain(SECRET_VALUE);
    }
  });

  test.each(['api.example.org', 'nas.local', '192.168.1.5', '10.0.0.1', '[fe80::1]'])(
    '[EG-4] are not sent to %s, and the failure says how to allow it',
    async (host) => {
      const { tools, asked } = names(['127.0.0.1']);
      const hosts = [{ host, private: true }];
      for (const outcome of [
        await post(tools, { hosts }, { url: `http://${host}/x`, auth }),
        await read(tools, { hosts }, { url: `http://${host}/x`, params: { auth } }),
        await read(
          tools,
          { hosts },
          { url: `http://${host}/x`, params: { auth }, namespace: 'feed', method: 'read' },
        ),
      ]) {
        expect(outcome).toMatchObject({
          type: 'failed',
          errorType: 'permission',
          error: `A secret would be sent to ${host} without encryption. Nothing was sent. Use an https:// address. If you trust the network between here and there, grant {"host":"${host}","plainSecrets":true}.`,
        });
      }
      expect(asked).toEqual([]);
    },
  );

  test('[EG-4] go where the grant accepts it', async () => {
    const server = await rawServer(answerWith(EMPTY));
    const { tools } = names(['127.0.0.1']);
    const host = hostOf(server, 'nas.local');
    const params = { url: urlOf(server, 'nas.local'), auth };
    const hosts = [{ host, private: true, plainSecrets: true }];
    expect(await post(tools, { hosts }, params)).toMatchObject({ type: 'applied' });
    expect(server.received[0]).toContain(SECRET_VALUE);
  });
});

test('[EG-5] a grant names what it allows beyond the internet', () => {
  const hosts = [
    'api.example.org',
    { host: '*.home.arpa:8080', private: true },
    { host: 'nas.local', private: true, plainSecrets: true },
  ];
  expect(describeHosts(hostsGrant.parse({ hosts }))).toBe(
    'may contact api.example.org, *.home.arpa:8080 (also in the local network and on this machine), nas.local (also in the local network and on this machine, with secrets unencrypted)',
  );
  const server = { host: 'mail.home.arpa', port: 993, user: 'ada', private: true };
  const account = { smtp: server, imap: server, from: 'ada@example.org', passwordSecret: 'mail' };
  expect(describeMailGrant(mailGrant.parse({ account }))).toContain(
    '(mail.home.arpa, also in the local network and on this machine)',
  );
  for (const flag of ['private', 'plainSecrets']) {
    expect(hostsGrant.safeParse({ hosts: [{ host: 'a.example', [flag]: false }] }).success).toBe(
      false,
    );
  }
});
