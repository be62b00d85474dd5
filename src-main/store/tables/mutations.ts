// The ledger of effects: at most one row per handler run, because its id is derived from the run's.
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import {
  RowMover,
  sideOf,
  type EffectSide,
  type TransitionResult,
} from '#main/store/sqlite/guarded-update.ts';
import {
  callText,
  MUTATION_COLUMNS,
  mutationStateFor,
  nextMutationRow,
  outcomeText,
  toMutation,
  type EffectCall,
  type Mutation,
  type MutationRow,
  type MutationStateRow,
} from '#main/store/tables/mutation-row.ts';
import { mutationId } from '#shared/ids.ts';
import { canonicalJson } from '#shared/json.ts';
import {
  transitionMutation,
  type MutationState,
  type MutationStatus,
  type MutationTransition,
} from '#shared/machines/mutation.ts';
import { reject, type Rejection } from '#shared/rejection.ts';

export type { EffectCall, Mutation } from '#main/store/tables/mutation-row.ts';

export interface NewMutation {
  readonly handlerRunId: string;
  readonly workflowId: string;
  readonly epoch: number;
}

export class MutationStore extends Store {
  readonly #mover: RowMover<MutationState, MutationTransition, MutationStateRow, EffectSide>;

  constructor(context: StoreContext) {
    super(context);
    const { db, clock } = context;
    this.#mover = new RowMover(db, {
      table: 'mutations',
      column: 'outcome',
      laterColumns: ['recovered', 'takeover'],
      kind: 'mutation',
      read: (id) => this.#readState(id),
      stateOf: mutationStateFor,
      transition: transitionMutation,
      next: (row, to, side, { cost }) => nextMutationRow(row, to, side, clock.now(), cost),
      onMoved: (_id, { handlerRunId }, from, to) => {
        // An unknown outcome changes the input's status; other outcomes come with a phase of the run.
        if (from.status === 'indeterminate' || to.status === 'indeterminate') {
          db.changes.touchRun(handlerRunId);
        }
      },
    });
  }

  /** Records an effect that is not sent. A second one for the same run is the same row. */
  record(mutation: NewMutation, call?: EffectCall): string {
    return this.#insert(mutation, call, 'pending').id;
  }

  /**
   * The durable step before the first byte is sent. Exactly one caller may send: a row that is past
   * `pending` refuses. Cannot be part of another write.
   */
  markInFlight(mutation: NewMutation, call: EffectCall): TransitionResult<MutationState> {
    const { db } = this;
    return db.writeDurably((): TransitionResult<MutationState> => {
      const { id, inserted } = this.#insert(mutation, call, 'in_flight');
      if (inserted) return { type: 'moved', state: { status: 'in_flight' } };
      const known = this.get(id) as Mutation;
      if (known.call && !isSameCall(known.call, call)) return differentCall(known);
      if (!known.call) db.run('UPDATE mutations SET call = ? WHERE id = ?', callText(call), id);
      return this.move(id, { type: 'send' });
    });
  }

  get(id: string): Mutation | undefined {
    const row = this.db.get<MutationRow>(
      `SELECT ${MUTATION_COLUMNS} FROM mutations WHERE id = ?`,
      id,
    );
    return row && this.refused.read('mutations', id, () => toMutation(row));
  }

  ofRun(handlerRunId: string): Mutation | undefined {
    return this.get(mutationId(handlerRunId));
  }

  /** Every row of one effect, from all runs, oldest first. */
  ofEffect(idempotencyKey: string): Mutation[] {
    return this.db
      .all<MutationRow>(
        `SELECT ${MUTATION_COLUMNS} FROM mutations WHERE idempotency_key = ?
         ORDER BY created_at, id`,
        idempotencyKey,
      )
      .flatMap(this.refused.readable('mutations', toMutation));
  }

  byStatus(status: MutationStatus): Mutation[] {
    return this.db
      .all<MutationRow>(
        `SELECT ${MUTATION_COLUMNS} FROM mutations WHERE status = ? ORDER BY id`,
        status,
      )
      .flatMap(this.refused.readable('mutations', toMutation));
  }

  /** Deletes it here and on every device that merges the delete. Returns the number of rows. */
  archive(id: string): number {
    return archiveDelete(this.db, 'mutations', 'id', id);
  }

  /** The side as which this device would write to the row now. */
  sideOf(id: string): EffectSide {
    const row = this.#readState(id);
    return row ? sideOf(row) : 'owner';
  }

  /** `as` defaults to `sideOf(id)`. */
  move(id: string, event: MutationTransition, as?: EffectSide): TransitionResult<MutationState> {
    return this.#mover.move(id, event, as);
  }

  #readState(id: string): MutationStateRow | undefined {
    const row = this.db.get<{
      outcome: string;
      recovered: string | null;
      takeover: string | null;
      device_id: string;
      handler_run_id: string;
    }>(
      'SELECT outcome, recovered, takeover, device_id, handler_run_id FROM mutations WHERE id = ?',
      id,
    );
    return (
      row && {
        text: row.outcome,
        recovered: row.recovered,
        takeover: row.takeover,
        isOurs: row.device_id === this.context.deviceId,
        handlerRunId: row.handler_run_id,
      }
    );
  }

  #insert(
    mutation: NewMutation,
    call: EffectCall | undefined,
    status: 'pending' | 'in_flight',
  ): { id: string; inserted: boolean } {
    const { db, clock, deviceId } = this.context;
    const id = mutationId(mutation.handlerRunId);
    const now = clock.now();
    const facts = {
      handler_run_id: mutation.handlerRunId,
      workflow_id: mutation.workflowId,
      device_id: deviceId,
      epoch: mutation.epoch,
      created_at: now,
    };
    const text = outcomeText({ status }, now);
    const inserted = db.writeOne(() =>
      db.run(
        `INSERT INTO mutations (id, facts, call, outcome) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        id,
        JSON.stringify(facts),
        call ? callText(call) : null,
        text,
      ),
    );
    if (inserted === 1) {
      db.changes.record('mutations', id);
      const { handlerRunId } = mutation;
      this.#mover.remember(id, {
        text,
        recovered: null,
        takeover: null,
        isOurs: true,
        handlerRunId,
      });
    }
    return { id, inserted: inserted === 1 };
  }
}

function differentCall(known: Mutation): Rejection {
  return {
    ...reject('effect', known.state.status, 'send'),
    message:
      'This run already recorded a different call. A run makes at most one effect. Nothing was sent.',
  };
}

function isSameCall(one: EffectCall, other: EffectCall): boolean {
  const text = (call: EffectCall): string => canonicalJson({ ...call, witness: null });
  return text(one) === text(other);
}
