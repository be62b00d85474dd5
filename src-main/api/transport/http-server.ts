// The loopback server: API calls over POST, the change feed over WebSocket, the window as static
// files, plus hooks, metrics and the runner's REST API.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { readJsonBody } from '#main/boundary/http-body.ts';
import { IdempotencyKeys } from '#main/api/transport/idempotency-keys.ts';
import { createFeedServer } from '#main/api/transport/http-feed.ts';
import { checkOrigin, checkToken } from '#main/boundary/http-guard.ts';
import { authenticateCaller, type RunnerTokens } from '#main/boundary/runner-tokens.ts';
import { readStatic } from '#main/api/transport/static-files.ts';
import type { ChangeFeed } from '#main/api/transport/change-feed.ts';
import type { Dispatch } from '#main/api/dispatch.ts';
import type { ApiToken } from '#main/boundary/token.ts';
import type { Engine } from '#main/engine/engine.ts';
import { HOOK_PREFIX } from '#main/inputs/hook-route.ts';
import type { InputsParts } from '#main/inputs/inputs.ts';
import type { Observation } from '#main/observe/observation.ts';
import { RUNNER_PREFIX, type RunnerRest } from '#main/runner/rest-routes.ts';
import type { Stores } from '#main/store/stores.ts';
import type { ApiErrorBody, ApiErrorType, ApiResult } from '#shared/api/errors.ts';

const HTTP_STATUS: { readonly [type in ApiErrorType]: number } = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  unknown_call: 404,
  not_found: 404,
  illegal_transition: 409,
  conflict: 409,
  too_large: 413,
  too_many: 429,
  internal: 500,
  busy: 503,
  storage_full: 507,
  unreachable: 502,
};

const DROP_AFTER_MS = 250;
const LOOPBACK = '127.0.0.1';
const CALL_PREFIX = '/api/call/';
const METRICS_PATH = '/metrics';
const FEED_PATH = '/api/feed';

export interface HttpServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The parts of a host that this server needs. */
export interface ServedHost {
  readonly stores: Pick<Stores, 'idempotencyKeys'>;
  readonly engine: Pick<Engine, 'context'>;
  readonly runnerRest: RunnerRest;
  readonly inputs: Pick<InputsParts, 'hookRoute'>;
  readonly feed: ChangeFeed;
  readonly token: ApiToken;
  readonly runnerTokens: RunnerTokens;
  readonly observation: Observation;
  readonly log: Logger;
  readonly dispatch: Dispatch;
}

export interface HttpServerOptions {
  readonly host: ServedHost;
  /** 0 means any free port. */
  readonly port: number;
}

export async function startHttpServer({ host, port }: HttpServerOptions): Promise<HttpServer> {
  const feed = createFeedServer(host.feed);
  const idempotency = new IdempotencyKeys({
    store: host.stores.idempotencyKeys,
    clock: host.engine.context.store.clock,
    secret: host.token.current,
    log: host.log,
  });
  // Delayed, so that the client that asked for the new token receives it before it is disconnected.
  host.token.onRotate(() => void setTimeout(feed.dropAll, DROP_AFTER_MS).unref());
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      host.log.error({ err: error }, 'HTTP request failed');
      response.destroy();
    });
  });
  server.on('upgrade', (request, socket, head) => upgrade(request, socket, head));
  const boundPort = await listen(server, port);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const badOrigin = checkOrigin(request, boundPort);
    if (badOrigin) return refuse(response, badOrigin);
    const pathname = pathOf(request);
    if (pathname === null) return refuse(response, INVALID_URL);
    if (pathname.startsWith(RUNNER_PREFIX)) return answerRunner(request, response);
    if (pathname.startsWith('/api/')) {
      const unauthorized = checkToken(request, host.token.current);
      if (unauthorized) return refuse(response, unauthorized);
      return answerCall(request, response, pathname);
    }
    if (pathname.startsWith(HOOK_PREFIX)) {
      const { status, body, headers } = await host.inputs.hookRoute(request, pathname);
      return sendJson(response, status, body, headers);
    }
    if (pathname === METRICS_PATH) return answerMetrics(request, response);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuse(response, { type: 'unknown_call', message: 'Pages accept only GET.' });
    }
    const file = await readStatic(pathname);
    response.writeHead(file.status, file.headers);
    response.end(request.method === 'HEAD' ? undefined : file.body);
  }

  /** Needs the token unless HOLDFAST_METRICS_OPEN allows any local program. */
  function answerMetrics(request: IncomingMessage, response: ServerResponse): void {
    const isOpen = process.env['HOLDFAST_METRICS_OPEN'] === 'true';
    const unauthorized = isOpen ? null : checkToken(request, host.token.current);
    if (unauthorized) return refuse(response, unauthorized);
    if (request.method !== 'GET') {
      return refuse(response, { type: 'unknown_call', message: 'Metrics accept only GET.' });
    }
    response.writeHead(200, {
      'Content-Type': 'text/plain; version=0.0.4; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(host.observation.metrics.text());
    return undefined;
  }

  async function answerRunner(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const who = authenticateCaller(request, host.token.current, host.runnerTokens);
    if (!who.ok) return refuse(response, who.error);
    const url = new URL(request.url ?? '/', 'http://loopback');
    const { status, body, headers = {} } = await host.runnerRest(request, url, who.caller);
    return sendJson(response, status, body, headers);
  }

  async function answerCall(
    request: IncomingMessage,
    response: ServerResponse,
    pathname: string,
  ): Promise<void> {
    if (request.method !== 'POST' || !pathname.startsWith(CALL_PREFIX)) {
      return refuse(response, {
        type: 'unknown_call',
        message: 'API calls have the form POST /api/call/NAME.',
      });
    }
    const body = await readJsonBody(request);
    if (!body.ok) return refuse(response, body.error);
    const name = decodeName(pathname.slice(CALL_PREFIX.length));
    const call = (): Promise<ApiResult<unknown>> => host.dispatch(name, body.value);
    const key = request.headers['idempotency-key'];
    if (key === undefined) return send(response, await call());
    const keyed = { key: String(key), call: name, body: body.text, input: body.value };
    const { result, isReplay } = await idempotency.answer(keyed, call);
    return send(response, result, isReplay ? { 'Idempotency-Replayed': 'true' } : {});
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Node removes its own listener on upgrade. Without one, a client's reset would crash the host.
    socket.on('error', () => socket.destroy());
    const error =
      checkOrigin(request, boundPort) ??
      checkToken(request, host.token.current) ??
      (pathOf(request) === FEED_PATH ? null : NO_SUCH_FEED);
    if (!error) return feed.accept(request, socket, head);
    const body = JSON.stringify({ ok: false, error });
    socket.end(
      `HTTP/1.1 ${HTTP_STATUS[error.type]} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }

  return {
    url: `http://${LOOPBACK}:${boundPort}`,
    close: () =>
      new Promise((resolve) => {
        feed.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const NO_SUCH_FEED: ApiErrorBody = {
  type: 'unknown_call',
  message: `The feed is at ${FEED_PATH}.`,
};
const INVALID_URL: ApiErrorBody = {
  type: 'invalid_input',
  message: 'The URL is invalid. Nothing was changed.',
};

function pathOf(request: IncomingMessage): string | null {
  return URL.parse(request.url ?? '/', 'http://loopback')?.pathname ?? null;
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => resolve((server.address() as AddressInfo).port));
  });
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refuse(response: ServerResponse, error: ApiErrorBody): void {
  send(response, { ok: false, error });
}

function send(
  response: ServerResponse,
  result: ApiResult<unknown>,
  headers: { readonly [name: string]: string } = {},
): void {
  sendJson(response, result.ok ? 200 : HTTP_STATUS[result.error.type], result, headers);
}

function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: { readonly [name: string]: string } = {},
): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    ...headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}
