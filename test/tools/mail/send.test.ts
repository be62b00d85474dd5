// mail.send against a real SMTP server, through a proxy that cuts the connection.
import { describe, expect, test } from 'vitest';
import { SecretMissing } from '#main/secrets/secret-missing.ts';
import { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import { createVirtualClock } from '#test/support/virtual-clock.ts';
import { unlimitedHosts } from '#test/tools/call-host.ts';
import { ask, contextOf, LETTER, reconcile, send, sendMethod } from '#test/tools/mail/mail-call.ts';
import {
  cutAfter,
  cutBefore,
  startCuttingProxy,
  replyError,
  SMTP_PASSWORD,
  startSmtpServer,
  type Cuts,
} from '#test/tools/mail/smtp-server.ts';

const EFFECT = 'e0000000000000000000000000000001';

test('[ML-1] a mail is sent once with the Message-ID of its effect', async () => {
  const post = await startSmtpServer();
  const outcome = await send({ smtpPort: post.port });
  expect(outcome).toEqual({
    type: 'applied',
    result: {
      messageId: `<${EFFECT}@holdfast.local>`,
      accepted: ['bob@example.org'],
      response: '250 queued',
      sentCopy: 'not_filed',
    },
  });
  expect(post.accepted).toHaveLength(1);
  expect(post.accepted[0]).toMatchObject({ from: 'ada@example.org', to: ['bob@example.org'] });
  const { raw } = post.accepted[0] ?? { raw: '' };
  expect(raw).toContain(`Message-ID: <${EFFECT}@holdfast.local>\r\n`);
  expect(raw).toContain('Date: Thu, 01 Jan 2026 00:00:00 +0000\r\n');
  expect(raw).toContain('\r\n.\r\nBye');
});

test('[OF-1] a mail server that can’t be reached is waited for, by sending, searching and checking', async () => {
  const waits = { errorType: 'network', waitsFor: { host: '127.0.0.1:1', until: null } };
  expect(await send({ smtpPort: 1 })).toMatchObject({ type: 'not_sent', ...waits });
  expect(await ask('search', { smtpPort: 1 }, {})).toMatchObject({ type: 'failed', ...waits });
  expect(await reconcile({ smtpPort: 1 })).toMatchObject({
    type: 'unknown',
    waitsFor: waits.waitsFor,
  });
});

test('[ML-1] each recipient is in the envelope once, and Bcc is not in the headers', async () => {
  const post = await startSmtpServer();
  await send(
    { smtpPort: post.port, account: { proof: 'bcc-self' } },
    {
      ...LETTER,
      to: ['Bob <bob@example.org>', 'eve@example.org'],
      cc: 'eve@example.org',
      bcc: 'zoe@example.org',
      attachments: [{ filename: 'größe.csv', contentBase64: 'MTsyCg==' }],
    },
  );
  const [mail] = post.accepted;
  expect(mail?.to).toEqual([
    'bob@example.org',
    'eve@example.org',
    'zoe@example.org',
    'ada@example.org',
  ]);
  expect(mail?.raw).not.toContain('zoe');
  expect(mail?.raw).toContain('To: Bob <bob@example.org>, eve@example.org');
  expect(mail?.raw).toContain('MTsyCg==');
});

describe('the limits of mail servers', () => {
  test('[OH-1] while a server waits, no mail is sent to it and no mailbox on it is opened', async () => {
    let calls = 0;
    const post = await startSmtpServer({
      onConnect: (_session, done) => {
        calls += 1;
        done();
      },
    });
    const clock = createVirtualClock();
    const until = clock.now() + 60_000;
    const [smtp, imap] = [`127.0.0.1:${post.port}`, '127.0.0.1:1'];
    const hosts = new OutsideHosts({
      clock,
      random: () => 0,
      limitsOf: () => [],
      holds: { load: () => ({ [smtp]: until, [imap]: until }), save: () => undefined },
      circuits: { load: () => ({}), save: () => undefined },
    });
    const ends = { smtpPort: post.port, hosts };
    expect(await send(ends)).toMatchObject({ type: 'not_sent', waitsFor: { host: smtp, until } });
    const found = await ask('search', ends, {});
    expect(found).toMatchObject({ type: 'failed', waitsFor: { host: imap, until } });
    expect(calls).toBe(0);
    await clock.advance(60_000);
    expect((await send(ends)).type).toBe('applied');
    expect(calls).toBe(1);
  });

  test('[OH-2] a mail counts as a call to its server until it has ended', async () => {
    const hosts = unlimitedHosts();
    let during: unknown;
    const post = await startSmtpServer({
      onConnect: (_session, done) => {
        during = hosts.list();
        done();
      },
    });
    await send({ smtpPort: post.port, hosts });
    const host = `127.0.0.1:${post.port}`;
    expect(during).toMatchObject([{ host, active: 1 }]);
    expect(hosts.list().find((one) => one.host === host)).toBeUndefined();
  });

  test.each([
    [587, 'mail.example.org'],
    [2525, 'mail.example.org:2525'],
  ])('[OH-2] the server on port %i is limited as %s', (port, host) => {
    const { grant } = contextOf({
      smtpPort: port,
      account: { smtp: { host: 'Mail.Example.org', port, user: 'ada' } },
    });
    expect(sendMethod().hostOf?.(grant, sendMethod().params.parse(LETTER))).toBe(host);
  });
});

describe('[ML-2] SMTP refusals', () => {
  test.each([
    ['the sender', { onMailFrom: refuse(550, '5.7.1 not you') }, 'permission'],
    ['a recipient', { onRcptTo: refuse(550, '5.1.1 no such user') }, 'logic'],
    ['the mail', { deliver: () => Promise.reject(replyError(554, 'looks like spam')) }, 'logic'],
    ['the connection', { onConnect: refuseCall(554, 'go away') }, 'permission'],
    ['the password', { onAuth: refuse(535, '5.7.8 wrong') }, 'auth'],
    ['its size', { size: 100 }, 'logic'],
  ])('a permanent refusal of %s is failed', async (_, rules, errorType) => {
    const post = await startSmtpServer(rules);
    expect(await send({ smtpPort: post.port })).toMatchObject({ type: 'failed', errorType });
    expect(post.accepted).toEqual([]);
  });

  test.each([
    ['the sender', { onMailFrom: refuse(451, 'later') }],
    ['a recipient', { onRcptTo: refuse(450, '4.2.0 greylisted') }],
    ['the mail', { deliver: () => Promise.reject(replyError(452, 'disk full')) }],
    ['the login', { onAuth: refuse(454, '4.7.0 later') }],
    ['the connection', { onConnect: refuseCall(421, 'too busy') }],
  ])('a temporary refusal of %s is not_sent', async (_, rules) => {
    const post = await startSmtpServer(rules);
    expect(await send({ smtpPort: post.port })).toMatchObject({
      type: 'not_sent',
      errorType: 'network',
    });
    expect(post.accepted).toEqual([]);
  });

  test('421 as the last response is ambiguous', async () => {
    const post = await startSmtpServer({
      deliver: () => Promise.reject(replyError(421, 'closing')),
    });
    expect(await send({ smtpPort: post.port })).toMatchObject({ type: 'ambiguous' });
  });
});

describe.each([{ hidePIPELINING: false }, { hidePIPELINING: true }])(
  '[ML-2] one recipient of three is refused, %o',
  ({ hidePIPELINING }) => {
    const three = { ...LETTER, to: ['a@example.org', 'bad@example.org', 'c@example.org'] };

    test.each([
      [550, 'failed'],
      [450, 'not_sent'],
    ])('%i makes the mail %s, and no recipient gets it', async (code, type) => {
      const post = await startSmtpServer({
        hidePIPELINING,
        onRcptTo: ({ address }, _session, done) =>
          done(address.startsWith('bad') ? replyError(code, 'not this one') : null),
      });
      const outcome = await send({ smtpPort: post.port }, three);
      expect(outcome).toMatchObject({ type, error: expect.stringContaining('not this one') });
      await post.quiet();
      expect(post.accepted).toEqual([]);
    });

    test('one permanent refusal among temporary ones makes the mail failed', async () => {
      const post = await startSmtpServer({
        hidePIPELINING,
        onRcptTo: ({ address }, _session, done) =>
          done(replyError(address.startsWith('bad') ? 550 : 450, `no ${address}`)),
      });
      const outcome = await send({ smtpPort: post.port }, three);
      expect(outcome).toMatchObject({
        type: 'failed',
        error: expect.stringContaining('bad@example.org'),
      });
    });
  },
);

describe('[ML-2] a mail interrupted before the end of DATA is not_sent', () => {
  test('nothing listens on the port', async () => {
    expect(await send({ smtpPort: 1 })).toMatchObject({ type: 'not_sent', errorType: 'network' });
  });

  test.each<[string, Cuts]>([
    ['before the greeting', { onConnect: 'cut' }],
    ['in the greeting', { down: cutAfter(5) }],
    ['at the login', { up: cutBefore('AUTH') }],
    ['at MAIL', { up: cutBefore('MAIL') }],
    ['after MAIL', { up: cutBefore('RCPT') }],
    ['at the response to DATA', { down: cutBefore('354') }],
  ])('the connection is cut %s', async (_, cuts) => {
    const post = await startSmtpServer({ hidePIPELINING: true });
    const cut = await startCuttingProxy(post, () => cuts);
    expect(await send({ smtpPort: cut.port })).toMatchObject({ type: 'not_sent' });
    await post.quiet();
    expect(post.accepted).toEqual([]);
  });

  test('the call is aborted before DATA', async () => {
    const stop = new AbortController();
    const post = await startSmtpServer({
      onRcptTo: (_address, _session, done) => {
        stop.abort();
        setImmediate(() => done(null));
      },
    });
    const outcome = await send({ smtpPort: post.port, signal: stop.signal });
    expect(outcome).toMatchObject({ type: 'not_sent' });
    expect(await send({ smtpPort: post.port, signal: stop.signal })).toMatchObject({
      type: 'not_sent',
    });
    await post.quiet();
    expect(post.accepted).toEqual([]);
  });
});

describe('[ML-2] a mail interrupted after the end of DATA is ambiguous', () => {
  test('the response is lost although the server accepted the mail', async () => {
    const post = await startSmtpServer();
    const cut = await startCuttingProxy(post, () => ({ down: cutBefore('250 queued') }));
    expect(await send({ smtpPort: cut.port })).toMatchObject({ type: 'ambiguous' });
    expect(post.accepted).toHaveLength(1);
  });

  test('the call is aborted before the server responds', async () => {
    const stop = new AbortController();
    const post = await startSmtpServer({ deliver: () => stop.abort() });
    const outcome = await send({ smtpPort: post.port, signal: stop.signal });
    expect(outcome).toMatchObject({ type: 'ambiguous' });
  });

  test('the response is cut in the middle', async () => {
    const post = await startSmtpServer({
      deliver: () => Promise.reject(replyError(550, 'no thanks')),
    });
    const cut = await startCuttingProxy(post, () => ({ down: cutBefore('thanks') }));
    expect(await send({ smtpPort: cut.port })).toMatchObject({ type: 'ambiguous' });
  });
});

test('[ML-6] no login is sent to a server with an untrusted certificate', async () => {
  let logins = 0;
  const post = await startSmtpServer({
    secure: true,
    onAuth: (_auth, _session, done) => {
      logins += 1;
      done(null, { user: 'ada' });
    },
  });
  const account = { smtp: { host: '127.0.0.1', port: post.port, secure: true, user: 'ada' } };
  expect(await send({ smtpPort: post.port, account })).toMatchObject({ type: 'not_sent' });
  expect(logins).toBe(0);
  const unchecked = { ...account, tls: { rejectUnauthorized: false } };
  expect(await send({ smtpPort: post.port, account: unchecked })).toMatchObject({
    type: 'applied',
  });
});

test("[ML-6] a password in the server's response is masked in the error", async () => {
  const post = await startSmtpServer({
    onAuth: ({ password }, _session, done) =>
      done(
        replyError(535, `got ${password} ${Buffer.from(`\0ada\0${password}`).toString('base64')}`),
      ),
  });
  const outcome = await send({ smtpPort: post.port });
  expect(outcome).toMatchObject({ type: 'failed', errorType: 'auth' });
  const text = JSON.stringify(outcome);
  expect(text).toContain('(password)');
  expect(text).not.toContain('horse');
  expect(text).not.toContain(Buffer.from(`\0ada\0${SMTP_PASSWORD}`).toString('base64'));
});

test('[ML-6] a missing secret throws SecretMissing before a connection is opened', async () => {
  const post = await startSmtpServer();
  await expect(send({ smtpPort: post.port, withoutSecrets: true })).rejects.toThrow(SecretMissing);
  expect(post.connections()).toBe(0);
});

function refuse(code: number, message: string) {
  return (_: unknown, _session: unknown, done: (error: Error) => void) =>
    done(replyError(code, message));
}

function refuseCall(code: number, message: string) {
  return (_session: unknown, done: (error: Error) => void) => done(replyError(code, message));
}
