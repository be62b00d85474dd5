// Classifies responses by what they prove. A status that proves neither success nor failure of the
// effect is ambiguous.
import { excerptOf, resultOf } from '#main/tools/http/answer.ts';
import { spellStatus, type Answer, type Outgoing } from '#main/tools/http/exchange.ts';
import { redirectOf, retryAfterOf, type Followed } from '#main/tools/http/follow.ts';
import { hostToGrant } from '#main/tools/http/hosts.ts';
import { showAddress } from '#main/tools/http/request.ts';
import type { MutationOutcome, ReadOutcome, ToolFailure, WaitsFor } from '#main/tools/tool.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';

export function mutationOutcome(
  out: Outgoing,
  sent: Followed,
  { expect, wasSentBefore }: { expect: readonly number[] | undefined; wasSentBefore: boolean },
): MutationOutcome {
  const what = `${out.method} ${showAddress(out.url)}`;
  switch (sent.type) {
    case 'refused':
      return { ...sent, type: sent.waitsFor || sent.startsOver ? 'not_sent' : 'failed' };
    case 'not_sent':
      return {
        type: 'not_sent',
        errorType: 'network',
        error: `${what}: ${sent.error}. Nothing was sent.`,
        ...waitsOf(sent),
      };
    case 'lost':
      return { type: 'ambiguous', error: `${what}: ${sent.error}. It may have gone through.` };
    case 'answer':
      return judge(what, out, sent, { expect, wasSentBefore });
  }
}

function judge(
  what: string,
  out: Outgoing,
  answer: Answer & { readonly waitsFor?: WaitsFor },
  { expect, wasSentBefore }: { expect: readonly number[] | undefined; wasSentBefore: boolean },
): MutationOutcome {
  const { status } = answer;
  if (expect ? expect.includes(status) : isSuccess(status)) {
    return { type: 'applied', result: resultOf(answer) };
  }
  const elsewhere = status === 307 || status === 308 ? redirectOf(answer, out.url) : null;
  if (elsewhere) return { type: 'failed', ...movedAway(what, elsewhere) };
  const mayKnowKey = wasSentBefore && ABOUT_THE_FIRST_REQUEST.includes(status);
  const errorType = mayKnowKey ? null : refusalOf(status);
  const sentence = `${what} returned ${spellStatus(status)}.${excerptOf(answer)}`;
  return errorType === null
    ? ambiguous(`${sentence} This doesn't tell us whether it went through.`, answer)
    : { type: 'failed', errorType, error: sentence, ...waitsOf(answer) };
}

/**
 * With an Idempotency-Key that the service knows from an earlier request: 409 while that one is still
 * running, 422 if its content was different. Neither refuses the first request.
 */
const ABOUT_THE_FIRST_REQUEST = [409, 422];

function ambiguous(error: string, answer: Answer): MutationOutcome {
  const retryAfterMs = retryAfterOf(answer);
  return { type: 'ambiguous', error, ...(retryAfterMs !== null && { retryAfterMs }) };
}

export function readOutcome(
  out: Outgoing,
  sent: Followed,
  expect: readonly number[] | undefined,
): ReadOutcome {
  const what = `${out.method} ${showAddress(out.url)}`;
  if (sent.type === 'refused') return { ...sent, type: 'failed' };
  if (sent.type !== 'answer') {
    const failure = {
      type: 'failed',
      errorType: 'network',
      error: `${what}: ${sent.error}.`,
      ...waitsOf(sent),
    } as const;
    return sent.type === 'lost' ? { ...failure, isUncertain: true } : failure;
  }
  if (!(expect ? expect.includes(sent.status) : isSuccess(sent.status))) {
    const refusal = refusalOf(sent.status);
    const errorType = refusal ?? (sent.status < 400 ? 'logic' : 'network');
    const error = `${what} returned ${spellStatus(sent.status)}.${excerptOf(sent)}`;
    const failure = { type: 'failed', errorType, error, ...waitsOf(sent) } as const;
    return refusal === null ? { ...failure, isUncertain: true } : failure;
  }
  if (sent.tooLong) {
    const error = `${what}: the response is longer than the limit of ${out.maxBytes} bytes. Request less at once.`;
    return { type: 'failed', errorType: 'logic', error, isUncertain: true };
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

/** The host asked to wait or can't be reached. */
export function waitsOf({ waitsFor }: { readonly waitsFor?: WaitsFor }): { waitsFor?: WaitsFor } {
  return waitsFor ? { waitsFor } : {};
}
