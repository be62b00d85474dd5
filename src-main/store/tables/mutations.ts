// The ledger of effects. One row for each handler run at most: its id follows from the run's.
import type { StoreContext } from '#main/store/store-context.ts';
import { LastWritten } from '#main/store/sqlite/row-cache.ts';
import {
  moveGuarded,
  type Side,
  type TransitionResult,
} from '#main/store/sqlite/guarded-update.ts';
import { mutationId } from '#shared/ids.ts';
import { canonicalJson, type Json } from '#shared/json.ts';
import {
  transitionMutation,
  type MutationState,
  type MutationStatus,
  type MutationTransition,
  type Reconciling,
  type Resolution,
  type Resolved,
} from '#shared/machines/mutation.ts';
import { isRejection, reject, type Rejection } from '#shared/rejection.ts';
import { countsOfEffect } from '#shared/takeover-precedence.ts';

export interface EffectCall {
  readonly toolNamespace: string;
  readonly toolMethod: string;
  readonly params: Json;
  /** The effect id: the same on every device and every retry. */
  readonly idempotencyKey: string;
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
  /** What counts: a person's decision, what the maker learnt, or a later owner's word. */
  readonly state: MutationState;
  /** As the maker itself last wrote it. */
  readonly made: MutationState;
  /** A later owner's word beside it. */
  readonly taken: MutationState | null;
}

export interface NewMutation {
  readonly handlerRunId: string;
  readonly workflowId: string;
  readonly epoch: number;
}

interface Outcome {
  status: MutationStatus;
  result?: Json;
  error?: string;
  reconcile_attempts?: number;
  last_reconcile_at?: number;
  next_reconcile_at?: number;
  resolved_by?: Resolution;
  resolved_at?: number;
  resent?: true;
  updated_at: number;
}

interface Row {
  id: string;
  facts: string;
  call: string | null;
  outcome: string;
  takeover: string | null;
}

interface MovedRow {
  outcome: string;
  takeover: string | null;
  device_id: string;
  handler_run_id: string;
}

const COLUMNS = 'id, facts, call, outcome, takeover';

const TO_SETTLE: readonly MutationStatus[] = ['pending', 'needs_reconcile', 'indeterminate'];

/** In the words of idx_mutations_status: SQLite uses it only where they stand. */
export const IS_TO_SETTLE = `(${TO_SETTLE.map((status) => `status = '${status}'`).join(' OR ')})`;

export class MutationStore {
  readonly #context: StoreContext;
  /** Outcomes of effects that this device made and nobody took over. */
  readonly #lastWritten = new LastWritten<string>();

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Recorded, not sent. A second one for the same run is the same one. */
  record(mutation: NewMutation, call?: EffectCall): string {
    return this.#insert(mutation, call, 'pending').id;
  }

  /**
   * The durable step before the first byte leaves. Sent by exactly one caller: whoever finds the
   * row beyond `pending` is refused, and must not send. Not to be wrapped in another write.
   */
  markInFlight(mutation: NewMutation, call: EffectCall): TransitionResult<MutationState> {
    const { db } = this.#context;
    return db.writeDurably((): TransitionResult<MutationState> => {
      const { id, inserted } = this.#insert(mutation, call, 'in_flight');
      if (inserted) return { type: 'moved', state: { status: 'in_flight' } };
      const known = this.get(id) as Mutation;
      if (known.call && !sameCall(known.call, call)) return otherCall(known);
      if (!known.call) db.run('UPDATE mutations SET call = ? WHERE id = ?', callText(call), id);
      return this.move(id, { type: 'send' });
    });
  }

  get(id: string): Mutation | undefined {
    const row = this.#context.db.get<Row>(`SELECT ${COLUMNS} FROM mutations WHERE id = ?`, id);
    return row && toMutation(row);
  }

  ofRun(handlerRunId: string): Mutation | undefined {
    return this.get(mutationId(handlerRunId));
  }

  /** Every row of one effect, whichever run made it. The oldest first. */
  ofEffect(idempotencyKey: string): Mutation[] {
    return this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM mutations WHERE idempotency_key = ? ORDER BY created_at, id`,
        idempotencyKey,
      )
      .map(toMutation);
  }

  /** Costs by what is to be settled; for those in flight or settled by what the ledger holds. */
  byStatus(status: MutationStatus): Mutation[] {
    return this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM mutations
         WHERE status = ? ${TO_SETTLE.includes(status) ? `AND ${IS_TO_SETTLE}` : ''} ORDER BY id`,
        status,
      )
      .map(toMutation);
  }

  /** Whose word it is when this device writes about the row now. */
  sideOf(id: string): Side {
    const isOurs = this.#context.db.value(
      'SELECT 1 FROM mutations WHERE id = ? AND device_id = ? AND takeover IS NULL',
      id,
      this.#context.deviceId,
    );
    return isOurs === undefined ? 'owner' : 'maker';
  }

  /** `side`: whose word it is; by itself the maker's here, and a later owner's elsewhere. */
  move(id: string, event: MutationTransition, as?: Side): TransitionResult<MutationState> {
    return (
      (as === 'owner' ? undefined : this.#moveOn(id, event)) ?? this.#readAndMove(id, event, as)
    );
  }

  /** From what was written last, without reading it again; undefined: that is not how it stands. */
  #moveOn(id: string, event: MutationTransition): TransitionResult<MutationState> | undefined {
    const last = this.#lastWritten.take(id);
    if (last === undefined) return undefined;
    const from = stateOf(JSON.parse(last) as Outcome);
    const to = transitionMutation(from, event);
    // What makes a question is told with its run, which is read.
    if (isRejection(to) || to.status === 'indeterminate') return undefined;
    const { db, clock } = this.#context;
    return db.writeOne(() => {
      const moved = db.run(
        'UPDATE mutations SET outcome = ? WHERE id = ? AND outcome = ? AND takeover IS NULL',
        JSON.stringify(outcomeOf(to, clock.now())),
        id,
        last,
      );
      if (moved !== 1) return undefined;
      db.changes.note('mutations', id);
      return { type: 'moved', state: to };
    });
  }

  #readAndMove(
    id: string,
    event: MutationTransition,
    as: Side | undefined,
  ): TransitionResult<MutationState> {
    const { db, clock, deviceId } = this.#context;
    let row: MovedRow | undefined;
    let side: Side = 'maker';
    return db.writeOne(() =>
      moveGuarded<MutationState>({
        kind: 'mutation',
        id,
        read: () => {
          row = db.get(
            'SELECT outcome, takeover, device_id, handler_run_id FROM mutations WHERE id = ?',
            id,
          );
          if (!row) return undefined;
          side = as ?? (row.takeover === null && row.device_id === deviceId ? 'maker' : 'owner');
          const made = JSON.parse(row.outcome) as Outcome;
          return stateOf(side === 'maker' ? made : countsOfEffect(made, parse(row.takeover)));
        },
        decide: (state) => transitionMutation(state, event),
        update: (from, to) => {
          db.changes.note('mutations', id);
          // Only what makes or ends a question; the rest goes with a phase of its run.
          if (from.status === 'indeterminate' || to.status === 'indeterminate') {
            db.changes.touchRun(row?.handler_run_id ?? '');
          }
          const next = JSON.stringify(outcomeOf(to, clock.now()));
          return side === 'maker'
            ? db.run(
                'UPDATE mutations SET outcome = ? WHERE id = ? AND outcome = ?',
                next,
                id,
                row?.outcome,
              )
            : db.run(
                'UPDATE mutations SET takeover = ? WHERE id = ? AND takeover IS ?',
                next,
                id,
                row?.takeover,
              );
        },
      }),
    );
  }

  #insert(
    mutation: NewMutation,
    call: EffectCall | undefined,
    status: 'pending' | 'in_flight',
  ): { id: string; inserted: boolean } {
    const { db, clock, deviceId } = this.#context;
    const id = mutationId(mutation.handlerRunId);
    const now = clock.now();
    const facts = {
      handler_run_id: mutation.handlerRunId,
      workflow_id: mutation.workflowId,
      device_id: deviceId,
      epoch: mutation.epoch,
      created_at: now,
    };
    const outcome = JSON.stringify(outcomeOf({ status }, now));
    const inserted = db.writeOne(() =>
      db.run(
        `INSERT INTO mutations (id, facts, call, outcome) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        id,
        JSON.stringify(facts),
        call ? callText(call) : null,
        outcome,
      ),
    );
    if (inserted === 1) {
      db.changes.note('mutations', id);
      this.#lastWritten.set(id, outcome);
    }
    return { id, inserted: inserted === 1 };
  }
}

function otherCall(known: Mutation): Rejection {
  return {
    ...reject('mutation', known.state.status, 'send'),
    message:
      'This run has recorded another call already. A run has at most one effect; nothing was sent.',
  };
}

function sameCall(one: EffectCall, other: EffectCall): boolean {
  return canonicalJson({ ...one }) === canonicalJson({ ...other });
}

function callText(call: EffectCall): string {
  return JSON.stringify({
    tool_namespace: call.toolNamespace,
    tool_method: call.toolMethod,
    params: call.params,
    idempotency_key: call.idempotencyKey,
  });
}

function outcomeOf(state: MutationState, updatedAt: number): Outcome {
  const outcome: Outcome = { status: state.status, updated_at: updatedAt };
  if ('result' in state) outcome.result = state.result;
  if ('error' in state) outcome.error = state.error;
  if ('reconcile' in state && state.reconcile) {
    outcome.reconcile_attempts = state.reconcile.attempts;
    if (state.reconcile.lastAt !== undefined) outcome.last_reconcile_at = state.reconcile.lastAt;
    if (state.reconcile.nextAt !== undefined) outcome.next_reconcile_at = state.reconcile.nextAt;
  }
  if ('resolved' in state && state.resolved) {
    outcome.resolved_by = state.resolved.by;
    outcome.resolved_at = state.resolved.at;
    if (state.resolved.resent) outcome.resent = true;
  }
  return outcome;
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
  };
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

function parse(text: string | null): Outcome | null {
  return text === null ? null : (JSON.parse(text) as Outcome);
}

function toMutation(row: Row): Mutation {
  const facts = JSON.parse(row.facts) as {
    handler_run_id: string;
    workflow_id: string;
    device_id: string;
    epoch: number;
    created_at: number;
  };
  const made = JSON.parse(row.outcome) as Outcome;
  const taken = parse(row.takeover);
  const counts = countsOfEffect(made, taken);
  return {
    id: row.id,
    handlerRunId: facts.handler_run_id,
    workflowId: facts.workflow_id,
    deviceId: facts.device_id,
    epoch: facts.epoch,
    createdAt: facts.created_at,
    updatedAt: counts.updated_at,
    call: row.call === null ? null : toCall(row.call),
    state: stateOf(counts),
    made: stateOf(made),
    taken: taken && stateOf(taken),
  };
}

function toCall(text: string): EffectCall {
  const call = JSON.parse(text) as {
    tool_namespace: string;
    tool_method: string;
    params: Json;
    idempotency_key: string;
  };
  return {
    toolNamespace: call.tool_namespace,
    toolMethod: call.tool_method,
    params: call.params,
    idempotencyKey: call.idempotency_key,
  };
}
