// Cases that the mail tool's limits rule out: a mail so large that it is cut midway, and servers that
// break the protocol.
import { once } from 'node:events';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { speakSmtp, type DialogueEnd } from '#main/tools/mail/smtp-dialogue.ts';
import { startCuttingProxy, SMTP_PASSWORD, startSmtpServer } from '#test/tools/mail/smtp-server.ts';

test('[ML-2] a large mail cut midway is reported as not ended', async () => {
  const post = await startSmtpServer();
  let passed = 0;
  const cut = await startCuttingProxy(post, () => ({
    up: (chunk) => ((passed += chunk.length) > 1_000_000 ? 0 : chunk.length),
  }));
  const end = await runDialogue(cut.port, Buffer.alloc(64 * 1024 * 1024, 'a line of text\r\n'));
  expect(end).toMatchObject({ type: 'broken', trouble: { endReleased: false } });
  await post.quiet();
  expect(post.accepted).toEqual([]);
});

test('[ML-2] a 250 before the end of the mail does not count as accepted', async () => {
  const port = await startScriptedServer({ DATA: '354 go on\r\n250 queued\r\n' });
  const end = await runDialogue(port, Buffer.alloc(64 * 1024 * 1024, 'a line of text\r\n'));
  expect(end).toMatchObject({ type: 'broken', trouble: { endReleased: false } });
});

test('[ML-2] a server that refuses a required STARTTLS gets no login', async () => {
  const received: string[] = [];
  const port = await startScriptedServer({}, received);
  const end = await runDialogue(port, Buffer.from('x'), { mustUpgrade: true });
  expect(end).toMatchObject({ type: 'broken', trouble: { code: 'ETLS', endReleased: false } });
  expect(received.join('')).not.toContain('AUTH');
});

function runDialogue(
  port: number,
  raw: Buffer,
  { mustUpgrade = false } = {},
): Promise<DialogueEnd> {
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
    maySend: () => null,
  });
}

const YES: Record<string, string> = {
  EHLO: '250 ok\r\n',
  STARTTLS: '502 no\r\n',
  AUTH: '235 yes\r\n',
  MAIL: '250 ok\r\n',
  RCPT: '250 ok\r\n',
};

/** A server that answers each command by its first word and ignores unknown ones. */
async function startScriptedServer(
  answers: Record<string, string>,
  received: string[] = [],
): Promise<number> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 hello\r\n');
    socket.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      received.push(text);
      const answer = { ...YES, ...answers }[/^[A-Z]+/.exec(text)?.[0] ?? ''];
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
