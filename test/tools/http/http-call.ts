// Calls the http tool as the engine does.
import type { Spent } from '#main/tools/call-cost.ts';
import { callMutation, callRead, reconcileMutation } from '#main/tools/call-tool.ts';
import { createHttpTool } from '#main/tools/http/http.ts';
import type { MutationOutcome, ReadOutcome, ReconcileOutcome } from '#main/tools/tool.ts';
import { testHost } from '#test/tools/call-host.ts';

export const tools = { http: createHttpTool() };

interface Params {
  readonly url: string;
  readonly [name: string]: unknown;
}

/** Grants the host of the URL unless other hosts are given. */
export function grantFor(params: Params, hosts?: readonly string[]): { hosts: readonly string[] } {
  return { hosts: hosts ?? [new URL(params.url).host] };
}

export function post(
  params: Params,
  hosts?: readonly string[],
  host = testHost(),
): Promise<MutationOutcome & Spent> {
  const call = { namespace: 'http', method: 'post', params, grant: grantFor(params, hosts) };
  return callMutation(tools, { ...call, effectId: 'effect-1' }, host);
}

export function get(
  params: Params,
  hosts?: readonly string[],
  host = testHost(),
): Promise<ReadOutcome & Spent> {
  const call = { namespace: 'http', method: 'get', params, grant: grantFor(params, hosts) };
  return callRead(tools, call, host);
}

export function reconcile(
  params: Params,
  sentAt: number,
  hosts?: readonly string[],
  host = testHost(),
): Promise<ReconcileOutcome & Spent> {
  const call = { namespace: 'http', method: 'post', params, grant: grantFor(params, hosts) };
  return reconcileMutation(tools, { ...call, effectId: 'effect-1', sentAt }, host);
}
