// Moves rows from one state to the next. Three checks must agree before a row changes: the pure
// state machine, the guard of the UPDATE (the row still has the text last seen), and a trigger in
// the database. Every table that stores a state as JSON text uses `RowMover`.
import type { Database } from '#main/store/sqlite/database.ts';
import type { FeedTable } from '#shared/api/feed.ts';
import { isRejection, type Rejection } from '#shared/rejection.ts';

/** The writer: the device that made the row, or a later owner (src-shared/takeover-precedence.ts). */
export type Side = 'maker' | 'owner';
/** The writer of an effect. `recovered`: its maker, after a crash left it without the outcome. */
export type EffectSide = Side | 'recovered';

export interface NotFound {
  readonly type: 'not_found';
  readonly message: string;
}

export type TransitionResult<State> =
  | { readonly type: 'moved'; readonly state: State }
  | NotFound
  | Rejection;

export function notFound(kind: string, id: string): NotFound {
  return { type: 'not_found', message: `There is no ${kind} with the id "${id}".` };
}

/** The write lock excludes other writers, so a guard that misses is a broken invariant. */
export function changedUnderLock(kind: string, id: string): Error {
  return new Error(`The ${kind} ${id} changed under a write lock.`);
}

/** The stored state of a row, as last read or written. */
export interface StateRow {
  /** The column of the device that made the row. */
  readonly text: string;
  /** The column of the same device after a crash, in tables that have one. */
  readonly recovered?: string | null;
  /** The column of later owners; null in tables without one. */
  readonly takeover: string | null;
  /** This device made the row. True in tables without a takeover column. */
  readonly isOurs: boolean;
}

export interface MovableTable<
  State extends object,
  Transition,
  Row extends StateRow,
  Writer extends EffectSide = Side,
> {
  readonly table: FeedTable;
  /** The column that holds `StateRow.text`. */
  readonly column: 'progress' | 'outcome';
  /** The columns of later writers. */
  readonly laterColumns: readonly ('recovered' | 'takeover')[];
  /** The name of a row in messages. */
  readonly kind: string;
  read(id: string): Row | undefined;
  readonly stateOf: (row: Row, side: Writer) => State;
  transition(state: State, event: Transition): State | Rejection;
  /** The row after the move, with a new text in the column of `side`. */
  readonly next: (row: Row, to: State, side: Writer, event: Transition) => Row;
  /** Called after every move, in its transaction. */
  onMoved?(id: string, row: Row, from: State, to: State, event: Transition): void;
  /** Whether the row is likely to move again soon, so the next move should not read it. */
  isCached?(to: State): boolean;
}

/** Runs and effects in progress at one time are fewer. */
const MAX_CACHED_ROWS = 1000;

/**
 * The cached rows need no invalidation: the guard compares them with the database, and a row that
 * differs is read instead. A cached row can therefore be stale, but never wrong.
 */
export class RowMover<
  State extends object,
  Transition,
  Row extends StateRow,
  Writer extends EffectSide = Side,
> {
  readonly #db: Database;
  readonly #table: MovableTable<State, Transition, Row, Writer>;
  readonly #cache = new Map<string, Row>();
  readonly #updateAs: { readonly [side in EffectSide]: string };

  constructor(db: Database, table: MovableTable<State, Transition, Row, Writer>) {
    this.#db = db;
    this.#table = table;
    const guard = [`${table.column} = ?`, ...table.laterColumns.map((name) => `${name} IS ?`)];
    const updateOf = (column: string): string =>
      `UPDATE ${table.table} SET ${column} = ? WHERE id = ? AND ${guard.join(' AND ')}`;
    this.#updateAs = {
      maker: updateOf(table.column),
      recovered: updateOf('recovered'),
      owner: updateOf('takeover'),
    };
  }

  /** Caches a row that this device made or no device owns, as it was just read or written. */
  remember(id: string, row: Row): void {
    this.#cache.set(id, row);
    if (this.#cache.size <= MAX_CACHED_ROWS) return;
    for (const oldest of this.#cache.keys()) {
      this.#cache.delete(oldest);
      return;
    }
  }

  /** `as` defaults to the side of this device (`sideOf`). */
  move(id: string, event: Transition, as?: Writer): TransitionResult<State> {
    const isMaker = as === undefined || as === 'maker';
    return this.#db.writeOne(
      (): TransitionResult<State> =>
        (isMaker ? this.#moveCached(id, event) : undefined) ?? this.#moveRead(id, event, as),
    );
  }

  /** Undefined when the row is not cached, has changed since, or refuses the transition. */
  #moveCached(id: string, event: Transition): TransitionResult<State> | undefined {
    const row = this.#cache.get(id);
    if (!row) return undefined;
    this.#cache.delete(id);
    const result = this.#moveFrom(id, row, 'maker' as Writer, event);
    return result?.type === 'moved' ? result : undefined;
  }

  #moveRead(id: string, event: Transition, as: Writer | undefined): TransitionResult<State> {
    const { kind } = this.#table;
    const row = this.#table.read(id);
    if (!row) return notFound(kind, id);
    const side = as ?? (sideOf(row) as Writer);
    const result = this.#moveFrom(id, row, side, event);
    if (!result) throw changedUnderLock(kind, id);
    return result;
  }

  /** Undefined when the guard misses. */
  #moveFrom(
    id: string,
    row: Row,
    side: Writer,
    event: Transition,
  ): TransitionResult<State> | undefined {
    const table = this.#table;
    const from = table.stateOf(row, side);
    const to = table.transition(from, event);
    if (isRejection(to)) return to;
    const next = table.next(row, to, side, event);
    if (this.#update(id, row, next, side) !== 1) return undefined;
    this.#db.changes.record(table.table, id);
    table.onMoved?.(id, row, from, to, event);
    if (side === 'maker' && table.isCached?.(to)) this.remember(id, next);
    return { type: 'moved', state: to };
  }

  #update(id: string, row: Row, next: Row, side: Writer): number {
    const later = this.#table.laterColumns.map((name) => row[name]);
    return this.#db.run(this.#updateAs[side], textOf(next, side), id, row.text, ...later);
  }
}

/** The side as which this device writes: a row of its own, unless a later owner wrote to it. */
export function sideOf({ isOurs, takeover, recovered = null }: Omit<StateRow, 'text'>): EffectSide {
  if (!isOurs || takeover !== null) return 'owner';
  return recovered === null ? 'maker' : 'recovered';
}

/** The text in the column of this side. */
export function textOf(row: StateRow, side: EffectSide): string | null {
  if (side === 'maker') return row.text;
  return side === 'recovered' ? (row.recovered ?? null) : row.takeover;
}
