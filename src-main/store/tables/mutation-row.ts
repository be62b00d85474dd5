// An effect and its row. The device that made the effect writes `outcome`, and after a crash
// `recovered`; a later owner writes `takeover` (src-shared/takeover-precedence.ts says which counts).
import { textOf, type EffectSide, type StateRow } from '#main/store/sqlite/guarded-update.ts';
import { expectMerged, parseJson } from '#main/store/sqlite/json-columns.ts';
import { isCost, MAX_CALL_COST } from '#shared/cost.ts';
import type { Doubt } from '#shared/doubt.ts';
import type { Json } from '#shared/json.ts';
import type {
  MutationState,
  MutationStatus,
  Reconciling,
  Resolution,
  Resolved,
} from '#shared/machines/mutation.ts';
import {
  effectiveOutcome,
  outcomeOfMaker,
  type SidesOfEffect,
} from '#shared/takeover-precedence.ts';

export interface EffectCall {
  readonly toolNamespace: string;
  readonly toolMethod: string;
  readonly params: Json;
  /** The effect id: the same on every device and for every retry. */
  readonly idempotencyKey: string;
  /** What the tool saw outside before the effect was in flight. */
  readonly witness?: Json;
}

export interface Mutation {
  readonly id: string;
  readonly handlerRunId: string;
  readonly workflowId: string;
  readonly deviceId: string;
  readonly epoch: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly call: EffectCall | null;
  /** The effective state: a person's decision, the maker's knowledge, or that of a later owner. */
  readonly state: MutationState;
  /** The state that the maker wrote of its call. */
  readonly made: MutationState;
  /** The state that the maker wrote after a crash. */
  readonly recovered: MutationState | null;
  /** What counts of these two. */
  readonly stateOfMaker: MutationState;
  /** The state that a later owner wrote. */
  readonly taken: MutationState | null;
  /** In microdollars; of all sends. */
  readonly cost: number;
}

interface Outcome {
  status: MutationStatus;
  result?: Json;
  error?: string;
  reconcile_attempts?: number;
  last_reconcile_at?: number;
  next_reconcile_at?: number;
  doubt?: { span: string; since: number; negative_at?: number };
  reconcile_waits_for?: string;
  resolved_by?: Resolution;
  resolved_at?: number;
  resent?: true;
  /** What the writer of this column knows to have spent on it, in microdollars. */
  cost?: number;
  updated_at: number;
}

export interface MutationRow {
  id: string;
  facts: string;
  call: string | null;
  outcome: string;
  recovered: string | null;
  takeover: string | null;
}

export const MUTATION_COLUMNS = 'id, facts, call, outcome, recovered, takeover';

/** The columns that a move reads. */
export interface MutationStateRow extends StateRow {
  readonly recovered: string | null;
  readonly handlerRunId: string;
}

/** The state that `side` continues from. */
export function mutationStateFor(row: MutationStateRow, side: EffectSide): MutationState {
  const sides = sidesOf(row.text, row.recovered, row.takeover);
  switch (side) {
    case 'maker':
      return stateOf(sides.made);
    case 'recovered':
      return stateOf(outcomeOfMaker(sides));
    case 'owner':
      return stateOf(effectiveOutcome(sides));
  }
}

/** The row after a move, with the cost that its writer counted so far. */
export function nextMutationRow(
  row: MutationStateRow,
  to: MutationState,
  side: EffectSide,
  updatedAt: number,
  cost = 0,
): MutationStateRow {
  const spent = spentIn(parseJson<Outcome>(textOf(row, side)));
  const text = outcomeText(to, updatedAt, spent + cost);
  switch (side) {
    case 'maker':
      return { ...row, text };
    case 'recovered':
      return { ...row, recovered: text };
    case 'owner':
      return { ...row, takeover: text };
  }
}

function sidesOf(
  outcome: string,
  recovered: string | null,
  takeover: string | null,
): SidesOfEffect<Outcome> {
  const made = JSON.parse(outcome) as Partial<Outcome>;
  return {
    // The row has only arrived in part. It is written when the effect is sent, so it may have been.
    made: made.status === undefined ? { status: 'in_flight', updated_at: 0 } : (made as Outcome),
    recovered: parseJson<Outcome>(recovered),
    taken: parseJson<Outcome>(takeover),
  };
}

/** A merged row may have anything as its cost. */
function spentIn(outcome: Outcome | null): number {
  return isCost(outcome?.cost) ? Math.min(outcome.cost, MAX_CALL_COST) : 0;
}

export function outcomeText(state: MutationState, updatedAt: number, cost = 0): string {
  const outcome: Outcome = { status: state.status, updated_at: updatedAt };
  if ('result' in state) outcome.result = state.result;
  if ('error' in state) outcome.error = state.error;
  if ('reconcile' in state && state.reconcile) {
    outcome.reconcile_attempts = state.reconcile.attempts;
    if (state.reconcile.lastAt !== undefined) outcome.last_reconcile_at = state.reconcile.lastAt;
    if (state.reconcile.nextAt !== undefined) outcome.next_reconcile_at = state.reconcile.nextAt;
    if (state.reconcile.doubt) outcome.doubt = doubtText(state.reconcile.doubt);
    if (state.reconcile.waitsFor !== undefined)
      outcome.reconcile_waits_for = state.reconcile.waitsFor;
  }
  if ('resolved' in state && state.resolved) {
    outcome.resolved_by = state.resolved.by;
    outcome.resolved_at = state.resolved.at;
    if (state.resolved.resent) outcome.resent = true;
  }
  if (cost > 0) outcome.cost = cost;
  return JSON.stringify(outcome);
}

export function callText(call: EffectCall): string {
  return JSON.stringify({
    tool_namespace: call.toolNamespace,
    tool_method: call.toolMethod,
    params: call.params,
    idempotency_key: call.idempotencyKey,
    ...(call.witness === undefined ? {} : { witness: call.witness }),
  });
}

export function toMutation(row: MutationRow): Mutation {
  const facts = JSON.parse(row.facts) as {
    handler_run_id: string;
    workflow_id: string;
    device_id: string;
    epoch: number;
    created_at: number;
  };
  const sides = sidesOf(row.outcome, row.recovered, row.takeover);
  const { made, recovered, taken } = sides;
  expectMerged(facts.workflow_id);
  const effective = effectiveOutcome(sides);
  return {
    id: row.id,
    handlerRunId: facts.handler_run_id,
    workflowId: facts.workflow_id,
    deviceId: facts.device_id,
    epoch: facts.epoch,
    createdAt: facts.created_at,
    updatedAt: effective.updated_at,
    call: row.call === null ? null : toCall(row.call),
    state: stateOf(effective),
    made: stateOf(made),
    recovered: recovered && stateOf(recovered),
    stateOfMaker: stateOf(outcomeOfMaker(sides)),
    taken: taken && stateOf(taken),
    cost: spentIn(made) + spentIn(recovered) + spentIn(taken),
  };
}

function stateOf(outcome: Outcome): MutationState {
  const { status } = outcome;
  const error = outcome.error ?? '';
  const resolved = resolvedOf(outcome);
  switch (status) {
    case 'pending':
      return { status };
    case 'in_flight':
      return { status, ...resolved };
    case 'applied':
      return { status, result: outcome.result ?? null, ...resolved };
    case 'failed':
      return { status, error, ...resolved };
    case 'needs_reconcile':
      return { status, error, reconcile: reconcilingOf(outcome), ...resolved };
    case 'indeterminate':
      return {
        status,
        error,
        ...(outcome.reconcile_attempts === undefined ? {} : { reconcile: reconcilingOf(outcome) }),
        ...(resolved as { resolved?: Resolved & { by: 'user_skip' } }),
      };
  }
}

function reconcilingOf(outcome: Outcome): Reconciling {
  return {
    attempts: outcome.reconcile_attempts ?? 0,
    ...(outcome.last_reconcile_at === undefined ? {} : { lastAt: outcome.last_reconcile_at }),
    ...(outcome.next_reconcile_at === undefined ? {} : { nextAt: outcome.next_reconcile_at }),
    ...doubtOf(outcome.doubt),
    ...(outcome.reconcile_waits_for === undefined ? {} : { waitsFor: outcome.reconcile_waits_for }),
  };
}

function doubtText({ span, since, negativeAt }: Doubt): NonNullable<Outcome['doubt']> {
  return { span, since, ...(negativeAt === undefined ? {} : { negative_at: negativeAt }) };
}

/** A merged row may have anything here. Without a doubt that can be read, its window starts again. */
function doubtOf(found: unknown): { doubt?: Doubt } {
  if (typeof found !== 'object' || found === null) return {};
  const { span, since, negative_at: negativeAt } = found as { [name: string]: unknown };
  if (typeof span !== 'string' || typeof since !== 'number') return {};
  return { doubt: { span, since, ...(typeof negativeAt === 'number' && { negativeAt }) } };
}

function resolvedOf(outcome: Outcome): { resolved?: Resolved } {
  return outcome.resolved_by === undefined
    ? {}
    : {
        resolved: {
          by: outcome.resolved_by,
          at: outcome.resolved_at ?? 0,
          ...(outcome.resent ? { resent: true } : {}),
        },
      };
}

function toCall(text: string): EffectCall {
  const call = JSON.parse(text) as {
    tool_namespace: string;
    tool_method: string;
    params: Json;
    idempotency_key: string;
    witness?: Json;
  };
  return {
    toolNamespace: call.tool_namespace,
    toolMethod: call.tool_method,
    params: call.params,
    idempotencyKey: call.idempotency_key,
    ...(call.witness === undefined ? {} : { witness: call.witness }),
  };
}
