// Access checks of the loopback server. The Host header must be a loopback address, which stops DNS
// rebinding; the Origin, if any, must be the server's own; and the token must match.
import type { IncomingMessage } from 'node:http';
import { isSameToken } from '#main/boundary/token.ts';
import type { ApiErrorBody } from '#shared/api/errors.ts';

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d+))?$/i;

export function checkOrigin(request: IncomingMessage, port: number): ApiErrorBody | null {
  const { host, origin } = request.headers;
  const match = LOOPBACK_HOST.exec(host ?? '');
  if (!match || Number(match[1] ?? 80) !== port) {
    return forbidden('This server accepts requests only at its loopback address.');
  }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
    return forbidden('This server accepts requests only from its own pages.');
  }
  return null;
}

/** Reads `Authorization: Bearer …`, or a subprotocol, because browsers' WebSockets send no headers. */
export function checkToken(request: IncomingMessage, token: string): ApiErrorBody | null {
  const given =
    bearerOf(request) ??
    /(?:^|[\s,])holdfast\.bearer\.([\w-]+)/.exec(
      request.headers['sec-websocket-protocol'] ?? '',
    )?.[1];
  if (given !== undefined && isSameToken(given, token)) return null;
  return {
    type: 'unauthorized',
    message:
      given === undefined
        ? 'The API token is missing. Nothing was changed. Send it as "Authorization: Bearer …"; it is in "api-token" in the data folder.'
        : 'The API token is wrong. Nothing was changed. The current one is in "api-token" in the data folder.',
  };
}

export function bearerOf({ headers }: IncomingMessage): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function forbidden(why: string): ApiErrorBody {
  return { type: 'forbidden', message: `${why} Nothing was changed.` };
}
