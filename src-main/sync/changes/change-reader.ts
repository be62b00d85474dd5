// Reads the changes of this database in order, one frame at a time. A frame ends at the end of a
// transaction; a transaction larger than a frame is split into parts. Each query covers a narrow
// range of versions, because cr-sqlite sorts everything that a query covers.
import type { Database } from '#main/store/sqlite/database.ts';
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import type { VersionRange } from '#main/store/tables/peer-cursors.ts';
import type { Change, ChangeSet, Value } from '#main/sync/changes/change.ts';
import { SYNC_FRAME_BYTES, SYNC_FRAME_CHANGES } from '#shared/limits.ts';

type Row = [
  table: string,
  key: Uint8Array,
  column: string,
  value: Value,
  columnVersion: bigint,
  version: bigint,
  site: Uint8Array,
  causalLength: bigint,
  seq: bigint,
];

const SELECT = `SELECT "table", pk, cid, val, col_version, db_version, site_id, cl, seq
  FROM crsql_changes WHERE`;
const IN_RANGE = `${SELECT} db_version > ? AND db_version <= ? ORDER BY db_version, seq`;
const OURS_IN_RANGE = `${SELECT} db_version > ? AND db_version <= ? AND site_id IS ?
  ORDER BY db_version, seq`;
const REST_OF_VERSION = `${SELECT} db_version = ? AND seq > ? ORDER BY db_version, seq`;
const OUR_REST_OF_VERSION = `${SELECT} db_version = ? AND seq > ? AND site_id IS ?
  ORDER BY db_version, seq`;

/** Encoded size of a change without its key and value. */
const CHANGE_OVERHEAD_BYTES = 16;
const WIDEST_SPAN = 2 ** 30;

export interface ReaderOptions {
  readonly db: Database;
  readonly after: number;
  /** The newest version in this database. */
  readonly newest: () => number;
  /**
   * The first range at or after a version that came from the receiver. Local writes within it are
   * still sent.
   */
  readonly skip: (version: number) => VersionRange | undefined;
  readonly frameChanges?: number;
}

interface Within {
  readonly version: number;
  readonly seq: bigint;
  /** The number of the next part. */
  readonly part: number;
}

export class ChangeReader {
  readonly #db: Database;
  readonly #newest: ReaderOptions['newest'];
  readonly #skip: ReaderOptions['skip'];
  readonly #site: Uint8Array;
  readonly #maxChanges: number;
  /** The version up to which the receiver has everything. */
  #sent: number;
  /** The version up to which this database was searched. */
  #after: number;
  /** The position in a transaction that takes several frames. */
  #within: Within | null = null;
  #span = 64;

  constructor(options: ReaderOptions) {
    this.#db = options.db;
    this.#newest = options.newest;
    this.#skip = options.skip;
    this.#maxChanges = options.frameChanges ?? SYNC_FRAME_CHANGES;
    this.#sent = options.after;
    this.#after = options.after;
    this.#site = siteOf(options.db);
  }

  /** Number of versions since the last frame without anything to send. */
  get skipped(): number {
    return this.#after - this.#sent;
  }

  /** One step of the search: a frame, or null when this range had no changes. */
  next(): ChangeSet | null {
    return this.#within ? this.#readRest(this.#within) : this.#readRange();
  }

  /** False at the newest version. */
  get hasMore(): boolean {
    return this.#after < this.#newest();
  }

  /** A frame without changes that advances the receiver's cursor past searched versions. */
  emptyAdvance(): ChangeSet {
    const set = { after: this.#sent, upTo: this.#after, part: 0, isLast: true, changes: [] };
    this.#sent = this.#after;
    return set;
  }

  #readRange(): ChangeSet | null {
    const after = this.#after;
    const { to, isSkipped } = this.#segment(Math.min(after + this.#span, this.#newest()));
    const found = isSkipped
      ? this.#read(OURS_IN_RANGE, after, to, this.#site)
      : this.#read(IN_RANGE, after, to);
    if (found.isAll) {
      this.#widen(found.rows.length);
      this.#after = to;
      return this.#emit(found.rows, found.rows.at(-1));
    }
    this.#span = Math.max(1, Math.floor(this.#span / 2));
    const whole = wholeVersions(found.rows);
    if (whole.length > 0) {
      this.#after = Number((whole.at(-1) as Row)[5]);
      return this.#emit(whole, whole.at(-1));
    }
    return this.#emitPart(wholeSteps(found.rows), 0);
  }

  #readRest({ version, seq, part }: Within): ChangeSet {
    const found = this.#segment(version).isSkipped
      ? this.#read(OUR_REST_OF_VERSION, version, seq, this.#site)
      : this.#read(REST_OF_VERSION, version, seq);
    if (!found.isAll) return this.#emitPart(wholeSteps(found.rows), part);
    const set = this.#set(found.rows, version, part, true);
    this.#within = null;
    this.#after = version;
    this.#sent = version;
    return set;
  }

  /** The next range of versions that are all skipped or all not skipped. */
  #segment(to: number): { readonly to: number; readonly isSkipped: boolean } {
    const next = this.#after + 1;
    const range = this.#skip(next);
    if (!range || range.from > to) return { to, isSkipped: false };
    if (range.from > next) return { to: range.from - 1, isSkipped: false };
    return { to: Math.min(to, range.to), isSkipped: true };
  }

  /** At most one frame of rows. Rows with the same `seq` are never split. */
  #read(sql: string, ...params: unknown[]): { readonly rows: Row[]; readonly isAll: boolean } {
    const rows: Row[] = [];
    let bytes = 0;
    const statement = this.#db.prepare(sql).safeIntegers().raw();
    for (const row of statement.iterate(...params) as IterableIterator<Row>) {
      if (rows.length >= this.#maxChanges || bytes >= SYNC_FRAME_BYTES) {
        const last = rows.at(-1) as Row;
        // One extra row of the next `seq` or version proves that the previous ones are complete.
        if (row[5] !== last[5] || row[8] !== last[8]) {
          rows.push(row);
          return { rows, isAll: false };
        }
      }
      rows.push(row);
      bytes += row[1].length + sizeOf(row[3]) + CHANGE_OVERHEAD_BYTES;
    }
    return { rows, isAll: true };
  }

  #emit(rows: readonly Row[], last: Row | undefined): ChangeSet | null {
    if (!last) return null;
    const upTo = Number(last[5]);
    const set = this.#set(rows, upTo, 0, true);
    this.#sent = upTo;
    return set;
  }

  #emitPart(rows: readonly Row[], part: number): ChangeSet {
    const last = rows.at(-1) as Row;
    const version = Number(last[5]);
    this.#within = { version, seq: last[8], part: part + 1 };
    return this.#set(rows, version, part, false);
  }

  #set(rows: readonly Row[], upTo: number, part: number, isLast: boolean): ChangeSet {
    return { after: this.#sent, upTo, part, isLast, changes: rows.map(toChange) };
  }

  #widen(found: number): void {
    const factor = found === 0 ? 8 : Math.min(8, this.#maxChanges / found);
    this.#span = Math.min(WIDEST_SPAN, Math.max(1, Math.floor(this.#span * factor * 0.9)));
  }
}

/** Drops the extra last row and all rows of its version. */
function wholeVersions(rows: readonly Row[]): Row[] {
  const next = rows.at(-1)?.[5];
  return rows.filter((row) => row[5] !== next);
}

function wholeSteps(rows: readonly Row[]): readonly Row[] {
  return rows.slice(0, -1);
}

function toChange(row: Row): Change {
  return {
    table: row[0],
    key: row[1],
    column: row[2],
    value: row[3],
    columnVersion: Number(row[4]),
    site: row[6],
    causalLength: Number(row[7]),
  };
}

function sizeOf(value: Value): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;
}

/** Counts the changes after a version, one table at a time, so that the caller can yield. */
export function* countChanges(db: Database, after: number): Generator<number, void> {
  for (const table of syncedTables(db)) {
    const sql = `SELECT count(*) FROM "${table}__crsql_clock" WHERE db_version > ?`;
    yield db.value<number>(sql, after) ?? 0;
  }
}

export function siteOf(db: Database): Uint8Array {
  const site = db.value<Uint8Array>('SELECT crsql_site_id()');
  if (site?.length === 16) return site;
  throw new Error('The database has no site id: cr-sqlite is not loaded correctly.');
}
