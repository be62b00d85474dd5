// The outside in a test: wraps the tools, answers for stand-ins, injects faults, and records the calls
// that really reached the outside.
import { isIP } from 'node:net';
import { systemClock } from '#main/platform/system.ts';
import type { Tools } from '#main/tools/check-call.ts';
import type {
  AnyMutationMethod,
  AnyReadMethod,
  MutationContext,
  MutationOutcome,
  ReadOutcome,
  ReconcileContext,
  ReconcileOutcome,
  ToolContext,
  ToolFailure,
} from '#main/tools/tool.ts';
import { FaultPlan, type FaultKind } from '#main/testing/fault-plan.ts';
import type { TestNetwork } from '#main/testing/test-network.ts';
import { hostToGrant } from '#main/tools/http/hosts.ts';
import { mailHostKey, type MailGrant } from '#main/tools/mail/grant.ts';
import { heldBack, waitsForOf } from '#main/tools/outside-hosts/doorway.ts';
import type { HostVisit } from '#main/tools/outside-hosts/outside-hosts.ts';
import { own, type Json } from '#shared/json.ts';

/** Replaces a tool method and returns its result. Throwing refuses the call. */
export type StandIn = (params: never, call: { readonly effectId: string }) => unknown;

export interface ReachedCall {
  readonly call: string;
  readonly params: Json;
  readonly effectId: string;
}

export interface OutsideOptions {
  readonly faults: readonly string[];
  readonly standIns: { readonly [call: string]: StandIn | undefined };
  readonly network: TestNetwork;
  /** Crashes the host; resolves when it can no longer write. */
  readonly crash: () => Promise<void>;
}

type Params = { readonly [name: string]: unknown };
interface Named {
  readonly name: string;
  readonly namespace: string;
}

export class Outside {
  readonly reached: ReachedCall[] = [];
  readonly faults: FaultPlan;
  /** Set if the test would have reached another machine. */
  misuse: Error | undefined;
  readonly #options: OutsideOptions;
  /** Results of stand-ins by effect id, for checks. */
  readonly #results = new Map<string, Json>();

  constructor(options: OutsideOptions) {
    this.#options = options;
    this.faults = new FaultPlan(options.faults);
  }

  wrap(tools: Tools): Tools {
    return Object.fromEntries(
      Object.values(tools).map((tool) => {
        const methods = Object.entries(tool.methods).map(([name, method]) => {
          const named = { name: `${tool.namespace}.${name}`, namespace: tool.namespace };
          const isRead = method.kind === 'read';
          return [name, isRead ? this.#read(named, method) : this.#mutation(named, method)];
        });
        return [tool.namespace, { ...tool, methods: Object.fromEntries(methods) }];
      }),
    );
  }

  #read(named: Named, method: AnyReadMethod): AnyReadMethod {
    const call = async (context: ToolContext, params: Params): Promise<ReadOutcome> => {
      if (this.faults.next(named.name, false) === 'fail') {
        return failed('network', `The test made ${named.name} fail.`);
      }
      const standIn = own(this.#options.standIns, named.name);
      const entered = await this.#enter(named, context, hostKey(named, context.grant, params), {
        isStandIn: standIn !== undefined,
      });
      if ('error' in entered) return { type: 'failed', ...entered };
      if (standIn) {
        const answer = await this.#answer(standIn, params, '');
        entered.visit?.leave({ type: 'answered' });
        return answer;
      }
      const refused = this.#refuseRemote(named, context.grant, params);
      if (refused) return refused;
      return method.call(context as never, params as never);
    };
    return { ...method, call };
  }

  #mutation(named: Named, method: AnyMutationMethod): AnyMutationMethod {
    if (named.namespace === 'ask') return method;
    const call = (context: MutationContext, params: Params): Promise<MutationOutcome> =>
      this.#effect(named, method, context, params);
    const reconcile = (context: ReconcileContext, params: Params): Promise<ReconcileOutcome> =>
      this.#reconcile(named, method, context, params);
    const { witness } = method;
    return {
      ...method,
      call,
      // File timestamps use the machine's clock, not the test's.
      ...(witness && {
        witness: (context: ToolContext, params: Params) =>
          witness({ ...context, clock: systemClock } as never, params as never),
      }),
      // A method without a check has none in a test either.
      ...(method.reconcile ? { reconcile } : {}),
    };
  }

  async #reconcile(
    named: Named,
    method: AnyMutationMethod,
    context: ReconcileContext,
    params: Params,
  ): Promise<ReconcileOutcome> {
    const isStandIn = own(this.#options.standIns, named.name) !== undefined;
    const host = checkedHostKey(named, context.grant, params);
    const entered = await this.#enter(named, context, host, { isStandIn });
    if ('error' in entered) return { type: 'unknown', ...entered };
    if (isStandIn) {
      entered.visit?.leave({ type: 'answered' });
      const result = this.#results.get(context.effectId);
      // A stand-in has finished before anybody asks.
      return result === undefined
        ? { type: 'not_there', windowMs: 0 }
        : { type: 'happened', result };
    }
    const outcome = await method.reconcile?.(context as never, params as never);
    return outcome ?? { type: 'unknown', error: `${named.name} has no automatic check.` };
  }

  async #effect(
    named: Named,
    method: AnyMutationMethod,
    context: MutationContext,
    params: Params,
  ): Promise<MutationOutcome> {
    const fault = this.faults.next(named.name, true);
    const entered = await this.#enter(named, context, hostKey(named, context.grant, params), {
      isStandIn: own(this.#options.standIns, named.name) !== undefined,
      isCut: fault === 'cut the line before',
    });
    if ('error' in entered) return { type: 'not_sent', ...entered };
    try {
      return await this.#effectOnLine(named, method, context, params, fault);
    } finally {
      entered.visit?.leave({ type: 'answered' });
    }
  }

  async #effectOnLine(
    named: Named,
    method: AnyMutationMethod,
    context: MutationContext,
    params: Params,
    fault: FaultKind | undefined,
  ): Promise<MutationOutcome> {
    switch (fault) {
      case 'refuse':
        return failed('logic', `The test refused ${named.name}.`);
      case 'crash before':
        return this.#crash();
      default:
    }
    const outcome = await this.#perform(named, method, context, params);
    if (fault === 'crash after') return this.#crash();
    if (fault === 'lose the answer of' && outcome.type === 'applied') {
      return { type: 'ambiguous', error: `The test dropped the reply of ${named.name}.` };
    }
    return outcome;
  }

  /** Enters the host for a stand-in; a real tool does so itself. Without a connection nothing is sent. */
  async #enter(
    { name }: Named,
    { doorway }: ToolContext,
    host: string | null,
    { isStandIn, isCut = false }: { readonly isStandIn: boolean; readonly isCut?: boolean },
  ): Promise<ToolFailure | { readonly visit: HostVisit | null }> {
    const noLine = `The test cut the connection before ${name}. Nothing was sent.`;
    if (host === null) {
      return isCut ? { errorType: 'network', error: noLine } : { visit: null };
    }
    const cut = isCut
      ? ({ type: 'unreachable', isNetwork: false } as const)
      : this.#options.network.cut(host);
    if (!cut && !isStandIn) return { visit: null };
    const visit = await doorway.enter(host);
    if (visit.type === 'waits') return heldBack(visit);
    if (!cut) return { visit };
    return { errorType: 'network', error: noLine, ...waitsForOf(visit.leave(cut)) };
  }

  async #perform(
    named: Named,
    method: AnyMutationMethod,
    context: MutationContext,
    params: Params,
  ): Promise<MutationOutcome> {
    const { effectId } = context;
    const standIn = own(this.#options.standIns, named.name);
    const refused = standIn ? undefined : this.#refuseRemote(named, context.grant, params);
    if (refused) return refused;
    const outcome = standIn
      ? await this.#applyStandIn(standIn, params, effectId)
      : await method.call(context as never, params as never);
    if (outcome.type === 'applied' || outcome.type === 'ambiguous') {
      this.reached.push({ call: named.name, params: params as Json, effectId });
    }
    return outcome;
  }

  async #applyStandIn(
    standIn: StandIn,
    params: Params,
    effectId: string,
  ): Promise<MutationOutcome> {
    const answer = await this.#answer(standIn, params, effectId);
    if (answer.type === 'failed') return answer;
    this.#results.set(effectId, answer.result);
    return { type: 'applied', result: answer.result };
  }

  async #answer(standIn: StandIn, params: Params, effectId: string): Promise<ReadOutcome> {
    try {
      const result = (await standIn(params as never, { effectId })) as Json | undefined;
      return { type: 'ok', result: result ?? null };
    } catch (error) {
      return failed('logic', error instanceof Error ? error.message : String(error));
    }
  }

  async #crash(): Promise<never> {
    await this.#options.crash();
    throw new Error('The test crashed the host.');
  }

  /** Refuses calls to other machines; a test must not reach a real server by mistake. */
  #refuseRemote(
    { name, namespace }: Named,
    grant: unknown,
    params: Params,
  ): ReturnType<typeof failed> | undefined {
    const remote = hostsOf(namespace, grant, params).find((host) => !isLoopback(host));
    if (remote === undefined) return undefined;
    const message = `${name} would have reached ${remote}, but a test may call only this machine. Nothing was sent. Add a stand-in, outside: { '${name}': (params) => … }, or a local address, places: { '${remote}': '127.0.0.1:…' }.`;
    this.misuse ??= new Error(message);
    return failed('logic', message);
  }
}

/** The host that a call contacts, as it is spelled for its circuit; null if it stays on this machine. */
function hostKey({ name, namespace }: Named, grant: unknown, params: Params): string | null {
  if (namespace === 'mail') {
    const { account } = grant as MailGrant;
    return mailHostKey(name === 'mail.send' ? account.smtp : account.imap);
  }
  const url = params['url'];
  return typeof url === 'string' ? hostToGrant(new URL(url)) : null;
}

/** The host that a check contacts. */
function checkedHostKey(named: Named, grant: unknown, params: Params): string | null {
  if (named.namespace === 'mail') return mailHostKey((grant as MailGrant).account.imap);
  const { url } = (params['reconcile'] ?? params) as Params;
  return hostKey(named, grant, { url });
}

function hostsOf(namespace: string, grant: unknown, params: Params): string[] {
  if (namespace === 'mail') {
    const { account } = grant as { account: { smtp: { host: string }; imap: { host: string } } };
    return [account.smtp.host, account.imap.host];
  }
  const url = params['url'];
  return typeof url === 'string' ? [new URL(url).hostname] : [];
}

function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function failed(
  errorType: 'network' | 'logic',
  error: string,
): { readonly type: 'failed'; readonly errorType: 'network' | 'logic'; readonly error: string } {
  return { type: 'failed', errorType, error };
}
