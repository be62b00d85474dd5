// Merges validated changes: rows, the peer's cursor and the record of their origin in one transaction.
// The change feed reports the rows after the commit, as for local writes.
import type { Database } from '#main/store/sqlite/database.ts';
import { isBusy, isDiskFull } from '#main/store/sqlite/sqlite-errors.ts';
import { checkMergedRows } from '#main/sync/changes/check-merged-rows.ts';
import type { RefusedRowStore } from '#main/store/tables/refused-rows.ts';
import type { PeerCursorStore } from '#main/store/tables/peer-cursors.ts';
import { decodeChangeSet, type CheckedChange } from '#main/sync/changes/decode.ts';
import { Refused } from '#main/sync/changes/refused.ts';
import type { SyncSchema } from '#main/sync/changes/sync-schema.ts';

// `db_version` 0, because cr-sqlite would raise our version to the sender's. With our own count no
// peer can exhaust it, and one merge is always exactly one version.
const MERGE = `INSERT INTO crsql_changes
  ("table", pk, cid, val, col_version, db_version, site_id, cl, seq)
  VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?)`;

export interface MergeContext {
  readonly db: Database;
  readonly schema: SyncSchema;
  readonly cursors: PeerCursorStore;
  readonly refusedRows: RefusedRowStore;
}

export interface Peer {
  readonly id: string;
  /** The lineage that the peer's versions belong to. */
  readonly lineage: string;
}

export interface Merged {
  /** The peer's version up to which everything is merged. */
  readonly version: number;
  /** Number of changes, including those that lost against ours. */
  readonly changes: number;
}

/** Throws `Refused`, without writing anything, when the frame is not acceptable. */
export function mergeFrame(context: MergeContext, peer: Peer, frame: Uint8Array): Merged {
  const { cursors, schema } = context;
  const set = decodeChangeSet(frame, schema);
  const version = cursors.get(peer.id)?.version ?? 0;
  if (set.after > version) {
    throw new Refused(
      'gap',
      `The other device sent changes after version ${set.after}, but this device has only those up to ${version}.`,
    );
  }
  if (set.upTo <= version) return { version, changes: 0 };
  if (!set.isLast || set.part > 0) return mergePart(context, peer, frame, set, version);
  return merge(context, peer, set.upTo, [set.changes]);
}

/** Stages the parts of a large transaction, which is merged as a whole with its last part. */
function mergePart(
  context: MergeContext,
  peer: Peer,
  frame: Uint8Array,
  set: { readonly part: number; readonly isLast: boolean; readonly upTo: number },
  version: number,
): Merged {
  const { cursors, schema } = context;
  if (set.part === 0) cursors.dropStaged(peer.id);
  if (set.part !== cursors.stagedParts(peer.id)) {
    throw new Refused('gap', 'The other device skipped or repeated a part of a large transaction.');
  }
  if (!set.isLast) {
    cursors.stage(peer.id, set.part, frame);
    return { version, changes: 0 };
  }
  return merge(context, peer, set.upTo, inParts());

  function* inParts(): Generator<readonly CheckedChange[]> {
    for (let part = 0; part < set.part; part += 1) {
      const staged = cursors.staged(peer.id, part);
      if (!staged) throw new Refused('gap', 'A staged part of a large transaction is missing.');
      const decoded = decodeChangeSet(staged, schema);
      if (decoded.upTo !== set.upTo) {
        throw new Refused('gap', 'The other device mixed the parts of two transactions.');
      }
      yield decoded.changes;
    }
    yield decodeChangeSet(frame, schema).changes;
    cursors.dropStaged(peer.id);
  }
}

function merge(
  context: MergeContext,
  peer: Peer,
  upTo: number,
  parts: Iterable<readonly CheckedChange[]>,
): Merged {
  const { db, cursors } = context;
  try {
    return db.write(() => {
      const before = versionOf(db);
      const impactBefore = rowsImpacted(db);
      let count = 0;
      for (const changes of parts) {
        mergeChanges(db, changes, count);
        checkMergedRows(context, changes, peer.id);
        count += changes.length;
      }
      cursors.set(peer.id, { lineage: peer.lineage, version: upTo });
      if (rowsImpacted(db) > impactBefore) {
        cursors.recordMerged(peer.id, before + 1);
        db.changes.markMerge();
      }
      return { version: upTo, changes: count };
    });
  } catch (cause) {
    // A local problem, not the peer's fault.
    if (cause instanceof Refused || isDiskFull(cause) || isBusy(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refused('cannot-merge', `Changes of the other device can't be merged: ${why}.`, {
      cause,
    });
  }
}

export function mergeChanges(db: Database, changes: readonly CheckedChange[], from: number): void {
  const statement = db.prepare(MERGE);
  let recordedKey: Uint8Array | undefined;
  for (let index = 0; index < changes.length; index += 1) {
    const change = changes[index] as CheckedChange;
    statement.run(
      change.table,
      change.key,
      change.column,
      change.value,
      toBigInt(change.columnVersion),
      change.site,
      toBigInt(change.causalLength),
      toBigInt(from + index),
    );
    // The changes of one row share its key.
    if (change.key === recordedKey) continue;
    recordedKey = change.key;
    const { feed } = change.schema;
    if (feed && change.rowId !== null) db.changes.record(feed, change.rowId);
  }
  db.invalidateCaches();
}

/** Cached, because nearly all counts are small. */
const SMALL_COUNTS = Array.from({ length: 1024 }, (_, count) => BigInt(count));

function toBigInt(count: number): bigint {
  return SMALL_COUNTS[count] ?? BigInt(count);
}

/** The current version. This transaction gets the next one, if it changes anything. */
function versionOf(db: Database): number {
  return db.value<number>('SELECT crsql_db_version()') ?? 0;
}

/** Rows that merges of the open transaction have changed so far. */
export function rowsImpacted(db: Database): number {
  return db.value<number>('SELECT crsql_rows_impacted()') ?? 0;
}
