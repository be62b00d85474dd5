// Ownership claims: which device runs which workflow.
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import { epochOf, ownerOf, type Claim, type ClaimWay, type Ownership } from '#shared/ownership.ts';

interface Row extends Omit<Claim, 'release'> {
  /** Its key, as refused rows name it. */
  readonly id: string;
  readonly toDeviceId: string | null;
  readonly releasedAt: number | null;
}

const COLUMNS = `workflow_id || '/' || epoch || '/' || device_id AS id, workflow_id AS workflowId, epoch, device_id AS deviceId, how,
  from_device_id AS fromDeviceId, from_epoch AS fromEpoch, claimed_at AS claimedAt,
  to_device_id AS toDeviceId, released_at AS releasedAt`;

export class OwnershipStore extends Store {
  /** Caches the first epoch asked for, which is nearly always the only one. */
  readonly #held: TableCache<{ readonly epoch: number; readonly isHeld: boolean }>;

  constructor(context: StoreContext) {
    super(context);
    this.#held = context.db.cache('ownership_claims');
  }

  claims(workflowId: string): Claim[] {
    return this.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM ownership_claims WHERE workflow_id = ? ORDER BY epoch, device_id`,
        workflowId,
      )
      .flatMap(this.refused.readable('ownership_claims', toClaim));
  }

  of(workflowId: string): Ownership {
    return ownerOf(this.claims(workflowId));
  }

  /** The epoch in which this device owns the workflow; null when it doesn't. */
  epoch(workflowId: string): number | null {
    return epochOf(this.of(workflowId), this.context.deviceId);
  }

  /** The fence: whether this device still owns the epoch. Cheap enough for every write. */
  holds(workflowId: string, epoch: number): boolean {
    const known = this.#held.get(workflowId, () => ({
      epoch,
      isHeld: this.#readHolds(workflowId, epoch),
    }));
    return known.epoch === epoch ? known.isHeld : this.#readHolds(workflowId, epoch);
  }

  #readHolds(workflowId: string, epoch: number): boolean {
    const { db, deviceId } = this.context;
    const held = db.value(
      `SELECT 1 WHERE EXISTS (
         SELECT 1 FROM ownership_claims
         WHERE workflow_id = ? AND epoch = ? AND device_id = ? AND release IS NULL)
       AND NOT EXISTS (
         SELECT 1 FROM ownership_claims WHERE workflow_id = ? AND epoch >= ?
           AND (epoch > ? OR device_id < ?))`,
      workflowId,
      epoch,
      deviceId,
      workflowId,
      epoch,
      epoch,
      deviceId,
    );
    return held !== undefined;
  }

  /** Claims the next epoch, above every epoch known here. */
  claim(workflowId: string, how: ClaimWay): number {
    const { db, clock, deviceId } = this.context;
    return db.write(() => {
      const before = this.of(workflowId);
      const from = before.type === 'nobody' ? null : before.claim;
      const epoch = (from?.epoch ?? 0) + 1;
      const facts = {
        how,
        ...(from ? { from_device_id: from.deviceId, from_epoch: from.epoch } : {}),
        claimed_at: clock.now(),
      };
      db.run(
        `INSERT INTO ownership_claims (workflow_id, epoch, device_id, facts)
         VALUES (?, CAST(? AS INTEGER), ?, ?)`,
        workflowId,
        epoch,
        deviceId,
        JSON.stringify(facts),
      );
      this.#recordChange(workflowId);
      return epoch;
    });
  }

  /** Releases ownership to one other device. False when this device is not the owner. */
  release(workflowId: string, toDeviceId: string): boolean {
    const { db, clock, deviceId } = this.context;
    return db.write(() => {
      const epoch = this.epoch(workflowId);
      if (epoch === null) return false;
      db.run(
        `UPDATE ownership_claims SET release = ?
         WHERE workflow_id = ? AND epoch = ? AND device_id = ?`,
        JSON.stringify({ to_device_id: toDeviceId, at: clock.now() }),
        workflowId,
        epoch,
        deviceId,
      );
      this.#recordChange(workflowId);
      return true;
    });
  }

  /** Workflows of this device from before claims existed. */
  unclaimed(): string[] {
    return this.db.values<string>(
      `SELECT id FROM workflows WHERE created_by_device_id = ? AND NOT EXISTS
         (SELECT 1 FROM ownership_claims WHERE workflow_id = workflows.id)`,
      this.context.deviceId,
    );
  }

  /** Workflows that were ever released to this device. */
  offered(): string[] {
    return this.db.values<string>(
      `SELECT DISTINCT workflow_id FROM ownership_claims
       WHERE to_device_id = ? AND release IS NOT NULL`,
      this.context.deviceId,
    );
  }

  #recordChange(workflowId: string): void {
    // Views of a workflow include its owner.
    this.db.changes.record('workflows', workflowId);
  }
}

function toClaim({ id: _key, toDeviceId, releasedAt, ...claim }: Row): Claim {
  return { ...claim, release: toDeviceId === null ? null : { toDeviceId, at: releasedAt ?? 0 } };
}
