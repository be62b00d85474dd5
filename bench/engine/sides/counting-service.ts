// The service that receives the effects. Counts requests and distinct idempotency keys per sender.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveSide } from '../side.ts';

export interface Counted {
  readonly effects: number;
  readonly keys: number;
}

export interface ServiceAnswers {
  readonly port: number;
  readonly counts: { readonly [name: string]: Counted };
}

const counts = new Map<string, { effects: number; keys: Set<string> }>();

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const name = request.url?.split('/').at(-1) ?? '';
    const counted = counts.get(name) ?? { effects: 0, keys: new Set() };
    counts.set(name, counted);
    counted.effects += 1;
    counted.keys.add(String(request.headers['idempotency-key']));
    const text = JSON.stringify({ number: counted.effects });
    response.writeHead(201, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    });
    response.end(text);
  });
});
// A keep-alive timeout in the middle of a round would distort its times.
server.keepAliveTimeout = 0;
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

serveSide(
  {
    port: () => (server.address() as AddressInfo).port,
    counts: () =>
      Object.fromEntries(
        [...counts].map(([name, { effects, keys }]) => [name, { effects, keys: keys.size }]),
      ),
  },
  () => {
    server.close();
    server.closeAllConnections();
  },
);
