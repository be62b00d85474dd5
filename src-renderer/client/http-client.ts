// The client in a browser: calls over loopback HTTP and the feed over a WebSocket, both with the
// bearer token from the link.
import type { HostClient } from '#shared/api/client.ts';
import type { CallName } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import {
  parseResponse,
  unreachableError,
  unreadableError,
} from '#renderer/client/parse-response.ts';
import { openFeedSocket } from '#renderer/client/feed-socket.ts';

/** Longer than the host's own lock timeouts. */
const CALL_TIMEOUT_MS = 20_000;

/** Calls that wait for another device or scan the whole database. */
const LONG_CALLS: readonly CallName[] = [
  'devices.join',
  'devices.compare.start',
  'sync.folder',
  'backups.make',
  'retention.preview',
  'retention.pass',
];
const LONG_CALL_TIMEOUT_MS = 180_000;

export interface HttpClientOptions {
  /** Origin of the page, for example `http://127.0.0.1:4317`. */
  readonly origin: string;
  readonly token: string;
  /** Called when the host refuses the token. No call or reconnect can succeed after that. */
  onUnauthorized(): void;
  readonly fetch?: typeof fetch;
  readonly WebSocket?: new (url: string, protocols: string[]) => WebSocket;
  readonly random?: () => number;
}

export function createHttpClient(options: HttpClientOptions): HostClient {
  const { origin, token } = options;
  const request = options.fetch ?? globalThis.fetch.bind(globalThis);
  const Socket = options.WebSocket ?? globalThis.WebSocket;

  const call = async (name: CallName, input: unknown): Promise<unknown> => {
    const response = await request(`${origin}/api/call/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(
        LONG_CALLS.includes(name) ? LONG_CALL_TIMEOUT_MS : CALL_TIMEOUT_MS,
      ),
    }).catch((cause: unknown) => {
      throw unreachableError(cause);
    });
    if (response.status === 401) options.onUnauthorized();
    const body = await response.text().catch((cause: unknown) => {
      throw unreachableError(cause);
    });
    try {
      return JSON.parse(body);
    } catch (cause) {
      throw unreadableError(cause);
    }
  };

  return {
    call: async (name, input) => parseResponse(name, await call(name, input)),
    subscribe: (onMessage, onState) =>
      openFeedSocket({
        connect: () =>
          new Socket(`${origin.replace(/^http/, 'ws')}/api/feed`, [
            'holdfast',
            `holdfast.bearer.${token}`,
          ]),
        canRetry: () =>
          call('host.info', {}).then(
            (answer) => !isUnauthorized(answer),
            () => true,
          ),
        onMessage,
        onState: onState ?? (() => undefined),
        random: options.random ?? Math.random,
      }),
  };
}

function isUnauthorized(answer: unknown): boolean {
  try {
    parseResponse('host.info', answer);
    return false;
  } catch (error) {
    return error instanceof ApiError && error.type === 'unauthorized';
  }
}
