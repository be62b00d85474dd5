// One change as it is sent: the new value of a column and its write count. The sender's db_version
// and seq are not sent; the receiver assigns its own.

export type Value = null | bigint | number | string | Uint8Array;

/** cr-sqlite's column name for changes of the row itself: deletes, reinserts, key-only rows. */
export const ROW_ITSELF = '-1';

export interface Change {
  readonly table: string;
  /** The primary key, as cr-sqlite packs it. */
  readonly key: Uint8Array;
  readonly column: string;
  readonly value: Value;
  /** Number of writes to the column. */
  readonly columnVersion: number;
  /** Odd while the row exists; each delete and reinsert adds one. */
  readonly causalLength: number;
  /** Site id of the database that wrote it, 16 bytes. */
  readonly site: Uint8Array;
}

/** The content of one frame: changes of the versions after `after` up to `upTo`. */
export interface ChangeSet {
  readonly after: number;
  readonly upTo: number;
  /**
   * A transaction that is too large for one frame is split into parts, numbered from 0, with the same
   * `after` and `upTo`.
   */
  readonly part: number;
  readonly isLast: boolean;
  readonly changes: readonly Change[];
}
