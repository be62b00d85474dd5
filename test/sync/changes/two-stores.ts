// Moves changes between two real stores, frame by frame, without a link.
import { mergeFrame, type Merged } from '#main/sync/changes/apply.ts';
import type { ChangeSet } from '#main/sync/changes/change.ts';
import { encodeChangeSet } from '#main/sync/changes/encode.ts';
import { ChangeReader, type ReaderOptions } from '#main/sync/changes/change-reader.ts';
import { readSyncSchema } from '#main/sync/changes/sync-schema.ts';
import type { OpenStore } from '#test/support/open-store.ts';

type Sizes = Pick<ReaderOptions, 'frameChanges'>;

/** All changes after `after`. */
export function changeSetsOf(from: OpenStore, after = 0, sizes: Sizes = {}): ChangeSet[] {
  const reader = new ChangeReader({
    db: from.db,
    after,
    newest: () => from.lineages.version(),
    skip: () => undefined,
    ...sizes,
  });
  const sets: ChangeSet[] = [];
  while (reader.hasMore) {
    const set = reader.next();
    if (set) sets.push(set);
  }
  return sets;
}

export function framesOf(from: OpenStore, after = 0, sizes: Sizes = {}): Buffer[] {
  return changeSetsOf(from, after, sizes).map(encodeChangeSet);
}

export function mergeInto(to: OpenStore, peerId: string, frame: Uint8Array): Merged {
  const { db, peerCursors: cursors, refusedRows } = to;
  const context = { db, schema: readSyncSchema(db), cursors, refusedRows };
  return mergeFrame(context, { id: peerId, lineage: `lineage of ${peerId}` }, frame);
}

/** Merges everything new in one direction. Returns the number of changes. */
export function pull(from: OpenStore, to: OpenStore, sizes: Sizes = {}): number {
  const peerId = from.context.deviceId;
  const after = to.peerCursors.get(peerId)?.version ?? 0;
  let changes = 0;
  for (const frame of framesOf(from, after, sizes)) changes += mergeInto(to, peerId, frame).changes;
  return changes;
}
