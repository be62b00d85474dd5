// The outside service of the crash matrix, in its own process. It counts effects without deduplicating
// keys, and can kill the host at chosen moments of a request.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ledger, type Armed, type OutsideEffect } from '#test/crash/matrix/outside-ledger.ts';
import { startSmtp } from '#test/crash/matrix/outside-smtp.ts';

const ledger = new Ledger();
/** Delay of an effect that arrives after its sender was killed. */
const LATE_MS = 300;

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://outside');
  const [, verb, cellId = ''] = url.pathname.split('/');
  const body: unknown = JSON.parse((await read(request)) || 'null');
  if (verb === 'arm') {
    ledger.arm(cellId, body as Armed);
    return send(response, 200, {});
  }
  if (verb === 'restore') {
    ledger.restore(cellId, body as OutsideEffect[]);
    return send(response, 200, {});
  }
  if (verb === 'effects') return send(response, 200, ledger.effects(cellId));
  if (verb === 'look') {
    if (ledger.isMute(cellId)) return send(response, 503, {});
    const key = url.searchParams.get('key');
    const found = ledger.effects(cellId).filter((effect) => effect.key === key);
    return send(response, 200, { count: found.length });
  }
  const key = String(request.headers['idempotency-key']);
  return act(response, cellId, { key, n: (body as { n: number }).n });
}

async function act(
  response: ServerResponse,
  cellId: string,
  effect: Omit<OutsideEffect, 'at'>,
): Promise<void> {
  const fate = ledger.countRequest(cellId);
  switch (fate) {
    case 'received':
      ledger.killHost(cellId);
      response.destroy();
      return;
    case 'late':
      ledger.killHost(cellId);
      setTimeout(() => ledger.act(cellId, effect), LATE_MS);
      return;
    case 'refuse':
      return send(response, 500, { error: 'Nothing was done.' });
    case 'acted':
      ledger.act(cellId, effect);
      ledger.killHost(cellId);
      return;
    case 'drop':
      ledger.act(cellId, effect);
      response.destroy();
      return;
    case 'answered':
      ledger.act(cellId, effect);
      response.once('finish', () => ledger.killHost(cellId));
      return send(response, 201, { n: effect.n });
    case null:
      ledger.act(cellId, effect);
      return send(response, 201, { n: effect.n });
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

server.listen(0, '127.0.0.1', () => {
  void startSmtp(ledger).then((smtpPort) => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}`, smtpPort })}\n`);
  });
});
// Exits with the process that started it.
process.stdin.resume().once('end', () => process.exit(0));
