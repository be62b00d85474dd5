// Cursors: how far each peer's changes are merged here, and which local versions came from it.
import { syncedTables } from '#main/store/sqlite/describe-schema.ts';
import { Store } from '#main/store/store-context.ts';
import type { Cursor } from '#shared/sync/lineage.ts';

export interface VersionRange {
  readonly from: number;
  readonly to: number;
}

const MAX_COUNTED = 10_000;

export class PeerCursorStore extends Store {
  get(peerId: string): Cursor | null {
    const row = this.db.get<Cursor>(
      'SELECT lineage, version FROM peer_cursors WHERE peer_id = ?',
      peerId,
    );
    return row ?? null;
  }

  set(peerId: string, { lineage, version }: Cursor): void {
    const { db, clock } = this.context;
    db.writeOne(() =>
      db.run(
        `INSERT INTO peer_cursors (peer_id, lineage, version, updated_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (peer_id) DO UPDATE SET lineage = excluded.lineage,
           version = excluded.version, updated_at = excluded.updated_at`,
        peerId,
        lineage,
        version,
        clock.now(),
      ),
    );
  }

  /** Records that local version `version` holds this peer's changes. Part of the merging write. */
  recordMerged(peerId: string, version: number): void {
    const extended = this.db.run(
      'UPDATE merged_versions SET to_version = ? WHERE peer_id = ? AND to_version = ?',
      version,
      peerId,
      version - 1,
    );
    if (extended > 0) return;
    const sql = 'INSERT OR REPLACE INTO merged_versions VALUES (?, ?, ?)';
    this.db.run(sql, peerId, version, version);
  }

  /** The first range that reaches `version` or beyond. */
  mergedFrom(peerId: string, version: number): VersionRange | undefined {
    return this.db.get<VersionRange>(
      `SELECT from_version AS "from", to_version AS "to" FROM merged_versions
       WHERE peer_id = ? AND to_version >= ? ORDER BY from_version LIMIT 1`,
      peerId,
      version,
    );
  }

  /**
   * Number of changes after `version` that the peer would receive, excluding its own. Counted up to
   * a limit.
   */
  lackedBy(peerId: string, version: number): { changes: number; isMore: boolean } {
    let changes = 0;
    for (const table of syncedTables(this.db)) {
      // Site 0 is this database; its changes never came from the peer.
      const sql = `SELECT count(*) FROM (
        SELECT 1 FROM "${table}__crsql_clock" AS clock
        WHERE db_version > ? AND (site_id = 0 OR NOT EXISTS (
          SELECT 1 FROM merged_versions WHERE peer_id = ?
          AND clock.db_version BETWEEN from_version AND to_version))
        LIMIT ?)`;
      changes += this.db.value<number>(sql, version, peerId, MAX_COUNTED - changes + 1) ?? 0;
      if (changes > MAX_COUNTED) return { changes: MAX_COUNTED, isMore: true };
    }
    return { changes, isMore: false };
  }

  /** The peer has everything up to `version`, so older ranges can go. */
  forgetMergedUpTo(peerId: string, version: number): void {
    this.db.writeOne(() =>
      this.db.run(
        'DELETE FROM merged_versions WHERE peer_id = ? AND to_version <= ?',
        peerId,
        version,
      ),
    );
  }

  /** The peer's database went back to `after`: it may lack its own earlier changes. */
  rewind(peerId: string, cursor: Cursor): void {
    this.db.write(() => {
      this.set(peerId, cursor);
      this.db.run('DELETE FROM merged_versions WHERE peer_id = ?', peerId);
    });
  }

  /** One part of a transaction that exceeds a frame. */
  stage(peerId: string, part: number, frame: Uint8Array): void {
    this.db.writeOne(() =>
      this.db.run('INSERT INTO staged_changes VALUES (?, ?, ?)', peerId, part, frame),
    );
  }

  staged(peerId: string, part: number): Uint8Array | undefined {
    return this.db.value<Uint8Array>(
      'SELECT frame FROM staged_changes WHERE peer_id = ? AND part = ?',
      peerId,
      part,
    );
  }

  stagedParts(peerId: string): number {
    const sql = 'SELECT count(*) FROM staged_changes WHERE peer_id = ?';
    return this.db.value<number>(sql, peerId) ?? 0;
  }

  dropStaged(peerId: string): void {
    this.db.writeOne(() => this.db.run('DELETE FROM staged_changes WHERE peer_id = ?', peerId));
  }
}
