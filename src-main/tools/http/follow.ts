// Sends a request and follows redirects as far as the grant and the caller allow. Every address is
// checked before connecting to it.
import { isOfTheNetwork } from '#main/tools/egress/error-code.ts';
import { AddressRefused } from '#main/tools/egress/guarded-lookup.ts';
import type { AgentsByReach } from '#main/tools/http/connect.ts';
import { exchange, type Answer, type Exchange } from '#main/tools/http/exchange.ts';
import { hostToGrant, isGranted, reachOf, type HostsGrant } from '#main/tools/http/hosts.ts';
import type { Prepared } from '#main/tools/http/request.ts';
import { MAX_REDIRECTS } from '#main/tools/limits.ts';
import { heldBack, waitsForOf } from '#main/tools/outside-hosts/doorway.ts';
import type { MaySend, ToolContext, ToolFailure, WaitsFor } from '#main/tools/tool.ts';
import type { CallEnd } from '#shared/outside/host-gate.ts';

const REDIRECTS = [301, 302, 303, 307, 308];

export type Followed =
  | ((Answer | Exclude<Exchange, Answer>) & { readonly waitsFor?: WaitsFor })
  | ({ readonly type: 'refused' } & ToolFailure);

/** Whether a request may follow this redirect. */
export type MayFollow = (status: number, from: URL, to: URL) => boolean;

/** Reads follow redirects to any granted host. */
export const followRead: MayFollow = () => true;

/** 307 and 308 mean that nothing was done yet. Other redirects don't. */
export const followMutation: MayFollow = (status, from, to) =>
  (status === 307 || status === 308) && from.origin === to.origin;

export async function send(
  agents: AgentsByReach,
  { grant, signal, doorway, maySend }: ToolContext<HostsGrant> & { readonly maySend?: MaySend },
  { out, secretHeaders }: Prepared,
  mayFollow: MayFollow,
): Promise<Followed> {
  let left = out.timeoutMs;
  let url = out.url;
  for (let hops = 0; ; hops += 1) {
    const denied = checkHost(grant, url);
    if (denied) return { type: 'refused', ...denied };
    const visit = await doorway.enter(hostToGrant(url));
    if (visit.type === 'waits') return { type: 'refused', ...heldBack(visit) };
    // Waiting for the turn does not count towards the timeout of the call.
    const startedAt = performance.now();
    const headers =
      url.origin === out.url.origin ? { ...out.headers, ...secretHeaders } : out.headers;
    const timeoutMs = Math.max(1, Math.ceil(left));
    const pools = agents[reachOf(grant, url)];
    const answer = await exchange(pools, { ...out, url, headers, timeoutMs }, signal, maySend);
    left -= performance.now() - startedAt;
    const wait = visit.leave(callEnd(answer, out.method));
    if (answer.type === 'not_sent' && answer.heldBack) {
      return { type: 'refused', ...answer.heldBack };
    }
    if (answer.type === 'not_sent' && answer.cause instanceof AddressRefused) {
      return { type: 'refused', ...addressRefused(answer.cause, url) };
    }
    if (wait) return { ...answer, ...waitsForOf(wait) };
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

function addressRefused({ message }: AddressRefused, url: URL): ToolFailure {
  const allowed = JSON.stringify({ host: hostToGrant(url), private: true });
  return {
    errorType: 'permission',
    error: `${message}. A grant of a name reaches only the internet. Nothing was sent there. To allow it, grant ${allowed}.`,
  };
}

/** A read with this answer did not reach the service. */
export const UNAVAILABLE: readonly number[] = [502, 503, 504];

function callEnd(answer: Exchange, method: string): CallEnd {
  if (answer.type === 'not_sent') {
    return answer.heldBack ? { type: 'unanswered' } : notSentEnd(answer.cause);
  }
  if (answer.type === 'lost') return { type: 'unanswered' };
  const retryAfterMs = HOLDS_HOST.includes(answer.status) ? retryAfterOf(answer) : null;
  if (retryAfterMs !== null) return { type: 'asked_to_wait', retryAfterMs };
  // After an effect the same status says that it may have gone through.
  const isRead = method === 'GET' || method === 'HEAD';
  return { type: isRead && UNAVAILABLE.includes(answer.status) ? 'unavailable' : 'answered' };
}

/** No cause: Holdfast stopped, or the connection broke without a reason. */
function notSentEnd(cause: Error | undefined): CallEnd {
  if (!cause || cause instanceof AddressRefused) return { type: 'unanswered' };
  return { type: 'unreachable', isNetwork: isOfTheNetwork(cause) };
}

/** With these, `Retry-After` is about the host, not about one request. */
const HOLDS_HOST = [429, 503];

export function retryAfterOf({ headers }: Answer): number | null {
  const text = headers['retry-after'];
  if (text === undefined) return null;
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : (Date.parse(text) - Date.parse(headers['date'] ?? '')) / 1000;
  return seconds >= 0 ? seconds * 1000 : null;
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
