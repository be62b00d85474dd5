// The send gate before a mail is sent, and the end of a dialogue that is given up.
import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ToolFailure } from '#main/tools/tool.ts';
import { send } from '#test/tools/mail/mail-call.ts';
import { startSmtpServer } from '#test/tools/mail/smtp-server.ts';

const TOO_LATE: ToolFailure = { errorType: 'internal', error: 'too late', startsOver: true };

/** Looks that pass before `maySend` refuses. */
function after(looks: number): () => ToolFailure | null {
  let left = looks;
  return () => ((left -= 1) < 0 ? TOO_LATE : null);
}

describe('[DO-6] a mail that the send gate refuses', () => {
  test('is not_sent, before its envelope and before its content', async () => {
    const commands: string[] = [];
    const server = await startSmtpServer({
      onMailFrom: (_address, _session, done) => {
        commands.push('MAIL');
        done();
      },
    });
    for (const [looks, expected] of [
      [0, []],
      [1, ['MAIL']],
    ] as const) {
      commands.length = 0;
      const outcome = await send({ smtpPort: server.port, maySend: after(looks) });
      expect(outcome).toEqual({ ...TOO_LATE, type: 'not_sent' });
      expect(commands).toEqual(expected);
    }
    await server.quiet();
    expect(server.accepted).toEqual([]);
    expect((await send({ smtpPort: server.port })).type).toBe('applied');
  });
});

test('[DO-5] a dialogue that is given up is reset', async () => {
  const stopping = new AbortController();
  let ending: Promise<unknown> | undefined;
  const server = net.createServer((socket) => {
    ending = new Promise((resolve) => {
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
      socket.on('end', () => resolve('FIN'));
    });
    socket.write('220 hello\r\n');
    socket.on('data', () => stopping.abort());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as net.AddressInfo;
  const outcome = await send({ smtpPort: port, signal: stopping.signal });
  expect(outcome).toMatchObject({ type: 'not_sent', errorType: 'network' });
  expect(await ending).toBe('ECONNRESET');
});
