// HTTP for workflows: reads and effects within granted hosts. The effect id is sent as
// Idempotency-Key. The outcome follows from what was sent and from the response status.
import { mutationOutcome, readOutcome } from '#main/tools/http/classify.ts';
import { createAgents, type AgentsByReach, type ConnectOptions } from '#main/tools/http/connect.ts';
import { costOfHttp } from '#main/tools/http/cost.ts';
import { checkHost, followMutation, followRead, send } from '#main/tools/http/follow.ts';
import {
  describeHosts,
  hostsGrant,
  hostToGrant,
  narrowHosts,
  type HostsGrant,
} from '#main/tools/http/hosts.ts';
import {
  mutationParams,
  readParams,
  type MutationParams,
  type ReadParams,
} from '#main/tools/http/params.ts';
import { reconcileByGet } from '#main/tools/http/reconcile.ts';
import {
  addressOf,
  checkAuth,
  prepareMutation,
  prepareRead,
  showAddress,
} from '#main/tools/http/request.ts';
import type { MutationMethod, ReadMethod, Tool, ToolFailure } from '#main/tools/tool.ts';

export function createHttpTool(options: ConnectOptions = {}): Tool {
  const agents = createAgents(options);
  return {
    namespace: 'http',
    grant: hostsGrant,
    describeGrant: (grant) => describeHosts(grant as HostsGrant),
    narrow: narrowHosts,
    methods: {
      get: readMethod(agents, 'GET', 'Reads an address.'),
      head: readMethod(agents, 'HEAD', 'Reads the headers of an address.'),
      post: mutationMethod(agents, 'POST', 'Sends data to an address.'),
      put: mutationMethod(agents, 'PUT', 'Replaces what is at an address.'),
      patch: mutationMethod(agents, 'PATCH', 'Changes part of what is at an address.'),
      delete: mutationMethod(agents, 'DELETE', 'Removes what is at an address.'),
    },
  };
}

function readMethod(
  agents: AgentsByReach,
  verb: string,
  summary: string,
): ReadMethod<ReadParams, HostsGrant> {
  return {
    kind: 'read',
    params: readParams.describe(summary),
    describe: (params) => `${verb} ${showAddress(addressOf(params))}`,
    check: checkCall,
    costOf: (_grant, params, result) => costOfHttp(params, result),
    call: async (context, params) => {
      const prepared = await prepareRead(context, verb, params);
      const answer = await send(agents, context, prepared, followRead);
      return readOutcome(prepared.out, answer, params.expect);
    },
  };
}

function mutationMethod(
  agents: AgentsByReach,
  verb: string,
  summary: string,
): MutationMethod<MutationParams, HostsGrant> {
  return {
    kind: 'mutation',
    params: mutationParams.describe(summary),
    describe: (params) => `${verb} ${showAddress(addressOf(params))}`,
    check: (grant, params) => checkCall(grant, params) ?? checkReconcile(grant, params),
    costOf: (_grant, params, result) => costOfHttp(params, result),
    hostOf: (_grant, params) => hostToGrant(addressOf(params)),
    call: async (context, params) => {
      const prepared = await prepareMutation(context, verb, params);
      const answer = await send(agents, context, prepared, followMutation);
      const { wasSentBefore } = context;
      return mutationOutcome(prepared.out, answer, { expect: params.expect, wasSentBefore });
    },
    canReconcile: (params) => params.reconcile !== undefined,
    reconcile: (context, params) => reconcileByGet(agents, context, params),
    howToCheck: (params) =>
      `Check at ${addressOf(params).host} whether "${verb} ${addressOf(params).pathname}" was carried out. The request had the effect id in its Idempotency-Key header.`,
  };
}

function checkCall(grant: HostsGrant, params: ReadParams): ToolFailure | null {
  const url = addressOf(params);
  return checkHost(grant, url) ?? checkAuth(grant, url, params.auth);
}

/** Validates the check up front, so that a check that isn't allowed fails before sending. */
function checkReconcile(grant: HostsGrant, params: MutationParams): ToolFailure | null {
  if (!params.reconcile) return null;
  const url = new URL(params.reconcile.url);
  return checkHost(grant, url) ?? checkAuth(grant, url, params.reconcile.auth ?? params.auth);
}
