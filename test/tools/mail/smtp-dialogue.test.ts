// What the tool's own limits do not let a test reach: a mail so large that it is cut halfway, and
// servers that do not keep to the protocol.
import { once } from 'node:events';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { speakSmtp, type DialogueEnd } from '#main/tools/mail/smtp-dialogue.ts';
import { layCable, SMTP_PASSWORD, startPost } from '#test/tools/mail/smtp-post.ts';

test('[ML-2] a large mail that is cut halfway is known not to have ended', async () => {
  const post = await startPost();
  let passed = 0;
  const cut = await layCable(post, () => ({
    up: (chunk) => ((passed += chunk.length) > 1_000_000 ? 0 : chunk.length),
  }));
  const end = await speak(cut.port, Buffer.alloc(64 * 1024 * 1024, 'a line of text\r\n'));
  expect(end).toMatchObject({ type: 'broken', trouble: { endReleased: false } });
  await post.quiet();
  expect(post.accepted).toEqual([]);
});

test('[ML-2] a server that says yes before it has the mail is not believed', async () => {
  const port = await startScript({ DATA: '354 go on\r\n250 queued\r\n' });
  const end = await speak(port, Buffer.alloc(64 * 1024 * 1024, 'a line of text\r\n'));
  expect(end).toMatchObject({ type: 'broken', trouble: { endReleased: false } });
});

test('[ML-2] a server that offers no TLS on another machine gets no password', async () => {
  const heard: string[] = [];
  const port = await startScript({}, heard);
  const end = await speak(port, Buffer.from('x'), { mustUpgrade: true });
  expect(end).toMatchObject({ type: 'broken', trouble: { code: 'ETLS', endReleased: false } });
  expect(heard.join('')).not.toContain('AUTH');
});

function speak(port: number, raw: Buffer, { mustUpgrade = false } = {}): Promise<DialogueEnd> {
  return speakSmtp({
    server: { host: '127.0.0.1', port, user: 'ada' },
    protection: { secure: false, mustUpgrade, rejectUnauthorized: true },
    password: SMTP_PASSWORD,
    mail: {
      messageId: '<a@b>',
      raw,
      ownCopy: raw,
      envelope: { from: 'ada@example.org', to: ['bob@example.org'] },
    },
    signal: new AbortController().signal,
  });
}

const YES: Record<string, string> = {
  EHLO: '250 ok\r\n',
  STARTTLS: '502 no\r\n',
  AUTH: '235 yes\r\n',
  MAIL: '250 ok\r\n',
  RCPT: '250 ok\r\n',
};

/** A server that answers each command by its first word, and anything else not at all. */
async function startScript(answers: Record<string, string>, heard: string[] = []): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 hello\r\n');
    socket.on('data', (chunk: Buffer) => {
      const said = chunk.toString('latin1');
      heard.push(said);
      const answer = { ...YES, ...answers }[/^[A-Z]+/.exec(said)?.[0] ?? ''];
      if (answer !== undefined) socket.write(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as net.AddressInfo).port;
}
