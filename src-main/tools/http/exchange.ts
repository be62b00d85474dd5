// One request, one response. Whether it was sent is exact: a request gets only an established
// connection, so before that nothing was written, and after it anything may have been. Nothing is
// resent here, not even when a keep-alive connection turns out to be dead.
import {
  request as httpRequest,
  STATUS_CODES,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import { resetConnection, type Agents } from '#main/tools/http/connect.ts';
import { plainHost } from '#main/tools/http/hosts.ts';
import { explainNetworkError } from '#main/tools/http/network-error.ts';
import type { MaySend, ToolFailure } from '#main/tools/tool.ts';

export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
  readonly body: string | null;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface Answer {
  readonly type: 'answer';
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: Buffer;
  /** `body` was truncated to `maxBytes`. */
  readonly tooLong: boolean;
}

export type Exchange =
  | Answer
  /** Certain: no byte of the request was sent. */
  | {
      readonly type: 'not_sent';
      readonly error: string;
      readonly cause?: Error;
      /** `maySend` refused. */
      readonly heldBack?: ToolFailure;
    }
  /** The request may have arrived; no complete response did. */
  | { readonly type: 'lost'; readonly error: string };

/** `maySend` is called with the established connection, right before the first byte. */
export function exchange(
  agents: Agents,
  out: Outgoing,
  signal: AbortSignal,
  maySend?: MaySend,
): Promise<Exchange> {
  if (signal.aborted) return Promise.resolve({ type: 'not_sent', error: STOPPED });
  return new Promise((resolve) => {
    let settled = false;
    let mayHaveLeft = false;
    const request = open(agents, out);
    let arrived: IncomingMessage | undefined;
    const timer = setTimeout(
      () => giveUp(`no complete response within ${out.timeoutMs} ms`),
      out.timeoutMs,
    );
    const onAbort = (): void => giveUp(STOPPED);
    signal.addEventListener('abort', onAbort);

    function settle(result: Exchange): void {
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    }
    function giveUp(why: string, cause?: Error): void {
      if (settled) return;
      const error = `${why}${statusOf(arrived)}`;
      if (mayHaveLeft) settle({ type: 'lost', error });
      else settle({ type: 'not_sent', error, ...(cause && { cause }) });
      // A request destroyed before it has a socket never writes.
      if (mayHaveLeft && request.socket) resetConnection(request.socket);
      request.destroy();
    }
    request.on('socket', () => {
      if (settled) return;
      const heldBack = maySend?.() ?? null;
      if (heldBack) {
        settle({ type: 'not_sent', error: heldBack.error, heldBack });
        request.destroy();
        return;
      }
      mayHaveLeft = true;
      request.end(out.body ?? undefined);
    });
    request.on('error', (error) => giveUp(explainNetworkError(error, out.url), error));
    request.on('close', () =>
      giveUp(arrived ? BROKEN_OFF : 'the connection closed without a response'),
    );
    request.on('response', (response) => {
      arrived = response;
      // Synchronous: the close event after the end must find the response settled.
      collect(response, out.maxBytes, (body) => {
        if (settled) return;
        if (!body) return giveUp(BROKEN_OFF);
        settle({ type: 'answer', ...headOf(response), ...body });
        if (body.tooLong) request.destroy();
      });
    });
  });
}

const BROKEN_OFF = 'the connection was lost in the middle of the response';
const STOPPED = 'Holdfast stopped waiting for the response';

/** A status line proves nothing about a response that broke off, but helps a person to look. */
function statusOf(response: IncomingMessage | undefined): string {
  if (response?.statusCode === undefined) return '';
  return `; the status ${spellStatus(response.statusCode)} had arrived`;
}

export function spellStatus(status: number): string {
  const name = STATUS_CODES[status];
  return name === undefined ? String(status) : `${status} ${name}`;
}

function open(agents: Agents, { method, url, headers }: Outgoing): ClientRequest {
  const secure = url.protocol === 'https:';
  const host = plainHost(url.hostname) ?? url.hostname;
  return (secure ? httpsRequest : httpRequest)({
    agent: secure ? agents.https : agents.http,
    method,
    host: host.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers,
  });
}

/** `done` gets the body, or null when the connection ended before it was complete. */
function collect(
  response: IncomingMessage,
  maxBytes: number,
  done: (body: Pick<Answer, 'body' | 'tooLong'> | null) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > maxBytes) {
      done({ body: Buffer.concat(chunks).subarray(0, maxBytes), tooLong: true });
    }
  });
  response.on('end', () => done({ body: Buffer.concat(chunks), tooLong: false }));
  response.on('error', () => done(null));
  response.on('close', () => done(null));
}

function headOf(response: IncomingMessage): Pick<Answer, 'status' | 'headers'> {
  const headers: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(response.headers)) {
    // Cookies are secrets, and there is no cookie jar.
    if (value === undefined || name === 'set-cookie') continue;
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { status: response.statusCode ?? 0, headers };
}
