// A tool: named methods, each a read or a mutation with a schema. A mutation must report the
// outcome of a call truthfully, because every promise of the ledger depends on it.
import type { z } from 'zod';
import type { Clock } from '#shared/clock.ts';
import type { Doorway } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { Json } from '#shared/json.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';

export interface ToolContext<Grant = unknown> {
  /** The parsed grant of this workflow for this tool. */
  readonly grant: Grant;
  /** Reads a secret by name; throws `SecretMissing`. Never log it or put it in params. */
  readonly secret: (name: string) => Promise<string>;
  readonly clock: Clock;
  /** Every host that the call contacts is entered here first. */
  readonly doorway: Doorway;
  /** Aborted when the host stops or the call times out. */
  readonly signal: AbortSignal;
}

/**
 * Call it right before the first byte leaves or the change is made, in the same turn: connecting takes
 * time. If it returns a failure, do nothing and report that failure as `not_sent`. A long dialogue calls
 * it every second, which distinguishes a slow server from a sleeping computer.
 */
export type MaySend = () => ToolFailure | null;

/** The state of one attempt to send, from the engine. */
export interface Sending {
  readonly maySend: MaySend;
  /** A call with this effect id was in flight before, on any device. */
  readonly wasSentBefore: boolean;
}

export interface EffectContext<Grant = unknown> extends ToolContext<Grant> {
  /** The same on every device and retry. Sent as idempotency key where the outside supports one. */
  readonly effectId: string;
}

export interface MutationContext<Grant = unknown> extends EffectContext<Grant>, Sending {}

export interface ReconcileContext<Grant = unknown> extends EffectContext<Grant> {
  /** When the call was marked in flight. */
  readonly sentAt: number;
  /** The result of `witness` before the effect; undefined if it wasn't recorded. */
  readonly witness: Json | undefined;
  /** A person had it sent again, so there is more than one call that may have taken effect. */
  readonly wasResent: boolean;
}

/** The ledger's facts about a call that was sent. */
export type Sent = Pick<ReconcileContext, 'sentAt' | 'witness' | 'wasResent'>;

export interface ToolFailure {
  readonly errorType: ErrorType;
  /** For people: what failed and what to do. Never contains a secret. */
  readonly error: string;
  /** How long to wait before the next attempt. */
  readonly retryAfterMs?: number;
  /** Nothing was done, because the host asked to wait or can't be reached. Not a failure of the call:
   * the run starts over later, without using up an attempt. */
  readonly waitsFor?: WaitsFor;
  /** Nothing was done, and it was too late to do it. The run starts over at once, without using up an
   * attempt. */
  readonly startsOver?: true;
}

export interface WaitsFor {
  readonly host: string;
  /** The host may be called from this time on; null: once it can be reached. */
  readonly until: number | null;
}

export type ReadOutcome =
  | { readonly type: 'ok'; readonly result: Json }
  | ({
      readonly type: 'failed';
      /** The request may have been carried out, so it may have cost something. */
      readonly isUncertain?: true;
    } & ToolFailure);

export type MutationOutcome =
  | { readonly type: 'applied'; readonly result: Json }
  /** Refused, or certainly never received. The effect was not applied. */
  | ({ readonly type: 'failed' } & ToolFailure)
  /** Nothing was sent (no connection). It can be retried. */
  | ({ readonly type: 'not_sent' } & ToolFailure)
  /** It may have been applied: timeout, lost response or an inconclusive one. */
  | {
      readonly type: 'ambiguous';
      readonly error: string;
      /** The outside asked not to be checked before this time. */
      readonly retryAfterMs?: number;
    }
  /** Nothing is sent. The run is suspended until a person answers; the answer is the result. */
  | { readonly type: 'waiting'; readonly kind: 'answer' };

export type ReconcileOutcome =
  | { readonly type: 'happened'; readonly result: Json }
  /** The outside doesn't have it. The engine decides when that proves that it did not happen: not
   * before `windowMs` have passed since the doubt arose, during which the call may still take effect. */
  | { readonly type: 'not_there'; readonly windowMs: number }
  /** The check failed or was inconclusive. It is repeated, unless `isFinal`: then only a person can
   * settle it. */
  | {
      readonly type: 'unknown';
      readonly error: string;
      readonly isFinal?: true;
      /** The host asked to wait, which is no attempt to check, or it was not reached (`isUnreached`). */
      readonly waitsFor?: WaitsFor;
      readonly isUnreached?: true;
    };

interface Method<Params, Grant> {
  /** The schema's description says in one line what the method does. */
  readonly params: z.ZodType<Params>;
  /** One line for people about these params, without secrets. */
  readonly describe: (params: Params) => string;
  /** Why grant and params alone forbid this call. */
  readonly check?: (grant: Grant, params: Params) => ToolFailure | null;
  /**
   * The cost of a call that was carried out, or may have been. `result` is null if none arrived. Refused
   * calls cost nothing. Absent if calls are free.
   */
  readonly costOf?: (grant: Grant, params: Params, result: Json) => CallCost;
}

export interface CallCost {
  readonly microdollars: number;
  /** A sentence that says which part of the cost is unknown. */
  readonly problem?: string;
}

export interface ReadMethod<Params = unknown, Grant = unknown> extends Method<Params, Grant> {
  readonly kind: 'read';
  readonly call: (context: ToolContext<Grant>, params: Params) => Promise<ReadOutcome>;
}

export interface MutationMethod<Params = unknown, Grant = unknown> extends Method<Params, Grant> {
  readonly kind: 'mutation';
  /** The host to which the call goes. The engine waits for its turn there before the effect is in
   * flight. Omitted if nothing leaves this machine. */
  readonly hostOf?: (grant: Grant, params: Params) => string;
  /**
   * Looks at the outside before the effect is in flight. The result is stored with the call and given
   * to `reconcile`, which may then tell "nothing was touched" from "undone by somebody". Effects of
   * methods without it don't wait for anything.
   */
  readonly witness?: (context: ToolContext<Grant>, params: Params) => Promise<Json>;
  /** Must read its secrets before sending anything. */
  readonly call: (context: MutationContext<Grant>, params: Params) => Promise<MutationOutcome>;
  /** Checks whether the effect was applied. `canReconcile` decides whether it works for a call. */
  readonly reconcile?: (
    context: ReconcileContext<Grant>,
    params: Params,
  ) => Promise<ReconcileOutcome>;
  readonly canReconcile?: (params: Params) => boolean;
  /** How a person can check the outcome. */
  readonly howToCheck: (params: Params) => string;
}

/** A method with params of unknown type. Callers parse them with its schema first. */
type Erased<M> = Omit<M, 'params'> & { readonly params: z.ZodType };
export type AnyReadMethod = Erased<ReadMethod<never, never>>;
export type AnyMutationMethod = Erased<MutationMethod<never, never>>;

export interface Tool {
  readonly namespace: string;
  /** Acts on this device only (files, processes), so other devices can't check its effects. */
  readonly isOfThisDevice?: true;
  /** Schema of a grant: hosts, folders, an account. Parsed before every call. */
  readonly grant: z.ZodType;
  readonly describeGrant: (grant: unknown) => string;
  /** A grant that allows what both parsed grants allow; null if that is nothing. Without it, a changed
   * grant allows nothing to runs that began before. */
  readonly narrow?: (one: unknown, other: unknown) => Json | null;
  readonly methods: { readonly [method: string]: AnyReadMethod | AnyMutationMethod };
}
