// TLS 1.3 between two devices. Certificates are self-signed and not validated by TLS; each side checks
// the key that the other has proven before it reads or sends anything.
import { connect as connectTls, createServer, type Server, type TLSSocket } from 'node:tls';
import { nameOfCertificate, type DeviceKey } from '#main/sync/link/device-key.ts';
import type { Address } from '#shared/sync/address.ts';
import type { KeyName } from '#shared/sync/device-id.ts';
import { LINK_DIAL_MS, LINK_HANDSHAKE_MS, MAX_LINK_CONNECTIONS } from '#shared/limits.ts';

/** The purpose of a connection: frames between paired devices, or pairing. */
export const PROTOCOLS = { link: 'holdfast-link', pairing: 'holdfast-pair' } as const;
export type Purpose = keyof typeof PROTOCOLS;

/** A device key with its private key available. */
export type OpenKey = DeviceKey & { readonly privateKey: NonNullable<DeviceKey['privateKey']> };

export interface SecureSocket {
  readonly socket: TLSSocket;
  /** The key that the peer has proven; null when it sent no certificate. */
  readonly peer: KeyName | null;
  readonly purpose: Purpose | null;
}

export function createSecureServer(
  key: OpenKey,
  onConnection: (connection: SecureSocket) => void,
  /** The handshake failed: no TLS 1.3, another protocol, or a timeout. */
  onFailedHandshake: (why: 'wrong-protocol' | 'handshake-timeout', address: string) => void,
): Server {
  const server = createServer({
    ...credentials(key),
    requestCert: true,
    handshakeTimeout: LINK_HANDSHAKE_MS,
    ALPNProtocols: Object.values(PROTOCOLS),
  });
  server.maxConnections = MAX_LINK_CONNECTIONS;
  server.on('secureConnection', (socket) => onConnection(describe(socket)));
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    const isSlow = error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT';
    const hasLeft = error.code === 'ECONNRESET' || error.code === 'EPIPE';
    const address = socket.remoteAddress ?? 'unknown';
    if (!hasLeft) onFailedHandshake(isSlow ? 'handshake-timeout' : 'wrong-protocol', address);
    socket.destroy();
  });
  return server;
}

/** Rejects when the connection or the handshake fails or times out. */
export function dialSecurely(
  key: OpenKey,
  address: Address,
  purpose: Purpose,
  signal: AbortSignal,
): Promise<SecureSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      ...credentials(key),
      host: address.host,
      port: address.port,
      ALPNProtocols: [PROTOCOLS[purpose]],
      timeout: LINK_DIAL_MS,
      // SNI is not used, because the certificate's name is not checked.
      servername: '',
    });
    const giveUp = (error?: Error): void => {
      socket.destroy();
      reject(error ?? new Error('connection timed out'));
    };
    const abort = (): void => giveUp(new Error('aborted'));
    signal.addEventListener('abort', abort, { once: true });
    socket.once('timeout', giveUp);
    socket.once('error', giveUp);
    socket.once('close', () => giveUp());
    socket.once('secureConnect', () => {
      signal.removeEventListener('abort', abort);
      socket.off('timeout', giveUp);
      socket.removeAllListeners('close');
      socket.setTimeout(0);
      socket.on('error', () => socket.destroy());
      resolve(describe(socket));
    });
  });
}

function credentials(key: OpenKey) {
  return {
    key: key.privateKey.export({ type: 'pkcs8', format: 'pem' }),
    cert: key.certificate,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    rejectUnauthorized: false,
  } as const;
}

function describe(socket: TLSSocket): SecureSocket {
  const certificate = socket.getPeerX509Certificate();
  return {
    socket,
    peer: certificate ? nameOfCertificate(certificate) : null,
    purpose: purposeOf(socket.alpnProtocol),
  };
}

function purposeOf(protocol: string | false | null): Purpose | null {
  if (protocol === PROTOCOLS.link) return 'link';
  return protocol === PROTOCOLS.pairing ? 'pairing' : null;
}
