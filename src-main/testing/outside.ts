// Everything outside, as a test has it: the real tools or what stands in for them, the faults that
// were asked for, and a note of what truly got there.
import { isIP } from 'node:net';
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
} from '#main/tools/tool.ts';
import { FaultPlan } from '#main/testing/faults.ts';
import { own, type Json } from '#shared/json.ts';

/** Answers in the place of a tool: with what the tool would give. To throw is to refuse. */
export type StandIn = (params: never, call: { readonly effectId: string }) => unknown;

export interface Reached {
  readonly call: string;
  readonly params: Json;
  readonly effectId: string;
}

export interface OutsideOptions {
  readonly faults: readonly string[];
  readonly standIns: { readonly [call: string]: StandIn | undefined };
  /** Ends this life of the host; resolves when nothing of it can write any more. */
  readonly crash: () => Promise<void>;
}

type Params = { readonly [name: string]: unknown };
interface Named {
  readonly name: string;
  readonly namespace: string;
}

export class Outside {
  readonly reached: Reached[] = [];
  readonly faults: FaultPlan;
  /** What the test itself did wrong. */
  misuse: Error | undefined;
  readonly #options: OutsideOptions;
  /** What the stand-ins did: they can be asked for it. */
  readonly #done = new Map<string, Json>();
  /** When each effect was begun by the clock of the machine. */
  readonly #begunAt = new Map<string, number>();

  constructor(options: OutsideOptions) {
    this.#options = options;
    this.faults = new FaultPlan(options.faults);
  }

  around(tools: Tools): Tools {
    return Object.fromEntries(
      Object.values(tools).map((tool) => {
        const methods = Object.entries(tool.methods).map(([method, made]) => {
          const named = { name: `${tool.namespace}.${method}`, namespace: tool.namespace };
          const isRead = made.kind === 'read';
          return [method, isRead ? this.#read(named, made) : this.#mutation(named, made)];
        });
        return [tool.namespace, { ...tool, methods: Object.fromEntries(methods) }];
      }),
    );
  }

  #read(named: Named, made: AnyReadMethod): AnyReadMethod {
    const call = async (context: ToolContext, params: Params): Promise<ReadOutcome> => {
      if (this.faults.next(named.name, false) === 'fail') {
        return failed('network', `The test let ${named.name} fail.`);
      }
      const standIn = own(this.#options.standIns, named.name);
      if (standIn) return this.#answer(standIn, params, '');
      const refused = this.#keepIn(named, context.grant, params);
      if (refused) return refused;
      return made.call(context as never, params as never);
    };
    return { ...made, call };
  }

  #mutation(named: Named, made: AnyMutationMethod): AnyMutationMethod {
    if (named.namespace === 'ask') return made;
    const call = (context: MutationContext, params: Params): Promise<MutationOutcome> =>
      this.#effect(named, made, context, params);
    const reconcile = (context: ReconcileContext, params: Params): Promise<ReconcileOutcome> =>
      this.#reconcile(named, made, context, params);
    return {
      ...made,
      call,
      // A tool that cannot be asked cannot be asked here either.
      ...(made.reconcile ? { reconcile } : {}),
    };
  }

  async #reconcile(
    { name, namespace }: Named,
    made: AnyMutationMethod,
    context: ReconcileContext,
    params: Params,
  ): Promise<ReconcileOutcome> {
    if (own(this.#options.standIns, name)) {
      const result = this.#done.get(context.effectId);
      return result === undefined ? { type: 'did_not_happen' } : { type: 'happened', result };
    }
    // Files carry the time of the machine, whatever time it is in the test.
    const begunAt = namespace === 'files' ? this.#begunAt.get(context.effectId) : undefined;
    const asked = { ...context, sentAt: begunAt ?? context.sentAt };
    const outcome = await made.reconcile?.(asked as never, params as never);
    return outcome ?? { type: 'unknown', error: `${name} has no automatic check.` };
  }

  async #effect(
    named: Named,
    made: AnyMutationMethod,
    context: MutationContext,
    params: Params,
  ): Promise<MutationOutcome> {
    const fault = this.faults.next(named.name, true);
    this.#begunAt.set(context.effectId, Date.now());
    switch (fault) {
      case 'cut the line before':
        return {
          ...failed('network', `The test cut the line before ${named.name}.`),
          type: 'not_sent',
        };
      case 'refuse':
        return failed('logic', `The test let ${named.name} be refused.`);
      case 'crash before':
        return this.#crash();
      default:
    }
    const outcome = await this.#perform(named, made, context, params);
    if (fault === 'crash after') return this.#crash();
    if (fault === 'lose the answer of' && outcome.type === 'applied') {
      return { type: 'ambiguous', error: `The test lost the answer of ${named.name}.` };
    }
    return outcome;
  }

  async #perform(
    named: Named,
    made: AnyMutationMethod,
    context: MutationContext,
    params: Params,
  ): Promise<MutationOutcome> {
    const { effectId } = context;
    const standIn = own(this.#options.standIns, named.name);
    const refused = standIn ? undefined : this.#keepIn(named, context.grant, params);
    if (refused) return refused;
    const outcome = standIn
      ? await this.#act(standIn, params, effectId)
      : await made.call(context as never, params as never);
    if (outcome.type === 'applied' || outcome.type === 'ambiguous') {
      this.reached.push({ call: named.name, params: params as Json, effectId });
    }
    return outcome;
  }

  async #act(standIn: StandIn, params: Params, effectId: string): Promise<MutationOutcome> {
    const answer = await this.#answer(standIn, params, effectId);
    if (answer.type === 'failed') return answer;
    this.#done.set(effectId, answer.result);
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
    throw new Error('The plug was pulled.');
  }

  /** A test that reaches a real server by mistake is no test. */
  #keepIn(
    { name, namespace }: Named,
    grant: unknown,
    params: Params,
  ): ReturnType<typeof failed> | undefined {
    const away = hostsOf(namespace, grant, params).find((host) => !isLoopback(host));
    if (away === undefined) return undefined;
    const message = `${name} would have reached ${away}. A test stays on this machine: give a stand-in, outside: { '${name}': (params) => … }, or a place on it, places: { '${away}': '127.0.0.1:…' }.`;
    this.misuse ??= new Error(message);
    return failed('logic', message);
  }
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
