// Establishes connections before a request uses them. Node would otherwise queue the request in a
// connecting socket, and then it may have been sent.
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect as connectTcp, type Socket, type TcpNetConnectOpts } from 'node:net';
import type { Duplex } from 'node:stream';
import { rootCertificates } from 'node:tls';
import {
  guardedLookup,
  REACHES,
  type Reach,
  type Resolve,
} from '#main/tools/egress/guarded-lookup.ts';
import { ADDRESS_TIMEOUT_MS, CONNECT_TIMEOUT_MS, IDLE_CONNECTION_MS } from '#main/tools/limits.ts';

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** Separate pools: a connection that one grant allowed is not reused for another. */
export type AgentsByReach = { readonly [reach in Reach]: Agents };

export interface ConnectOptions {
  /** Trusted certificates besides Node's own, as PEM. */
  readonly extraCertificates?: readonly string[] | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** Instead of the system's name lookup. */
  readonly resolve?: Resolve | undefined;
}

type Connected = (error: Error | null, socket: Duplex) => void;

export function createAgents(options: ConnectOptions = {}): AgentsByReach {
  const pools = REACHES.map((reach) => [reach, createPools(reach, options)] as const);
  return Object.fromEntries(pools) as AgentsByReach;
}

function createPools(reach: Reach, options: ConnectOptions): Agents {
  const timeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  const pooled: AgentOptions & { autoSelectFamilyAttemptTimeout: number } = {
    keepAlive: true,
    timeout: IDLE_CONNECTION_MS,
    scheduling: 'lifo',
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    lookup: guardedLookup(reach, options.resolve),
  };
  const http = new HttpAgent(pooled);
  const https = new HttpsAgent({
    ...pooled,
    minVersion: 'TLSv1.2',
    ...(options.extraCertificates && { ca: [...rootCertificates, ...options.extraCertificates] }),
  });
  const openTcp = http.createConnection.bind(http);
  const openTls = https.createConnection.bind(https);
  connectFirst(http, 'connect', timeoutMs, (target) => openTcp(target) as Socket);
  connectFirst(https, 'secureConnect', timeoutMs, (target) => {
    // Node doesn't expose the TCP connection below a TLS socket, so open it here.
    const tcp = connectTcp(target);
    const socket = openTls({ ...target, socket: tcp } as never) as Socket;
    tcpBelow.set(socket, tcp);
    // The TLS socket reports it. Without a listener here, an error after its end would end the process.
    tcp.on('error', () => {});
    return socket;
  });
  return { http, https };
}

/** The TCP connection below a TLS one. */
const tcpBelow = new WeakMap<Duplex, Socket>();

/**
 * Resets a connection (RST) whose request was given up. After a FIN the server may still read and carry
 * out the request that it received; a reset tells it that no client waits any more.
 */
export function resetConnection(socket: Socket): void {
  const tcp = tcpBelow.get(socket) ?? socket;
  if (!tcp.destroyed) tcp.resetAndDestroy();
}

/** Node accepts the socket from the callback or the return value. */
function connectFirst(
  agent: HttpAgent,
  ready: string,
  timeoutMs: number,
  open: (target: TcpNetConnectOpts) => Socket,
): void {
  agent.createConnection = (options, callback?: Connected) => {
    const socket = open(options as TcpNetConnectOpts);
    const timer = setTimeout(() => {
      socket.destroy(new ConnectTimeout(timeoutMs));
    }, timeoutMs);
    const failed = (error?: Error): void => {
      finish();
      callback?.(error ?? new Error('the connection closed while connecting'), socket);
    };
    const connected = (): void => {
      finish();
      callback?.(null, socket);
    };
    const closed = (): void => failed();
    function finish(): void {
      clearTimeout(timer);
      socket.off(ready, connected).off('error', failed).off('close', closed);
      // Between two owners the socket has no listener, and an unhandled error would end the process.
      socket.on('error', () => {});
    }
    socket.on(ready, connected).on('error', failed).on('close', closed);
    return undefined;
  };
}

class ConnectTimeout extends Error {
  readonly code = 'CONNECT_TIMEOUT';

  constructor(timeoutMs: number) {
    super(`no connection within ${timeoutMs} ms`);
  }
}
