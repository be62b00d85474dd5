// An HTTP and WebSocket client that can send what a browser would not, such as any Host or Origin, which
// fetch does not allow.
import {
  request as httpRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http';
import { onTestFinished } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import type { ApiErrorBody, ApiResult } from '#shared/api/errors.ts';
import { feedMessageSchema, type FeedMessage } from '#shared/api/feed.ts';
import { createMailbox, type Mailbox } from '#test/support/mailbox.ts';

export interface Place {
  readonly url: string;
  readonly token: string;
}

export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** A list is sent chunked, without a Content-Length. */
  readonly body?: string | readonly string[];
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function send(
  url: string,
  { method = 'GET', path = '/', headers = {}, body = [] }: Sent,
): Promise<Received> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, method, path, headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      },
    );
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: '' });
    });
    request.on('error', reject);
    if (typeof body === 'string') request.end(body);
    else {
      for (const part of body) request.write(part);
      request.end();
    }
  });
}

export function callHeaders(token: string): OutgoingHttpHeaders {
  return { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
}

export async function callOver(
  place: Place,
  name: string,
  input: unknown,
): Promise<ApiResult<unknown>> {
  const answer = await send(place.url, {
    method: 'POST',
    path: `/api/call/${encodeURIComponent(name)}`,
    headers: callHeaders(place.token),
    body: JSON.stringify(input) ?? '',
  });
  return JSON.parse(answer.text) as ApiResult<unknown>;
}

/** The error in an answer. */
export function errorOf({ text }: Received): ApiErrorBody {
  const result = JSON.parse(text) as ApiResult<unknown>;
  if (result.ok) throw new Error(`The answer is not an error: ${text}`);
  return result.error;
}

export interface Feed {
  readonly socket: WebSocket;
  readonly messages: Mailbox<FeedMessage>;
}

/** Opens the feed as the page does; an invalid feed message fails the test. */
export async function openFeed({ url, token }: Place, options: ClientOptions = {}): Promise<Feed> {
  const address = `${url.replace('http', 'ws')}/api/feed`;
  const socket = new WebSocket(address, ['holdfast', `holdfast.bearer.${token}`], options);
  onTestFinished(() => socket.terminate());
  const messages = createMailbox<FeedMessage>();
  socket.on('message', (data: Buffer) =>
    messages.push(feedMessageSchema.parse(JSON.parse(data.toString('utf8')))),
  );
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  return { socket, messages };
}

/** The answer to a refused upgrade. */
export function refusedFeed(
  url: string,
  path: string,
  protocols: readonly string[],
  headers: { readonly [name: string]: string } = {},
): Promise<Received> {
  return send(url, {
    path,
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': Buffer.from('0123456789abcdef').toString('base64'),
      ...(protocols.length === 0 ? {} : { 'Sec-WebSocket-Protocol': protocols.join(', ') }),
      ...headers,
    },
  });
}
