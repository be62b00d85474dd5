// Dials a paired device at one of its addresses and checks its key.
import type { Logger } from 'pino';
import { FrameStream, LinkEnded } from '#main/sync/link/frame-stream.ts';
import { awaitGreeting, sendGreeting } from '#main/sync/link/greeting.ts';
import { dialSecurely, type OpenKey } from '#main/sync/link/secure-socket.ts';
import { TlsLink } from '#main/sync/link/tls-link.ts';
import type { Clock } from '#shared/clock.ts';
import { parseAddress } from '#shared/sync/address.ts';
import type { KeyName } from '#shared/sync/device-id.ts';
import { MAX_GREETING_BYTES } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';

export interface ConnectOptions {
  readonly key: OpenKey;
  readonly peer: KeyName;
  readonly address: string;
  /** Our addresses, for the peer to store. */
  readonly ownAddresses: readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface Connected {
  readonly link: TlsLink;
  /** The addresses that the peer sent. */
  readonly addresses: readonly string[];
}

/** Rejects with `LinkEnded`. */
export async function connectToPeer(options: ConnectOptions): Promise<Connected> {
  const { key, peer, clock, log, signal } = options;
  const address = parseAddress(options.address);
  if (!address) throw new LinkEnded(linkEnd('unreachable'));
  const dialled = await dialSecurely(key, address, 'link', signal).catch(() => {
    throw new LinkEnded(linkEnd('unreachable'));
  });
  // The id is only a prefix of the hash, so the whole hash is checked too.
  if (dialled.peer?.deviceId !== peer.deviceId || dialled.peer.keyHash !== peer.keyHash) {
    dialled.socket.destroy();
    throw new LinkEnded(linkEnd('wrong-key'));
  }
  const stream = new FrameStream(dialled.socket, clock, MAX_GREETING_BYTES);
  sendGreeting(stream, { addresses: options.ownAddresses });
  const { addresses } = await awaitGreeting(stream, clock);
  const link = new TlsLink({ peerId: peer.deviceId, isDialledByUs: true, stream, clock, log });
  return { link, addresses };
}
