// Who may speak to the loopback server: pages of its own origin (or no page at all), addressed by
// a loopback name, so that a hostile site cannot reach it by rebinding its own name to loopback.
import type { IncomingMessage } from 'node:http';
import { isSameToken } from '#main/boundary/token.ts';
import type { ApiErrorBody } from '#shared/api/errors.ts';

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::(\d+))?$/i;

export function checkOrigin(request: IncomingMessage, port: number): ApiErrorBody | null {
  const { host, origin } = request.headers;
  const match = LOOPBACK_HOST.exec(host ?? '');
  if (!match || Number(match[1] ?? 80) !== port) {
    return forbidden('This server answers only to its loopback address.');
  }
  if (origin !== undefined && origin.toLowerCase() !== `http://${host?.toLowerCase()}`) {
    return forbidden('This server answers only to its own pages.');
  }
  return null;
}

/** `Authorization: Bearer …`; a WebSocket, which cannot set it, offers the token as subprotocol. */
export function checkToken(request: IncomingMessage, token: string): ApiErrorBody | null {
  const given =
    /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ??
    /(?:^|[\s,])holdfast\.bearer\.([\w-]+)/.exec(
      request.headers['sec-websocket-protocol'] ?? '',
    )?.[1];
  if (given !== undefined && isSameToken(given, token)) return null;
  return {
    type: 'unauthorized',
    message:
      given === undefined
        ? 'This call needs the token of the host, as "Authorization: Bearer …". It is in the file "api-token" of the data folder.'
        : 'This token is not the one of the host. The right one is in the file "api-token" of the data folder.',
  };
}

function forbidden(why: string): ApiErrorBody {
  return { type: 'forbidden', message: `${why} Nothing was done.` };
}
