// Builds a request from params: address with query, headers, secrets by name.
import type { Outgoing } from '#main/tools/http/exchange.ts';
import { hostToGrant, maySendSecret, type HostsGrant } from '#main/tools/http/hosts.ts';
import {
  bodyText,
  type Auth,
  type MutationParams,
  type ReadParams,
} from '#main/tools/http/params.ts';
import { MAX_CONTENT_BYTES } from '#main/tools/limits.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';
import type { ToolContext, ToolFailure } from '#main/tools/tool.ts';

/** Secrets are separate: they go to the first address only, never to a redirect target. */
export interface Prepared {
  readonly out: Outgoing;
  readonly secretHeaders: { readonly [name: string]: string };
}

const addresses = new WeakMap<object, URL>();

/** Cached by params object, because every step of a call needs it. */
export function addressOf(params: Pick<ReadParams, 'url' | 'query'>): URL {
  const url = addresses.get(params) ?? makeAddress(params);
  addresses.set(params, url);
  return url;
}

function makeAddress(params: Pick<ReadParams, 'url' | 'query'>): URL {
  const url = new URL(params.url);
  url.hash = '';
  for (const [name, value] of Object.entries(params.query ?? {})) {
    for (const one of Array.isArray(value) ? value : [value]) {
      url.searchParams.append(name, String(one));
    }
  }
  return url;
}

/** Without the query, which may contain secrets. */
export function showAddress(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

export async function prepareRead(
  context: ToolContext,
  method: string,
  params: ReadParams,
): Promise<Prepared> {
  return {
    out: {
      method,
      url: addressOf(params),
      headers: { ...COMMON_HEADERS, ...lowerCased(params.headers) },
      body: null,
      timeoutMs: params.timeoutMs,
      maxBytes: MAX_CONTENT_BYTES,
    },
    secretHeaders: await secretHeaders(context, params.auth),
  };
}

export async function prepareMutation(
  context: ToolContext & { readonly effectId: string },
  method: string,
  params: MutationParams,
): Promise<Prepared> {
  const { out, secretHeaders: secrets } = await prepareRead(context, method, params);
  const body = bodyText(params);
  const headers = {
    ...(body !== null && { 'content-type': contentType(params) }),
    ...out.headers,
    'idempotency-key': context.effectId,
    'content-length': String(Buffer.byteLength(body ?? '')),
  };
  return { out: { ...out, headers, body }, secretHeaders: secrets };
}

/** Plain HTTP would expose a secret on the network. */
export function checkAuth(grant: HostsGrant, url: URL, auth: Auth | undefined): ToolFailure | null {
  if (!auth || maySendSecret(grant, url)) return null;
  const host = hostToGrant(url);
  return {
    errorType: 'permission',
    error: `A secret would be sent to ${host} without encryption. Nothing was sent. Use an https:// address. If you trust the network between here and there, grant ${JSON.stringify({ host, plainSecrets: true })}.`,
  };
}

const COMMON_HEADERS = { accept: '*/*', 'user-agent': 'Holdfast', 'accept-encoding': 'identity' };

function contentType(params: MutationParams): string {
  return params.json === undefined ? 'text/plain; charset=utf-8' : 'application/json';
}

function lowerCased(headers: { readonly [name: string]: string } = {}): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

async function secretHeaders(
  context: ToolContext,
  auth: Auth | undefined,
): Promise<{ [name: string]: string }> {
  if (!auth) return {};
  if ('bearerSecret' in auth) {
    return { authorization: `Bearer ${await headerSecret(context, auth.bearerSecret)}` };
  }
  if ('basicSecret' in auth) {
    const pair = Buffer.from(await context.secret(auth.basicSecret)).toString('base64');
    return { authorization: `Basic ${pair}` };
  }
  const headers: { [name: string]: string } = {};
  for (const [name, secret] of Object.entries(auth.headerSecrets)) {
    headers[name.toLowerCase()] = await headerSecret(context, secret);
  }
  return headers;
}

async function headerSecret(context: ToolContext, name: string): Promise<string> {
  const value = await context.secret(name);
  if (/^[\u0021-\u007e\u0080-\u00ff](?:[\u0020-\u007e\u0080-\u00ff]*)$/.test(value)) return value;
  throw new SecretMissing(
    name,
    `The secret "${name}" has characters that are not allowed in a header.`,
  );
}
