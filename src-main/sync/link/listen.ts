// Accepts connections and checks the key of each before reading anything from it. Accepted ones
// become links or go to pairing.
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { LinkEnd } from '#main/sync/link/link.ts';
import { FrameStream } from '#main/sync/link/frame-stream.ts';
import {
  createSecureServer,
  type OpenKey,
  type SecureSocket,
} from '#main/sync/link/secure-socket.ts';
import type { Clock } from '#shared/clock.ts';
import type { KeyName } from '#shared/sync/device-id.ts';
import { MAX_GREETING_BYTES } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';

export interface Caller {
  readonly key: KeyName;
  readonly stream: FrameStream;
  /** The remote address. */
  readonly host: string;
}

export interface ListenOptions {
  readonly key: OpenKey;
  readonly clock: Clock;
  readonly host: string;
  /** The preferred port; a free one if it is taken. 0 for any free port. */
  readonly port: number;
  /** Why a key is refused; null when it is accepted. Called before anything is read. */
  readonly refuse: (key: KeyName) => LinkEnd | null;
  readonly onPeer: (caller: Caller) => void;
  readonly onPairing: (caller: Caller) => void;
  readonly onRefused: (end: LinkEnd, who: string) => void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

export async function listenForPeers(options: ListenOptions): Promise<Listener> {
  const { key, clock, host, refuse, onPeer, onPairing, onRefused } = options;
  const sockets = new Set<TLSSocket>();

  function admit({ socket, peer, purpose }: SecureSocket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    const from = socket.remoteAddress ?? 'unknown';
    const stream = new FrameStream(socket, clock, MAX_GREETING_BYTES);
    const refuseCaller = (end: LinkEnd, who: string): void => {
      onRefused(end, who);
      stream.close(end);
    };
    if (peer === null || purpose === null) {
      return refuseCaller(linkEnd(peer === null ? 'no-certificate' : 'wrong-protocol'), from);
    }
    const refusal = purpose === 'link' ? refuse(peer) : null;
    if (refusal) return refuseCaller(refusal, peer.deviceId);
    const caller = { key: peer, stream, host: from };
    return purpose === 'link' ? onPeer(caller) : onPairing(caller);
  }

  const server = createSecureServer(key, admit, (why, address) => onRefused(linkEnd(why), address));
  const listen = (port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      // Without a host, Node listens on all addresses and works without IPv6.
      server.listen(port, host === '::' ? undefined : host, () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  const port = await listen(options.port).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE' && options.port !== 0) return listen(0);
    throw error;
  });
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroySoon();
        const cancelTimer = clock.wakeAt(clock.now() + CLOSE_MS, () => {
          for (const socket of sockets) socket.destroy();
        });
        server.once('close', cancelTimer);
      }),
  };
}

/** Time for goodbyes to be sent. */
const CLOSE_MS = 500;
