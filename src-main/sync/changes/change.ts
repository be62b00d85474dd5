// One change as it travels: what the column of a row became, and by which count of writes. The
// sender's row version and place in its transaction stay at home: the receiver gives its own.

export type Value = null | bigint | number | string | Uint8Array;

/** For rows without other columns, and for rows that were deleted or made again. */
export const ROW_ITSELF = '-1';

export interface Change {
  readonly table: string;
  /** The primary key, as cr-sqlite packs it. */
  readonly key: Uint8Array;
  readonly column: string;
  readonly value: Value;
  /** How often the column was written. */
  readonly columnVersion: number;
  /** Odd: the row exists. Each delete and each new insert adds one. */
  readonly causalLength: number;
  /** The database that wrote it, 16 bytes. */
  readonly site: Uint8Array;
}

/** What one frame carries: changes of the versions after `after` up to `upTo`. */
export interface ChangeSet {
  readonly after: number;
  readonly upTo: number;
  /**
   * A transaction that is too large for one frame comes in parts, numbered from 0, all with the
   * same `after` and `upTo`. It is whole when `isLast` is there.
   */
  readonly part: number;
  readonly isLast: boolean;
  readonly changes: readonly Change[];
}
