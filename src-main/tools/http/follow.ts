// Sends a request and follows redirects as far as the grant and the caller allow. Every address is
// checked before connecting to it.
import type { Agents } from '#main/tools/http/connect.ts';
import { exchange, type Exchange } from '#main/tools/http/exchange.ts';
import { hostToGrant, isGranted, type HostsGrant } from '#main/tools/http/hosts.ts';
import type { Prepared } from '#main/tools/http/request.ts';
import { MAX_REDIRECTS } from '#main/tools/limits.ts';
import type { ToolContext, ToolFailure } from '#main/tools/tool.ts';

const REDIRECTS = [301, 302, 303, 307, 308];

export type Followed = Exchange | ({ readonly type: 'refused' } & ToolFailure);

/** Whether a request may follow this redirect. */
export type MayFollow = (status: number, from: URL, to: URL) => boolean;

/** Reads follow redirects to any granted host. */
export const followRead: MayFollow = () => true;

/** 307 and 308 mean that nothing was done yet. Other redirects don't. */
export const followMutation: MayFollow = (status, from, to) =>
  (status === 307 || status === 308) && from.origin === to.origin;

export async function send(
  agents: Agents,
  { grant, signal }: ToolContext<HostsGrant>,
  { out, secretHeaders }: Prepared,
  mayFollow: MayFollow,
): Promise<Followed> {
  const deadline = performance.now() + out.timeoutMs;
  let url = out.url;
  for (let hops = 0; ; hops += 1) {
    const denied = checkHost(grant, url);
    if (denied) return { type: 'refused', ...denied };
    const headers =
      url.origin === out.url.origin ? { ...out.headers, ...secretHeaders } : out.headers;
    const timeoutMs = Math.max(1, Math.ceil(deadline - performance.now()));
    const answer = await exchange(agents, { ...out, url, headers, timeoutMs }, signal);
    const next = answer.type === 'answer' ? redirectOf(answer, url) : null;
    if (answer.type !== 'answer' || !next || !mayFollow(answer.status, url, next)) return answer;
    if (hops === MAX_REDIRECTS) return { type: 'refused', ...tooManyRedirects(out.url) };
    url = next;
  }
}

export function checkHost(grant: HostsGrant, url: URL): ToolFailure | null {
  if (isGranted(grant, url)) return null;
  const host = hostToGrant(url);
  return {
    errorType: 'permission',
    error: `This workflow may not contact ${host}. Nothing was sent there. To allow it, grant the host "${host}".`,
  };
}

/** Target of a redirect; null when there is none or it is not HTTP. */
export function redirectOf(
  answer: { readonly status: number; readonly headers: { readonly [name: string]: string } },
  from: URL,
): URL | null {
  const location = REDIRECTS.includes(answer.status) ? answer.headers['location'] : undefined;
  const url = location === undefined ? null : URL.parse(location, from);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    return null;
  }
  return url;
}

function tooManyRedirects(url: URL): ToolFailure {
  return {
    errorType: 'logic',
    error: `${url.origin}${url.pathname} redirects more than ${MAX_REDIRECTS} times.`,
  };
}
