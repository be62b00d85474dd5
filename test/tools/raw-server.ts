// A TCP server for tests: the test writes every byte of the response and may cut the connection
// at any point.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawServer {
  readonly port: number;
  readonly host: string;
  readonly url: string;
  /** One string per connection: everything received on it so far. */
  readonly received: readonly string[];
}

/** `onData` runs on every chunk and gets everything received on this connection so far. */
export async function rawServer(
  onData: (socket: Socket, received: string) => void,
  onConnect: (socket: Socket) => void = () => {},
): Promise<RawServer> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const index = received.push('') - 1;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      received[index] += chunk.toString('latin1');
      onData(socket, received[index] ?? '');
    });
    onConnect(socket);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, received };
}

/** Answers every complete request with the same bytes. */
export function answerWith(answer: string): (socket: Socket, received: string) => void {
  return (socket, received) => {
    if (isWhole(received)) socket.write(answer);
  };
}

export function isWhole(received: string): boolean {
  const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
  const head = received.indexOf('\r\n\r\n');
  return head >= 0 && received.length >= head + 4 + length;
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}
