// Checks with the outside whether an effect was applied, as the workflow describes: one GET and the
// expected response. Timeouts, errors and other responses prove nothing.
import { jsonOf, resultOf, valueAt } from '#main/tools/http/answer.ts';
import { isSuccess, waitsOf } from '#main/tools/http/classify.ts';
import type { AgentsByReach } from '#main/tools/http/connect.ts';
import type { Answer } from '#main/tools/http/exchange.ts';
import { followRead, send, UNAVAILABLE } from '#main/tools/http/follow.ts';
import { hostToGrant, type HostsGrant } from '#main/tools/http/hosts.ts';
import type { Condition, MutationParams, ReadParams, Reconcile } from '#main/tools/http/params.ts';
import { prepareRead, showAddress } from '#main/tools/http/request.ts';
import { SETTLE_MS, UNREACHED_CHECK_MS } from '#main/tools/limits.ts';
import type { ReconcileContext, ReconcileOutcome, WaitsFor } from '#main/tools/tool.ts';
import { parseExactJson } from '#shared/exact-json.ts';
import { canonicalJson, type Json } from '#shared/json.ts';

export async function reconcileByGet(
  agents: AgentsByReach,
  context: ReconcileContext<HostsGrant>,
  params: MutationParams,
): Promise<ReconcileOutcome> {
  if (!params.reconcile) return unknown('The workflow does not describe a check.');
  const prepared = await prepareRead(context, 'GET', questionOf(params, context.effectId));
  const answer = await send(agents, context, prepared, followRead);
  const where = showAddress(prepared.out.url);
  if (answer.type === 'refused')
    return { type: 'unknown', error: answer.error, ...waitsOf(answer) };
  if (answer.type !== 'answer') {
    const error = `${where} could not be reached for the check: ${answer.error}`;
    return unreached(context, prepared.out.url, error, answer.waitsFor);
  }
  if (UNAVAILABLE.includes(answer.status)) {
    const error = `${where} returned ${answer.status}, so the check could not be made.`;
    return unreached(context, prepared.out.url, error, answer.waitsFor);
  }
  if (answer.tooLong) return unknown(`The response of ${where} is too long.`);
  return judge(answer, where, context, params, params.reconcile);
}

function judge(
  answer: Answer & { readonly waitsFor?: WaitsFor },
  where: string,
  context: ReconcileContext,
  params: MutationParams,
  { happenedWhen, didNotHappenWhen, settleMs }: Reconcile,
): ReconcileOutcome {
  const happened = holds(happenedWhen, answer, context.effectId);
  const didNot =
    didNotHappenWhen !== undefined && holds(didNotHappenWhen, answer, context.effectId);
  if (happened && !didNot) return { type: 'happened', result: resultOf(answer) };
  if (happened || !didNot) {
    const error = `${where} returned ${answer.status}, which is inconclusive.`;
    return { type: 'unknown', error, ...waitsOf(answer) };
  }
  return { type: 'not_there', windowMs: settleMs ?? params.timeoutMs + SETTLE_MS };
}

/** The service was not asked. */
function unreached(
  { clock }: ReconcileContext,
  url: URL,
  error: string,
  waitsFor: WaitsFor = { host: hostToGrant(url), until: clock.now() + UNREACHED_CHECK_MS },
): ReconcileOutcome {
  return { type: 'unknown', error, waitsFor, isUnreached: true };
}

function questionOf(params: MutationParams, effectId: string): ReadParams {
  const { url, header, query, auth = params.auth } = params.reconcile as Reconcile;
  return {
    url: url.replaceAll(/\{effectId\}|%7BeffectId%7D/gi, encodeURIComponent(effectId)),
    timeoutMs: params.timeoutMs,
    ...(header !== undefined && { headers: { [header]: effectId } }),
    ...(query !== undefined && { query: { [query]: effectId } }),
    ...(auth && { auth }),
  };
}

function holds(when: Condition, answer: Answer, effectId: string): boolean {
  const { status } = answer;
  if (!(when.status ? when.status.includes(status) : isSuccess(status))) return false;
  if (when.jsonPath === undefined) return true;
  const found = valueAt(jsonOf(answer.body.toString('utf8')), when.jsonPath);
  if (when.equals === undefined) return found !== undefined && found !== null;
  if (found === undefined) return false;
  // As it would arrive: a large number of the workflow is text in the answer.
  const arriving = parseExactJson(JSON.stringify(expected(when.equals, effectId)));
  return canonicalJson(found) === canonicalJson(arriving);
}

function expected(value: Json, effectId: string): Json {
  return typeof value === 'string' ? value.replaceAll('{effectId}', effectId) : value;
}

function unknown(error: string): ReconcileOutcome {
  return { type: 'unknown', error };
}
