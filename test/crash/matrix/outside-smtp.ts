// The post office of the outside: a real SMTP server that counts mail by its Message-ID.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Ledger } from '#test/crash/matrix/outside-ledger.ts';

/** Long enough for the answer to be on the wire; where exactly the host is by then is chance. */
const ANSWER_MS = 2;

export function startSmtp(ledger: Ledger): Promise<number> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    onAuth: (_auth, _session, done) => done(null, { user: 'ada' }),
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const cellId = (envelope.rcptTo[0]?.address ?? '').split('@', 1)[0] ?? '';
        take(ledger, cellId, Buffer.concat(chunks).toString(), () => done(null, 'queued'));
      });
    },
  });
  // A host that is killed breaks its connection; that is the point.
  server.on('error', () => {});
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port));
  });
}

function take(ledger: Ledger, cellId: string, mail: string, answer: () => void): void {
  const effect = {
    key: /^Message-ID: (.+?)\r?$/im.exec(mail)?.[1] ?? '',
    n: Number(/^Subject: thing (\d+)\r?$/im.exec(mail)?.[1]),
  };
  const fate = ledger.fateOf(cellId);
  if (fate === 'received') return ledger.killHost(cellId);
  ledger.act(cellId, effect);
  if (fate === 'acted') return ledger.killHost(cellId);
  answer();
  if (fate === 'answered') setTimeout(() => ledger.killHost(cellId), ANSWER_MS);
}
