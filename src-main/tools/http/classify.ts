// Classifies responses by what they prove. A status that proves neither success nor failure of the
// effect is ambiguous.
import { excerptOf, resultOf } from '#main/tools/http/answer.ts';
import { spellStatus, type Answer, type Outgoing } from '#main/tools/http/exchange.ts';
import { redirectOf, type Followed } from '#main/tools/http/follow.ts';
import { hostToGrant } from '#main/tools/http/hosts.ts';
import { showAddress } from '#main/tools/http/request.ts';
import type { MutationOutcome, ReadOutcome, ToolFailure } from '#main/tools/tool.ts';
import { MAX_RETRY_AFTER_MS } from '#shared/limits.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';

export function mutationOutcome(
  out: Outgoing,
  sent: Followed,
  expect: readonly number[] | undefined,
): MutationOutcome {
  const what = `${out.method} ${showAddress(out.url)}`;
  switch (sent.type) {
    case 'refused':
      return { ...sent, type: 'failed' };
    case 'not_sent':
      return {
        type: 'not_sent',
        errorType: 'network',
        error: `${what}: ${sent.error}. Nothing was sent.`,
      };
    case 'lost':
      return { type: 'ambiguous', error: `${what}: ${sent.error}. It may have gone through.` };
    case 'answer':
      return judge(what, out, sent, expect);
  }
}

function judge(
  what: string,
  out: Outgoing,
  answer: Answer,
  expect: readonly number[] | undefined,
): MutationOutcome {
  const { status } = answer;
  if (expect ? expect.includes(status) : isSuccess(status)) {
    return { type: 'applied', result: resultOf(answer) };
  }
  const elsewhere = status === 307 || status === 308 ? redirectOf(answer, out.url) : null;
  if (elsewhere) return { type: 'failed', ...movedAway(what, elsewhere) };
  const errorType = refusalOf(status);
  const sentence = `${what} returned ${spellStatus(status)}.${excerptOf(answer)}`;
  return errorType === null
    ? { type: 'ambiguous', error: `${sentence} This doesn't tell us whether it went through.` }
    : { type: 'failed', errorType, error: sentence, ...retryAfter(answer) };
}

export function readOutcome(
  out: Outgoing,
  sent: Followed,
  expect: readonly number[] | undefined,
): ReadOutcome {
  const what = `${out.method} ${showAddress(out.url)}`;
  if (sent.type === 'refused') return { ...sent, type: 'failed' };
  if (sent.type !== 'answer') {
    return { type: 'failed', errorType: 'network', error: `${what}: ${sent.error}.` };
  }
  if (!(expect ? expect.includes(sent.status) : isSuccess(sent.status))) {
    const errorType = refusalOf(sent.status) ?? (sent.status < 400 ? 'logic' : 'network');
    const error = `${what} returned ${spellStatus(sent.status)}.${excerptOf(sent)}`;
    return { type: 'failed', errorType, error, ...retryAfter(sent) };
  }
  if (sent.tooLong) {
    const error = `${what}: the response is longer than the limit of ${out.maxBytes} bytes. Request less at once.`;
    return { type: 'failed', errorType: 'logic', error };
  }
  return { type: 'ok', result: resultOf(sent) };
}

/** Why the request was certainly not carried out; null when that is unknown. */
function refusalOf(status: number): ErrorType | null {
  // A proxy can send 408 too, without knowing what the server did.
  if (status === 408 || status < 400) return null;
  if (status === 501 || status === 505) return 'logic';
  if (status >= 500) return null;
  if (status === 401 || status === 407) return 'auth';
  if (status === 403) return 'permission';
  return status === 425 || status === 429 ? 'network' : 'logic';
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function movedAway(what: string, elsewhere: URL): ToolFailure {
  return {
    errorType: 'logic',
    error: `${what} was not done: the server redirects to ${hostToGrant(elsewhere)}. Holdfast never follows a redirect to another host with an effect. Use that address and grant its host.`,
  };
}

export function retryAfter({ headers, status }: Answer): { retryAfterMs?: number } {
  const text = headers['retry-after'];
  if (text === undefined || (status !== 429 && status !== 503)) return {};
  const seconds = /^\d{1,9}$/.test(text)
    ? Number(text)
    : (Date.parse(text) - Date.parse(headers['date'] ?? '')) / 1000;
  return seconds >= 0 ? { retryAfterMs: Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) } : {};
}
