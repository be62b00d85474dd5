// Paired devices. A row outlives its pairing, so an unpaired device gets a clear refusal when it
// connects.
import type { WithJsonText } from '#main/store/sqlite/json-columns.ts';
import { Store } from '#main/store/store-context.ts';

export type PairedBy = 'link' | 'comparison';

export interface Peer {
  readonly deviceId: string;
  readonly keyHash: string;
  readonly name: string;
  readonly addresses: readonly string[];
  readonly pairedAt: number;
  readonly pairedBy: PairedBy;
  readonly lastSeenAt: number | null;
  readonly unpairedAt: number | null;
  readonly unpairedBy: 'us' | 'them' | null;
  /** When the device learned that it was unpaired. */
  readonly notifiedAt: number | null;
}

export type NewPeer = Pick<Peer, 'deviceId' | 'keyHash' | 'name' | 'addresses' | 'pairedBy'>;

type Row = WithJsonText<Peer, 'addresses'>;

const COLUMNS = `device_id AS deviceId, key_hash AS keyHash, name, addresses, paired_at AS pairedAt,
  paired_by AS pairedBy, last_seen_at AS lastSeenAt, unpaired_at AS unpairedAt,
  unpaired_by AS unpairedBy, told_at AS notifiedAt`;

export class PeerStore extends Store {
  /** Pairing again clears an earlier unpairing. */
  pair(peer: NewPeer): void {
    const { db, clock } = this.context;
    db.write(() => {
      db.run(
        `INSERT INTO peers (device_id, key_hash, name, addresses, paired_at, paired_by)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (device_id) DO UPDATE SET key_hash = excluded.key_hash, name = excluded.name,
           addresses = excluded.addresses, paired_at = excluded.paired_at,
           paired_by = excluded.paired_by, unpaired_at = NULL, unpaired_by = NULL, told_at = NULL`,
        peer.deviceId,
        peer.keyHash,
        peer.name,
        JSON.stringify(peer.addresses),
        clock.now(),
        peer.pairedBy,
      );
      db.changes.record('devices', peer.deviceId);
    });
  }

  /** False when the device was not paired. */
  unpair(deviceId: string, by: 'us' | 'them'): boolean {
    const { db, clock } = this.context;
    return db.write(() => {
      const now = clock.now();
      const unpaired = db.run(
        `UPDATE peers SET unpaired_at = ?, unpaired_by = ?, told_at = ?
         WHERE device_id = ? AND unpaired_at IS NULL`,
        now,
        by,
        by === 'them' ? now : null,
        deviceId,
      );
      if (unpaired === 1) db.changes.record('devices', deviceId);
      return unpaired === 1;
    });
  }

  /** Records that the device learned that it was unpaired. */
  markNotified(deviceId: string): void {
    const { db, clock } = this.context;
    db.write(() =>
      db.run(
        `UPDATE peers SET told_at = ?
         WHERE device_id = ? AND unpaired_at IS NOT NULL AND told_at IS NULL`,
        clock.now(),
        deviceId,
      ),
    );
  }

  /** Records a successful contact and the peer's addresses. */
  markSeen(deviceId: string, addresses: readonly string[]): void {
    const { db, clock } = this.context;
    db.write(() => {
      db.run(
        'UPDATE peers SET last_seen_at = ?, addresses = ? WHERE device_id = ?',
        clock.now(),
        JSON.stringify(addresses),
        deviceId,
      );
      db.changes.record('devices', deviceId);
    });
  }

  get(deviceId: string): Peer | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM peers WHERE device_id = ?`, deviceId);
    return row && toPeer(row);
  }

  /** Includes unpaired devices. */
  list(): Peer[] {
    return this.db
      .all<Row>(`SELECT ${COLUMNS} FROM peers ORDER BY paired_at, device_id`)
      .map(toPeer);
  }

  paired(): Peer[] {
    return this.list().filter(({ unpairedAt }) => unpairedAt === null);
  }
}

function toPeer(row: Row): Peer {
  return { ...row, addresses: JSON.parse(row.addresses) as string[] };
}
