// The least that is a link: frames with their length before them on a TLS socket.
import type { TLSSocket } from 'node:tls';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';

const LENGTH_BYTES = 4;

export interface CountedLink extends Link {
  /** On the socket, both ways. */
  bytes(): number;
}

export function tlsLink(socket: TLSSocket, peerId: string): CountedLink {
  const closeListeners: ((end: LinkEnd) => void)[] = [];
  let bytes = 0;
  let isEnded = false;
  const end = (reason: LinkEnd): void => {
    if (isEnded) return;
    isEnded = true;
    socket.destroy();
    for (const listener of closeListeners) listener(reason);
  };
  socket.setNoDelay(true);
  socket.on('close', () => end({ name: 'closed', message: 'The other side went away.' }));
  socket.on('error', (error) => end({ name: 'broken', message: error.message }));
  return {
    peerId,
    bytes: () => bytes,
    send(frame) {
      if (isEnded) return Promise.reject(new Error('The link has ended.'));
      const head = Buffer.allocUnsafe(LENGTH_BYTES);
      head.writeUInt32BE(frame.length);
      bytes += head.length + frame.length;
      socket.cork();
      socket.write(head);
      const hasRoom = socket.write(frame);
      socket.uncork();
      return hasRoom ? Promise.resolve() : new Promise((resolve) => socket.once('drain', resolve));
    },
    onFrame(listener) {
      void (async () => {
        for await (const frame of framesOf(socket)) {
          bytes += LENGTH_BYTES + frame.length;
          await listener(frame);
        }
      })().catch((error: unknown) => end({ name: 'broken', message: String(error) }));
    },
    onClose: (listener) => closeListeners.push(listener),
    close: end,
  };
}

async function* framesOf(socket: TLSSocket): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= LENGTH_BYTES) {
      const whole = LENGTH_BYTES + rest.readUInt32BE(0);
      if (rest.length < whole) break;
      yield rest.subarray(LENGTH_BYTES, whole);
      rest = rest.subarray(whole);
    }
  }
}
