// The SMTP server of the outside service; counts mail by Message-ID.
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { Ledger } from '#test/crash/matrix/outside-ledger.ts';

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
        receive(ledger, cellId, Buffer.concat(chunks).toString(), () => done(null, 'queued'));
      });
    },
  });
  // A killed host breaks its connection.
  server.on('error', () => {});
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.server.address() as AddressInfo).port));
  });
}

function receive(ledger: Ledger, cellId: string, mail: string, answer: () => void): void {
  const effect = {
    key: /^Message-ID: (.+?)\r?$/im.exec(mail)?.[1] ?? '',
    n: Number(/^Subject: order (\d+)\r?$/im.exec(mail)?.[1]),
  };
  const fate = ledger.countRequest(cellId);
  if (fate === 'received') return ledger.killHost(cellId);
  ledger.act(cellId, effect);
  if (fate === 'acted') return ledger.killHost(cellId);
  answer();
  // The reply was written to the socket synchronously.
  if (fate === 'answered') setImmediate(() => ledger.killHost(cellId));
}
