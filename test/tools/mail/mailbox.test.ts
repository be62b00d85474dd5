// Sent copies, reconcile, search and read against a real Dovecot server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { prepareDovecot } from '#scripts/mail-runtime.mjs';
import {
  ask,
  askForResult,
  LETTER,
  reconcile,
  send,
  type Ends,
} from '#test/tools/mail/mail-call.ts';
import { cutBefore, startCuttingProxy, startSmtpServer } from '#test/tools/mail/smtp-server.ts';

const dovecot = await prepareDovecot();
const skipReason = dovecot.ok ? '' : ` (not run: ${dovecot.reason})`;

describe.skipIf(!dovecot.ok)(`a mailbox on Dovecot${skipReason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-dovecot-'));
  let server: { port: number; user: string; password: string; stop: () => Promise<void> };
  let mailbox: ImapFlow;
  let effects = 0;

  beforeAll(async () => {
    if (!dovecot.ok) return;
    server = await dovecot.start(folder);
    mailbox = new ImapFlow({
      host: '127.0.0.1',
      port: server.port,
      auth: { user: server.user, pass: server.password },
      logger: false,
    });
    await mailbox.connect();
  });
  afterAll(async () => {
    await mailbox?.logout();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    effects += 1;
    for (const name of ['INBOX', 'Sent', 'Drafts']) await emptyFolder(name);
  });

  const ends = (smtpPort: number, more: Partial<Ends> = {}): Ends => ({
    smtpPort,
    imapPort: server.port,
    imapPassword: server.password,
    effectId: `effect-${effects}`,
    ...more,
  });
  const messageId = (): string => `<effect-${effects}@holdfast.local>`;

  async function emptyFolder(name: string): Promise<void> {
    const lock = await mailbox.getMailboxLock(name);
    await mailbox.messageDelete('1:*');
    lock.release();
  }

  /** Every change of a mail in the folder changes highestModseq. */
  async function stateOf(name: string) {
    const query = { messages: true, unseen: true, recent: true, highestModseq: true };
    return mailbox.status(name, query);
  }

  async function mailsIn(name: string) {
    const lock = await mailbox.getMailboxLock(name);
    const query = { source: true, flags: true };
    const mails = await mailbox.fetchAll('1:*', query).catch(() => []);
    lock.release();
    return mails.map(({ source, flags }) => ({
      source: String(source),
      flags: [...(flags ?? [])],
    }));
  }

  test('[ML-3] a sent mail is filed once as seen with its Bcc, and reconcile finds it', async () => {
    const post = await startSmtpServer();
    const letter = { ...LETTER, bcc: 'zoe@example.org' };
    expect(await send(ends(post.port), letter)).toMatchObject({
      type: 'applied',
      result: { sentCopy: 'filed' },
    });
    expect(await send(ends(post.port), letter)).toMatchObject({
      result: { sentCopy: 'already_there' },
    });
    const copies = await mailsIn('Sent');
    expect(copies).toHaveLength(1);
    expect(copies[0]?.flags).toContain(String.raw`\Seen`);
    expect(copies[0]?.source).toMatch(/^Bcc: zoe@example\.org\r\n/);
    expect(await reconcile(ends(post.port), letter)).toEqual({
      type: 'happened',
      result: {
        messageId: messageId(),
        accepted: ['bob@example.org', 'zoe@example.org'],
        foundIn: { folder: 'Sent', uid: expect.any(Number) },
      },
    });
  });

  test('[ML-3] a missing folder for sent mail is created', async () => {
    const post = await startSmtpServer();
    const own = ends(post.port, { account: { sentFolder: 'Outgoing' } });
    expect(await send(own)).toMatchObject({ result: { sentCopy: 'filed' } });
    expect(await reconcile(own)).toMatchObject({ result: { foundIn: { folder: 'Outgoing' } } });
    await mailbox.mailboxDelete('Outgoing');
  });

  test('[ML-3] a mail whose response was lost and that was not filed stays unknown', async () => {
    const post = await startSmtpServer();
    const cut = await startCuttingProxy(post, () => ({ down: cutBefore('250 queued') }));
    expect(await send(ends(cut.port))).toMatchObject({ type: 'ambiguous' });
    expect(post.accepted).toHaveLength(1);
    expect(await reconcile(ends(post.port))).toMatchObject({
      type: 'unknown',
      error: expect.stringContaining('may still have been sent'),
    });
  });

  test('[ML-3] with bcc-self, reconcile finds the delivered mail in any folder', async () => {
    const post = await startSmtpServer({
      deliver: async ({ raw, to }) => {
        if (to.includes('ada@example.org')) await mailbox.append('INBOX', raw);
      },
    });
    const cut = await startCuttingProxy(post, () => ({ down: cutBefore('250 queued') }));
    const account = { proof: 'bcc-self' };
    expect(await send(ends(cut.port, { account }))).toMatchObject({ type: 'ambiguous' });
    expect(await reconcile(ends(post.port, { account }))).toMatchObject({
      type: 'happened',
      result: { foundIn: { folder: 'INBOX' }, accepted: ['bob@example.org'] },
    });
    await mailbox.mailboxCreate('Rules');
    const lock = await mailbox.getMailboxLock('INBOX');
    await mailbox.messageMove('1:*', 'Rules');
    lock.release();
    expect(await reconcile(ends(post.port, { account }))).toMatchObject({
      type: 'happened',
      result: { foundIn: { folder: 'Rules' } },
    });
    await mailbox.mailboxDelete('Rules');
  });

  test('[ML-3] a draft, a reply and a longer Message-ID do not prove that a mail was sent', async () => {
    await mailbox.append('Drafts', `Message-ID: ${messageId()}\r\n\r\nnot yet`);
    await mailbox.append('INBOX', `Message-ID: <x@y.z>\r\nIn-Reply-To: ${messageId()}\r\n\r\nYes`);
    await mailbox.append('INBOX', `Message-ID: <other> ${messageId()}\r\n\r\nHm`);
    expect(await reconcile(ends(1))).toMatchObject({ type: 'unknown' });
  });

  test('[ML-3] an unreachable mailbox or an aborted reconcile leaves the mail unknown', async () => {
    expect(await reconcile(ends(1, { imapPort: 1 }))).toMatchObject({ type: 'unknown' });
    const aborted = ends(1, { signal: AbortSignal.abort() });
    expect(await reconcile(aborted)).toMatchObject({ type: 'unknown' });
  });

  test('[ML-6] a wrong IMAP password leaves the mail applied, and the error does not contain it', async () => {
    const post = await startSmtpServer();
    const wrong = ends(post.port, { imapPassword: 'not the right one' });
    expect(await send(wrong)).toMatchObject({ type: 'applied', result: { sentCopy: 'not_filed' } });
    const outcome = await ask('search', wrong, {});
    expect(outcome).toMatchObject({ type: 'failed', errorType: 'auth' });
    expect(JSON.stringify(outcome)).not.toContain('right one');
  });

  describe('[ML-4] search and read do not change the mailbox', () => {
    test('search filters by sender, subject, time and unseen and sets no flag', async () => {
      await mailbox.append(
        'INBOX',
        mail('Bob <bob@example.org>', '=?utf-8?q?Gr=C3=BC=C3=9Fe?='),
        [],
        noonOfMarch(1),
      );
      await mailbox.append('INBOX', mail('eve@example.org', 'Hello'), [], noonOfMarch(2));
      await mailbox.append(
        'INBOX',
        mail('eve@example.org', 'Hello again'),
        [String.raw`\Seen`],
        noonOfMarch(3),
      );
      const subjects = async (params: object): Promise<string[]> => {
        const found = await askForResult('search', ends(1), params);
        return (found as { subject: string }[]).map(({ subject }) => subject);
      };
      expect(await subjects({})).toEqual(['Hello again', 'Hello', 'Grüße']);
      expect(await subjects({ limit: 1 })).toEqual(['Hello again']);
      expect(await subjects({ from: 'bob' })).toEqual(['Grüße']);
      expect(await subjects({ subject: 'Grüße' })).toEqual(['Grüße']);
      expect(await subjects({ unseen: true })).toEqual(['Hello', 'Grüße']);
      expect(await subjects({ since: '2026-03-02T11:00:00Z' })).toEqual(['Hello again', 'Hello']);
      expect(await subjects({ since: '2026-03-02T13:00:00Z' })).toEqual(['Hello again']);
      expect(await subjects({ subject: 'x" OR ALL' })).toEqual([]);
      expect(await askForResult('search', ends(1), { from: 'bob' })).toEqual([
        {
          uid: expect.any(Number),
          messageId: '<m@example.org>',
          from: 'Bob <bob@example.org>',
          to: ['ada@example.org'],
          subject: 'Grüße',
          date: '2026-03-01T12:00:00.000Z',
          seen: false,
          size: expect.any(Number),
        },
      ]);
      expect(
        (await mailsIn('INBOX')).map(({ flags }) => flags.includes(String.raw`\Seen`)),
      ).toEqual([false, false, true]);
    });

    test('read returns texts and attachment names and leaves the mailbox unchanged', async () => {
      const post = await startSmtpServer({
        deliver: async ({ raw }) => void (await mailbox.append('INBOX', raw)),
      });
      await send(ends(post.port), {
        ...LETTER,
        text: 'Grüße ✓',
        html: '<p>Grüße</p>',
        attachments: [
          { filename: 'größe.csv', contentBase64: 'MTsyCg==', contentType: 'text/csv' },
          { filename: 'note.txt', contentBase64: 'aGk=' },
        ],
      });
      const before = await stateOf('INBOX');
      expect(await readFirst()).toMatchObject({
        subject: 'Report',
        seen: false,
        text: 'Grüße ✓',
        html: '<p>Grüße</p>',
        truncated: false,
        attachments: [
          { filename: 'größe.csv', contentType: 'text/csv', size: expect.any(Number) },
          { filename: 'note.txt', contentType: 'text/plain', size: expect.any(Number) },
        ],
      });
      expect(await stateOf('INBOX')).toEqual(before);
    });

    test('read decodes other charsets and truncates long text', async () => {
      const latin = Buffer.from('Grüße', 'latin1');
      const head = mail('bob@example.org', 'old').replace('\r\n\r\nbody', '');
      const type =
        'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit';
      await mailbox.append(
        'INBOX',
        Buffer.concat([Buffer.from(`${head}\r\n${type}\r\n\r\n`), latin]),
      );
      expect(await readFirst()).toMatchObject({ text: 'Grüße', attachments: [] });
      expect(await readFirst()).not.toHaveProperty('html');

      await emptyFolder('INBOX');
      const utf8 = 'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit';
      await mailbox.append('INBOX', `${head}\r\n${utf8}\r\n\r\n${'x€\r\n'.repeat(100_000)}`);
      const long = (await readFirst()) as { text: string; truncated: boolean };
      expect(long.truncated).toBe(true);
      expect(Buffer.byteLength(long.text)).toBeLessThanOrEqual(256 * 1024);
      expect(long.text).not.toContain('\uFFFD');
    });

    test('a missing mail, folder or server is a failure', async () => {
      expect(await ask('read', ends(1), { uid: 4_000_000 })).toMatchObject({
        type: 'failed',
        errorType: 'logic',
      });
      expect(await ask('search', ends(1), { folder: 'Nowhere' })).toMatchObject({
        type: 'failed',
        errorType: 'logic',
        error: expect.stringContaining('Nowhere'),
      });
      expect(await ask('search', ends(1, { imapPort: 1 }), {})).toMatchObject({
        type: 'failed',
        errorType: 'network',
      });
    });

    async function readFirst() {
      const found = (await askForResult('search', ends(1), {})) as { uid: number }[];
      return askForResult('read', ends(1), { uid: found[0]?.uid ?? 0 });
    }
  });
});

function noonOfMarch(day: number): Date {
  return new Date(Date.UTC(2026, 2, day, 12));
}

function mail(from: string, subject: string): string {
  return [
    'Message-ID: <m@example.org>',
    `From: ${from}`,
    'To: ada@example.org',
    `Subject: ${subject}`,
    'Date: Sun, 01 Mar 2026 12:00:00 +0000',
    '',
    'body',
  ].join('\r\n');
}
