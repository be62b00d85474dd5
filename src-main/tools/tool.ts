// What a tool is: named methods, each a read or a mutation, each with a schema. A mutation says
// honestly what came of a call, because everything the ledger promises hangs on that answer.
import type { z } from 'zod';
import type { Clock } from '#shared/clock.ts';
import type { Json } from '#shared/json.ts';
import type { ErrorType } from '#shared/machines/handler-run.ts';

export interface ToolContext<Grant = unknown> {
  /** What this workflow was granted for this tool, as its `grant` schema made it. */
  readonly grant: Grant;
  /** The value of a secret by its name; throws `SecretMissing`. Never logged, never in params. */
  readonly secret: (name: string) => Promise<string>;
  readonly clock: Clock;
  /** Aborted when the host stops or the deadline of the call is over. */
  readonly signal: AbortSignal;
}

export interface MutationContext<Grant = unknown> extends ToolContext<Grant> {
  /** The same on every device and every retry: sent as idempotency key where the outside takes one. */
  readonly effectId: string;
}

export interface ReconcileContext<Grant = unknown> extends MutationContext<Grant> {
  /** When the call was marked in flight. What looks as if it had not happened may be on its way
   * still, or have been undone by others since: only the time that passed tells these apart. */
  readonly sentAt: number;
}

export interface ToolFailure {
  readonly errorType: ErrorType;
  /** For a person: what happened and what to do. Never holds a secret. */
  readonly error: string;
  /** How long the outside asked to be left alone. */
  readonly retryAfterMs?: number;
}

export type ReadOutcome =
  | { readonly type: 'ok'; readonly result: Json }
  | ({ readonly type: 'failed' } & ToolFailure);

export type MutationOutcome =
  | { readonly type: 'applied'; readonly result: Json }
  /** The outside said no, or it is certain that it never got it. It did not happen. */
  | ({ readonly type: 'failed' } & ToolFailure)
  /** It never left this machine (no connection): it may be tried again later. */
  | ({ readonly type: 'not_sent' } & ToolFailure)
  /** It may have happened: a timeout, a lost answer, an answer that proves nothing. */
  | { readonly type: 'ambiguous'; readonly error: string }
  /** Nothing went out; the effect is complete when a person has answered. Until then the run is
   * suspended; the answer becomes the result. */
  | { readonly type: 'waiting'; readonly kind: 'answer' };

export type ReconcileOutcome =
  | { readonly type: 'happened'; readonly result: Json }
  /** Certain that it did not happen and will not happen any more. */
  | { readonly type: 'did_not_happen' }
  /** The outside could not be asked, or its answer proves nothing. Asked again later, unless it is
   * final: then nobody but a person will ever know. */
  | { readonly type: 'unknown'; readonly error: string; readonly isFinal?: true };

interface Method<Params, Grant> {
  /** Its description says in one line what the method does. */
  readonly params: z.ZodType<Params>;
  /** One line for a person, of these params, without secrets. */
  readonly describe: (params: Params) => string;
  /** What can be told from grant and params alone: the reason why this call may not leave. */
  readonly check?: (grant: Grant, params: Params) => ToolFailure | null;
}

export interface ReadMethod<Params = unknown, Grant = unknown> extends Method<Params, Grant> {
  readonly kind: 'read';
  readonly call: (context: ToolContext<Grant>, params: Params) => Promise<ReadOutcome>;
}

export interface MutationMethod<Params = unknown, Grant = unknown> extends Method<Params, Grant> {
  readonly kind: 'mutation';
  /** Gets the secrets that it needs before anything leaves. */
  readonly call: (context: MutationContext<Grant>, params: Params) => Promise<MutationOutcome>;
  /** Present where the outside can be asked whether the effect happened; per call it may still be
   * impossible (`canReconcile`). */
  readonly reconcile?: (
    context: ReconcileContext<Grant>,
    params: Params,
  ) => Promise<ReconcileOutcome>;
  readonly canReconcile?: (params: Params) => boolean;
  /** Where a person can look for themselves. */
  readonly lookByHand: (params: Params) => string;
}

/** A method whose params only its own schema knows: whoever calls it parses them first. */
type Erased<M> = Omit<M, 'params'> & { readonly params: z.ZodType };
export type AnyReadMethod = Erased<ReadMethod<never, never>>;
export type AnyMutationMethod = Erased<MutationMethod<never, never>>;

export interface Tool {
  readonly namespace: string;
  /** It acts on this device alone (its files, its processes): nobody else can look what became of it. */
  readonly isOfThisDevice?: true;
  /** What a person grants: hosts, folders, an account. Parsed before any call. */
  readonly grant: z.ZodType;
  readonly describeGrant: (grant: unknown) => string;
  readonly methods: { readonly [method: string]: AnyReadMethod | AnyMutationMethod };
}

/** A secret that a call needs is not kept on this device. */
export class SecretMissing extends Error {
  readonly secretName: string;

  constructor(secretName: string, what = `The secret "${secretName}" is not on this device.`) {
    super(`${what} Add it with: holdfast secret set ${secretName}`);
    this.name = 'SecretMissing';
    this.secretName = secretName;
  }
}
