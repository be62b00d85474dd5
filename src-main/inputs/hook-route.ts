// `POST /hooks/ID`, on loopback beside the API, and on a separate interface where the user chose one.
// Every hook verifies its own secret, so no other token guards the route.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { readRawBody } from '#main/boundary/http-raw-body.ts';
import { refusal, type Ingress, type IngressAnswer } from '#main/inputs/ingress.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';

export const HOOK_PREFIX = '/hooks/';

const REQUEST_TIMEOUT_MS = 30_000;

export type HookRoute = (request: IncomingMessage, pathname: string) => Promise<IngressAnswer>;

export function createHookRoute(ingress: Ingress): HookRoute {
  return async (request, pathname) => {
    const hookId = pathname.slice(HOOK_PREFIX.length);
    if (request.method !== 'POST') {
      return {
        ...refusal(405, 'not_allowed', 'Hooks accept only POST. Nothing was saved.'),
        headers: { Allow: 'POST' },
      };
    }
    const admission = ingress.admit(hookId);
    if (!admission.ok) {
      // Drain the body: the next request on a keep-alive connection follows it.
      request.resume();
      return admission.answer;
    }
    const rawBody = await readRawBody(request, MAX_PAYLOAD_BYTES);
    if (rawBody === null) return ingress.tooLarge();
    return ingress.deliver(admission.hook, { rawBody, headers: request.headers });
  };
}

export interface HookServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A server on a chosen interface that answers only hooks. */
export async function startHookServer(options: {
  readonly route: HookRoute;
  readonly host: string;
  readonly port: number;
  readonly log: Logger;
}): Promise<HookServer> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    answer(options.route, request, response).catch((error: unknown) => {
      options.log.error({ err: error }, 'webhook request failed');
      response.destroy();
    });
  });
  const port = await listen(server, options.host, options.port);
  const shown = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${shown}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  route: HookRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pathname = URL.parse(request.url ?? '/', 'http://hooks')?.pathname ?? '';
  const {
    status,
    body,
    headers = {},
  } = pathname.startsWith(HOOK_PREFIX)
    ? await route(request, pathname)
    : refusal(404, 'unknown_hook', 'Only hooks are served at this address.');
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
