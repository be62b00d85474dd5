// The only way from the engine to a tool. Every result and exception of a tool becomes an outcome that
// is true, can be stored, and contains no secret.
import type { Masker } from '#main/secrets/masker.ts';
import {
  checkToolCall,
  parseToolCall,
  type CheckedCall,
  type ToolCall,
  type Tools,
} from '#main/tools/check-call.ts';
import { spentBy, type Spent } from '#main/tools/call-cost.ts';
import type { Doorway } from '#main/tools/outside-hosts/outside-hosts.ts';
import { toStorableResult } from '#main/tools/storable-result.ts';
import { MAX_MUTATION_RESULT_BYTES, MAX_READ_RESULT_BYTES } from '#main/tools/limits.ts';
import { SecretMissing } from '#main/secrets/secret-missing.ts';
import type {
  AnyMutationMethod,
  MutationOutcome,
  ReadOutcome,
  ReconcileOutcome,
  Sending,
  Sent,
  ToolContext,
  ToolFailure,
} from '#main/tools/tool.ts';
import type { Clock } from '#shared/clock.ts';
import type { Json } from '#shared/json.ts';
import { messageOf } from '#shared/message-of.ts';

export interface CallHost {
  readonly secret: (name: string) => Promise<string>;
  readonly masker: Masker;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly doorway: Doorway;
}

export type EffectCall = ToolCall & { readonly effectId: string };
export type SentCall = EffectCall & Pick<Sent, 'sentAt'> & Partial<Sent>;

export async function callRead(
  tools: Tools,
  call: ToolCall,
  host: CallHost,
): Promise<ReadOutcome & Spent> {
  const checked = checkToolCall(tools, call);
  if (checked.type === 'failed') return masked(host, checked);
  const { method, params } = checked;
  if (method.kind !== 'read') return masked(host, wrongKind(call, 'a mutation, not a read'));
  try {
    const outcome = await method.call(contextOf(host, checked), params);
    if (outcome.type === 'failed') {
      const spent = outcome.isUncertain ? spentOn(call, checked, null, host) : {};
      return { ...masked(host, outcome), ...spent };
    }
    const spent = spentOn(call, checked, outcome.result, host);
    const storable = toStorableResult(outcome.result, MAX_READ_RESULT_BYTES);
    if (storable.ok) return { type: 'ok', result: host.masker.maskJson(storable.value), ...spent };
    const error = `The result of ${nameOf(call)} can't be used: ${storable.why}.`;
    return { ...failed('logic', error), ...spent };
  } catch (error) {
    return masked(host, thrown(call, error));
  }
}

export async function callMutation(
  tools: Tools,
  call: EffectCall,
  host: CallHost & Sending,
): Promise<MutationOutcome & Spent> {
  const checked = checkToolCall(tools, call);
  if (checked.type === 'failed') return masked(host, checked);
  const { method, params } = checked;
  if (method.kind !== 'mutation') return masked(host, wrongKind(call, 'a read, not a mutation'));
  if (host.signal.aborted) return { ...stopped(call), type: 'not_sent' };
  const { maySend, wasSentBefore } = host;
  const heldBack = maySend();
  if (heldBack) return { ...heldBack, type: 'not_sent' };
  try {
    const { effectId } = call;
    const context = { ...contextOf(host, checked), effectId, maySend, wasSentBefore };
    const outcome = await method.call(context, params);
    return { ...storableOutcome(host, outcome), ...spentOnEffect(call, checked, outcome, host) };
  } catch (error) {
    // A tool reads its secrets before it sends anything; any other error may come after sending.
    if (error instanceof SecretMissing) return masked(host, thrown(call, error));
    const why = `${nameOf(call)} crashed: ${messageOf(error)}. It may have gone through.`;
    const outcome = { type: 'ambiguous', error: why } as const;
    return { ...masked(host, outcome), ...spentOnEffect(call, checked, outcome, host) };
  }
}

export async function reconcileMutation(
  tools: Tools,
  call: SentCall,
  host: CallHost,
): Promise<ReconcileOutcome & Spent> {
  const parsed = parseToolCall(tools, call);
  if (parsed.type === 'failed') return masked(host, { type: 'unknown', error: parsed.error });
  const { method, params } = parsed;
  if (method.kind !== 'mutation' || !canReconcile(method, params)) {
    return { type: 'unknown', error: `${nameOf(call)} has no automatic check.` };
  }
  try {
    const { effectId, sentAt, witness, wasResent = false } = call;
    const context = { ...contextOf(host, parsed), effectId, sentAt, witness, wasResent };
    const outcome = await method.reconcile?.(context, params);
    if (outcome?.type !== 'happened') {
      return masked(
        host,
        outcome ?? { type: 'unknown', error: 'No automatic check is available.' },
      );
    }
    const spent = spentOn(call, parsed, outcome.result, host);
    return { type: 'happened', result: resultOrNote(host, outcome.result), ...spent };
  } catch (error) {
    return masked(host, { type: 'unknown', error: `The check failed: ${messageOf(error)}.` });
  }
}

/** Undefined if the tool can't look. The effect is sent anyway; it only proves less later. */
export async function witnessOf(
  tools: Tools,
  call: ToolCall,
  host: CallHost,
): Promise<Json | undefined> {
  const checked = checkToolCall(tools, call);
  if (checked.type === 'failed' || checked.method.kind !== 'mutation') return undefined;
  try {
    return await checked.method.witness?.(contextOf(host, checked), checked.params);
  } catch {
    return undefined;
  }
}

/** The host of an effect that would be sent; null if it would be refused or stays on this machine. */
export function hostOfEffect(tools: Tools, call: ToolCall): string | null {
  const checked = checkToolCall(tools, call);
  if (checked.type === 'failed' || checked.method.kind !== 'mutation') return null;
  return checked.method.hostOf?.(checked.grant, checked.params) ?? null;
}

export function canReconcile(method: AnyMutationMethod, params: never): boolean {
  return method.reconcile !== undefined && (method.canReconcile?.(params) ?? true);
}

function contextOf(host: CallHost, { grant }: CheckedCall): ToolContext<never> {
  const { clock, signal, masker, doorway } = host;
  const secret = async (name: string): Promise<string> => {
    const value = await host.secret(name);
    masker.learn(name, value);
    return value;
  };
  return { grant, secret, clock, signal, doorway };
}

function spentOnEffect(
  call: ToolCall,
  checked: CheckedCall,
  outcome: MutationOutcome,
  host: CallHost,
): Spent {
  if (outcome.type === 'applied') return spentOn(call, checked, outcome.result, host);
  return outcome.type === 'ambiguous' ? spentOn(call, checked, null, host) : {};
}

function spentOn(call: ToolCall, checked: CheckedCall, result: Json, host: CallHost): Spent {
  const spent = spentBy(nameOf(call), checked, result);
  if (spent.costProblem === undefined) return spent;
  return { ...spent, costProblem: host.masker.mask(spent.costProblem) };
}

function storableOutcome(host: CallHost, outcome: MutationOutcome): MutationOutcome {
  if (outcome.type === 'waiting') return outcome;
  if (outcome.type !== 'applied') return masked(host, outcome);
  return { type: 'applied', result: resultOrNote(host, outcome.result) };
}

/** The effect is applied even if its result can't be stored. */
function resultOrNote(host: CallHost, result: unknown): ReturnType<Masker['maskJson']> {
  const storable = toStorableResult(result, MAX_MUTATION_RESULT_BYTES);
  if (storable.ok) return host.masker.maskJson(storable.value);
  return { note: `It went through. Its result could not be saved: ${storable.why}.` };
}

function masked<T extends object>(host: CallHost, outcome: T): T {
  if (!('error' in outcome) || typeof outcome.error !== 'string') return outcome;
  return { ...outcome, error: host.masker.mask(outcome.error) };
}

type Failed = { readonly type: 'failed' } & ToolFailure;

function thrown(call: ToolCall, error: unknown): Failed {
  if (error instanceof SecretMissing) return failed('auth', error.message);
  return failed('internal', `${nameOf(call)} crashed: ${messageOf(error)}.`);
}

function wrongKind(call: ToolCall, what: string): Failed {
  return failed('logic', `${nameOf(call)} is ${what}. Nothing was sent.`);
}

function stopped(call: ToolCall): Failed {
  return failed(
    'network',
    `${nameOf(call)} did not start because Holdfast is stopping. Nothing was sent.`,
  );
}

function failed(errorType: ToolFailure['errorType'], error: string): Failed {
  return { type: 'failed', errorType, error };
}

function nameOf({ namespace, method }: ToolCall): string {
  return `${namespace}.${method}`;
}
