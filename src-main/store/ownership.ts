// Who may run which workflow: claims, and what follows from them.
import type { Kept } from '#main/store/kept.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { epochOf, ownerOf, type Claim, type ClaimWay, type Ownership } from '#shared/ownership.ts';

interface Row {
  workflow_id: string;
  epoch: number;
  device_id: string;
  how: ClaimWay;
  from_device_id: string | null;
  from_epoch: number | null;
  claimed_at: number;
  to_device_id: string | null;
  released_at: number | null;
}

const COLUMNS = `workflow_id, epoch, device_id, how, from_device_id, from_epoch, claimed_at,
  to_device_id, released_at`;

export class OwnershipStore {
  readonly #context: StoreContext;
  /** Of the epoch that was asked for first: it is nearly always the same. */
  readonly #held: Kept<{ readonly epoch: number; readonly isHeld: boolean }>;

  constructor(context: StoreContext) {
    this.#context = context;
    this.#held = context.db.keep('ownership_claims');
  }

  claims(workflowId: string): Claim[] {
    return this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM ownership_claims WHERE workflow_id = ? ORDER BY epoch, device_id`,
        workflowId,
      )
      .map(toClaim);
  }

  of(workflowId: string): Ownership {
    return ownerOf(this.claims(workflowId));
  }

  /** The epoch in which this device may act; null: it may not. */
  epoch(workflowId: string): number | null {
    return epochOf(this.of(workflowId), this.#context.deviceId);
  }

  /** The fence: whether this device may still act in this epoch. Cheap, for inside every write. */
  holds(workflowId: string, epoch: number): boolean {
    const known = this.#held.get(workflowId, () => ({
      epoch,
      isHeld: this.#readHolds(workflowId, epoch),
    }));
    return known.epoch === epoch ? known.isHeld : this.#readHolds(workflowId, epoch);
  }

  #readHolds(workflowId: string, epoch: number): boolean {
    const { db, deviceId } = this.#context;
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

  /** The next epoch for this device, beyond everything that is known here. */
  claim(workflowId: string, how: ClaimWay): number {
    const { db, clock, deviceId } = this.#context;
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
      this.#note(workflowId);
      return epoch;
    });
  }

  /** Lets go of it, for one other device. False: it is not ours to let go of. */
  release(workflowId: string, toDeviceId: string): boolean {
    const { db, clock, deviceId } = this.#context;
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
      this.#note(workflowId);
      return true;
    });
  }

  /** Workflows that this device made when there were no claims yet. */
  unclaimed(): string[] {
    return this.#context.db
      .all<{ id: string }>(
        `SELECT id FROM workflows WHERE created_by_device_id = ? AND NOT EXISTS
           (SELECT 1 FROM ownership_claims WHERE workflow_id = workflows.id)`,
        this.#context.deviceId,
      )
      .map(({ id }) => id);
  }

  /** Workflows that somebody, at some time, let go of for this device. */
  offered(): string[] {
    return this.#context.db
      .all<{ workflow_id: string }>(
        `SELECT DISTINCT workflow_id FROM ownership_claims
         WHERE to_device_id = ? AND release IS NOT NULL`,
        this.#context.deviceId,
      )
      .map(({ workflow_id: id }) => id);
  }

  #note(workflowId: string): void {
    // Whoever shows a workflow shows who runs it.
    this.#context.db.changes.note('workflows', workflowId);
  }
}

function toClaim(row: Row): Claim {
  return {
    workflowId: row.workflow_id,
    epoch: row.epoch,
    deviceId: row.device_id,
    how: row.how,
    fromDeviceId: row.from_device_id,
    fromEpoch: row.from_epoch,
    claimedAt: row.claimed_at,
    release:
      row.to_device_id === null ? null : { toDeviceId: row.to_device_id, at: row.released_at ?? 0 },
  };
}
