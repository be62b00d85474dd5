// The tools as the engine uses them, bound to the grants of one workflow.
import type { Masker } from '#main/secrets/masker.ts';
import {
  callMutation,
  callRead,
  canReconcile,
  hostOfEffect,
  reconcileMutation,
  witnessOf,
  type CallHost,
} from '#main/tools/call-tool.ts';
import type { Spent } from '#main/tools/call-cost.ts';
import { checkToolCall, parseParams, parseToolCall, type Tools } from '#main/tools/check-call.ts';
import { doorwayOfEffect, doorwayOfRead, heldBack } from '#main/tools/outside-hosts/doorway.ts';
import type { Doorway, HostVisit, OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import type {
  MutationOutcome,
  ReadOutcome,
  ReconcileOutcome,
  Sending,
  Sent,
  ToolFailure,
} from '#main/tools/tool.ts';
import { createNarrower, type Grants } from '#main/tools/narrow-grants.ts';
import type { Clock } from '#shared/clock.ts';
import { own, type Json } from '#shared/json.ts';
import { EFFECT_DEADLINE_MS } from '#shared/limits.ts';

export interface EffectCallee {
  readonly namespace: string;
  readonly method: string;
  readonly params: Json;
  /** Another device sent it. */
  readonly isFromElsewhere?: boolean;
}

export interface EffectToMake extends EffectCallee {
  readonly effectId: string;
}

export interface ToolBox {
  /** Why this can't be granted: unknown tool or invalid scope. */
  grantProblem(tool: string, scope: Json): string | null;
  /** A short description of a grant, without secrets. */
  describeGrant(tool: string, scope: Json): string;
  /** Every tool with an example grant. */
  grantable(): { name: string; example: Json }[];
  /**
   * `uses`: tools that the workflow declares. A tool neither declared nor granted doesn't exist.
   * `frozen`: the grants of policies, all of which must allow a call as well.
   */
  bind(workflowId: string, grants: Grants, uses: Grants, frozen?: readonly Grants[]): BoundTools;
}

export interface ToolBoxOptions {
  readonly tools: Tools;
  readonly secret: (name: string) => Promise<string>;
  readonly masker: Masker;
  readonly clock: Clock;
  readonly hosts: OutsideHosts;
  /** Aborted when the host stops. */
  readonly signal: AbortSignal;
}

/** The turn of an effect at its host. `visit` is null if it stays on this machine or is refused. */
export type Turn =
  | { readonly type: 'turn'; readonly visit: HostVisit | null }
  | ({ readonly type: 'waits' } & ToolFailure);

export function createToolBox(options: ToolBoxOptions): ToolBox {
  const calls = new OpenCalls(options.signal);
  /** Cached by identity: both objects belong to one workflow, and change only with the grants or the
   * version. */
  const bound = new WeakMap<Grants, WeakMap<Grants, BoundTools>>();
  const narrower = createNarrower(options.tools);
  return {
    bind: (workflowId, grants, uses, frozen = []) => {
      const allowed = frozen.reduce((narrowed, one) => narrower(narrowed, one), grants);
      if (allowed !== grants) {
        return new BoundTools(options, calls, workflowId, allowed, uses, grants);
      }
      const byUses = bound.get(grants) ?? new WeakMap<Grants, BoundTools>();
      bound.set(grants, byUses);
      const tools = byUses.get(uses) ?? new BoundTools(options, calls, workflowId, grants, uses);
      byUses.set(uses, tools);
      return tools;
    },
    grantProblem: (namespace, scope) => {
      const tool = own(options.tools, namespace);
      if (!tool) {
        const known = Object.keys(options.tools).join(', ');
        return `there is no tool "${namespace}". Available: ${known}`;
      }
      const issue = tool.grant.safeParse(scope).error?.issues[0];
      return issue
        ? `the grant of "${namespace}" is invalid: ${issue.path.join('.') || 'grant'}: ${issue.message}`
        : null;
    },
    describeGrant: (namespace, scope) => {
      const tool = own(options.tools, namespace);
      const grant = tool?.grant.safeParse(scope);
      if (!tool || !grant?.success) return 'does not match any tool of this version';
      return options.masker.mask(tool.describeGrant(grant.data));
    },
    grantable: () =>
      Object.values(options.tools).map(({ namespace, grant }) => {
        const [example = {}] = (grant.meta()?.['examples'] ?? []) as Json[];
        return { name: namespace, example };
      }),
  };
}

export class BoundTools {
  readonly #options: ToolBoxOptions;
  readonly #calls: OpenCalls;
  readonly #workflowId: string;
  readonly #grants: Grants;
  readonly #uses: Grants;
  /** The grants of the moment, if a frozen policy allows less. */
  readonly #current: Grants | undefined;
  #methods: { readonly [namespace: string]: readonly string[] } | undefined;

  constructor(
    options: ToolBoxOptions,
    calls: OpenCalls,
    workflowId: string,
    grants: Grants,
    uses: Grants,
    current?: Grants,
  ) {
    this.#options = options;
    this.#calls = calls;
    this.#workflowId = workflowId;
    this.#grants = grants;
    this.#uses = uses;
    this.#current = current;
  }

  /** The tools of this workflow with their methods. */
  methods(): { readonly [namespace: string]: readonly string[] } {
    return (this.#methods ??= this.#listMethods());
  }

  #listMethods(): { readonly [namespace: string]: readonly string[] } {
    const names = new Set([...Object.keys(this.#grants), ...Object.keys(this.#uses)]);
    const available = Object.values(this.#options.tools).filter(({ namespace }) =>
      names.has(namespace),
    );
    return Object.fromEntries(available.map((tool) => [tool.namespace, Object.keys(tool.methods)]));
  }

  kindOf(namespace: string, method: string): 'read' | 'mutation' | 'unknown' {
    const tool = own(this.#options.tools, namespace);
    return (tool && own(tool.methods, method)?.kind) ?? 'unknown';
  }

  async read(namespace: string, method: string, params: Json): Promise<ReadOutcome & Spent> {
    const refused = this.#frozenOut({ namespace, method, params });
    if (refused) return { type: 'failed', ...refused };
    const call = this.#call({ namespace, method, params });
    return this.#waiting((host) => callRead(this.#options.tools, call, host));
  }

  /**
   * Waits for the turn of this effect at its host. Call before the effect is in flight: afterwards a
   * wait would leave it in flight without being sent. Pass the visit to `mutate`, or leave it.
   */
  async turnOf(effect: EffectCallee): Promise<Turn> {
    const host = hostOfEffect(this.#options.tools, this.#call(effect));
    if (host === null) return { type: 'turn', visit: null };
    const { hosts, signal } = this.#options;
    const entered = await hosts.enter(host, this.#workflowId, signal);
    return entered.type === 'waits'
      ? { ...heldBack(entered), type: 'waits' }
      : { type: 'turn', visit: entered };
  }

  hasWitness(effect: EffectCallee): boolean {
    const tool = own(this.#options.tools, effect.namespace);
    const method = tool && own(tool.methods, effect.method);
    return method?.kind === 'mutation' && method.witness !== undefined;
  }

  /** The witness of the tool, taken before the effect is in flight. Undefined if it can't look. */
  witness(effect: EffectCallee): Promise<Json | undefined> {
    const call = this.#call(effect);
    return this.#waiting((host) => witnessOf(this.#options.tools, call, host));
  }

  async mutate(
    effect: EffectToMake,
    visit: HostVisit | null,
    sending: Sending,
  ): Promise<MutationOutcome & Spent> {
    const refused = this.#frozenOut(effect);
    if (refused) return { type: 'failed', ...refused };
    const call = { ...this.#call(effect), effectId: effect.effectId };
    return this.#within(
      () => doorwayOfEffect(this.#options.hosts, visit),
      (host) => callMutation(this.#options.tools, call, { ...host, ...sending }),
    );
  }

  reconcile(effect: EffectToMake, sent: Sent): Promise<ReconcileOutcome & Spent> {
    const call = { ...this.#call(effect), effectId: effect.effectId, ...sent };
    return this.#waiting((host) => reconcileMutation(this.#options.tools, call, host));
  }

  canReconcile(effect: EffectCallee): boolean {
    const { tools } = this.#options;
    // A check on this device would not find it and wrongly report that it was not applied.
    if (effect.isFromElsewhere && own(tools, effect.namespace)?.isOfThisDevice) return false;
    const parsed = parseToolCall(tools, this.#call(effect));
    return (
      parsed.type === 'ok' &&
      parsed.method.kind === 'mutation' &&
      canReconcile(parsed.method, parsed.params)
    );
  }

  /** Why this call would be refused before sending; null when it would be sent. */
  refusalOf(effect: EffectCallee): ToolFailure | null {
    const refused = this.#frozenOut(effect);
    if (refused) return refused;
    const checked = checkToolCall(this.#options.tools, this.#call(effect));
    if (checked.type === 'ok') return null;
    return { ...checked, error: this.#options.masker.mask(checked.error) };
  }

  /** Sends nothing; it is complete when a person has answered. */
  waitsForPerson({ namespace }: EffectCallee): boolean {
    return namespace === 'ask';
  }

  /** One line for a person, without secrets. */
  describe(effect: EffectCallee): string {
    const parsed = parseParams(this.#options.tools, effect);
    const text =
      parsed.type === 'ok'
        ? parsed.method.describe(parsed.params)
        : `${effect.namespace}.${effect.method}`;
    return this.#options.masker.mask(text);
  }

  /** How a person can check the outcome. */
  howToCheck(effect: EffectCallee): string {
    const parsed = parseParams(this.#options.tools, effect);
    if (parsed.type !== 'ok' || parsed.method.kind !== 'mutation') return '';
    return this.#options.masker.mask(parsed.method.howToCheck(parsed.params));
  }

  /** The refusal of a call that the grants of the moment allow and a frozen policy doesn't. */
  #frozenOut(effect: EffectCallee): ToolFailure | null {
    const { tools } = this.#options;
    if (this.#current === undefined) return null;
    const isAllowed = (grants: Grants): boolean => {
      const grant = own(grants, effect.namespace);
      return checkToolCall(tools, { ...effect, grant }).type === 'ok';
    };
    if (isAllowed(this.#grants) || !isAllowed(this.#current)) return null;
    const name = `${effect.namespace}.${effect.method}`;
    return {
      errorType: 'permission',
      error: `The policy of this input doesn't allow this ${name}: the grant was changed after the input started. Nothing was sent. To continue with the present grants, resume the workflow.`,
    };
  }

  #call({ namespace, method, params }: EffectCallee): EffectCallee & { readonly grant: unknown } {
    return { namespace, method, params, grant: own(this.#grants, namespace) };
  }

  /** A call that may wait for its turn: nothing is in flight. */
  #waiting<Outcome>(work: (host: CallHost) => Promise<Outcome>): Promise<Outcome> {
    const { hosts } = this.#options;
    return this.#within((signal) => doorwayOfRead(hosts, this.#workflowId, signal), work);
  }

  #within<Outcome>(
    open: (signal: AbortSignal) => Doorway & { close(): void },
    work: (host: CallHost) => Promise<Outcome>,
  ): Promise<Outcome> {
    const { secret, masker, clock } = this.#options;
    return this.#calls.within(async (signal) => {
      const doorway = open(signal);
      try {
        return await work({ secret, masker, clock, signal, doorway });
      } finally {
        doorway.close();
      }
    });
  }
}

/** Each call ends by its deadline, or when the host stops. */
class OpenCalls {
  readonly #host: AbortSignal;
  readonly #controllers = new Set<AbortController>();

  constructor(host: AbortSignal) {
    this.#host = host;
    // One listener for all calls, because adding one per call is measurably slower.
    host.addEventListener('abort', () => {
      for (const controller of this.#controllers) controller.abort();
    });
  }

  /** A deadline that is cleared with the call. AbortSignal.timeout() would stay until it is due. */
  async within<Outcome>(work: (signal: AbortSignal) => Promise<Outcome>): Promise<Outcome> {
    const controller = new AbortController();
    this.#controllers.add(controller);
    const deadline = setTimeout(() => controller.abort(), EFFECT_DEADLINE_MS);
    if (this.#host.aborted) controller.abort();
    try {
      return await work(controller.signal);
    } finally {
      clearTimeout(deadline);
      this.#controllers.delete(controller);
    }
  }
}
