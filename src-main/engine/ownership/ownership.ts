// Claims, takes over and hands over workflows on this device. Open runs are adopted in the same write
// as the claim.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { Lane } from '#main/engine/lane/lane.ts';
import type { Lanes } from '#main/engine/lane/lanes.ts';
import type { Adopted } from '#main/engine/ownership/adopt-foreign-runs.ts';
import { adoptIfOwner, adoptWorkflow, claimIfOurs } from '#main/engine/ownership/after-merge.ts';
import { restoredPauseReason } from '#main/engine/ownership/after-restore.ts';
import { DONE, type DecisionOutcome } from '#shared/decision.ts';

export class Ownership {
  readonly #context: EngineContext;
  readonly #lanes: Lanes;
  /** Carries out the decisions that wait for the owner, and wakes the lane. */
  readonly #onOwned: (workflowId: string) => void;
  /** Workflow id to the device that gets the workflow, for each hand-over in progress. */
  readonly #handingOver = new Map<string, string>();

  constructor(context: EngineContext, lanes: Lanes, onOwned: (workflowId: string) => void) {
    this.#context = context;
    this.#lanes = lanes;
    this.#onOwned = onOwned;
  }

  owns(workflowId: string): boolean {
    return this.#context.stores.ownership.epoch(workflowId) !== null;
  }

  /** The device that gets the workflow when the current run has ended. Null if no hand-over waits. */
  handingOverTo(workflowId: string): string | null {
    return this.#handingOver.get(workflowId) ?? null;
  }

  /** Claims workflows that were handed over, and adopts runs that were left open, while stopped. */
  claimAtStart(): void {
    const { stores, store, isolation } = this.#context;
    const { ownership } = stores;
    const write = (id: string, work: () => void): void => {
      isolation.attempt(id, 'Claiming', () => store.db.write(work));
    };
    for (const id of new Set([...ownership.unclaimed(), ...ownership.offered()])) {
      write(id, () => claimIfOurs(this.#context, id));
    }
    const foreign = new Set(
      stores.handlerRuns
        .open()
        .filter(({ deviceId }) => deviceId !== store.deviceId)
        .map(({ workflowId }) => workflowId),
    );
    for (const id of foreign) write(id, () => adoptIfOwner(this.#context, id));
  }

  /**
   * Makes this device the owner without the other device's consent, because a person decided so.
   * Also revokes a hand-over that was not claimed yet. Null if this device already owns the workflow.
   */
  takeOver(workflowId: string): Adopted[] | null {
    const { stores, store } = this.#context;
    const before = stores.ownership.of(workflowId);
    if (before.type === 'owned' && before.claim.deviceId === store.deviceId) return null;
    const isRevoked = before.type === 'released' && before.claim.deviceId === store.deviceId;
    const how = isRevoked ? 'handover' : 'takeover';
    const adopted = store.db.writeDurably(() => {
      const reason = restoredPauseReason(this.#context, workflowId);
      stores.ownership.claim(workflowId, how);
      if (reason !== null) stores.workflows.setStatus(workflowId, 'paused', reason);
      return adoptWorkflow(this.#context, workflowId, how);
    });
    this.#onOwned(workflowId);
    return adopted;
  }

  /** Null if a run is executing. The decision then waits until it has ended. */
  handOver(workflowId: string, toDeviceId: string, epoch: number): DecisionOutcome | null {
    const { stores, store, log } = this.#context;
    if (stores.ownership.epoch(workflowId) !== epoch) {
      return {
        status: 'superseded',
        message: 'The owner has changed since this was requested. Nothing was handed over.',
      };
    }
    if (toDeviceId === store.deviceId) {
      return {
        status: 'refused',
        message: 'That device already runs this workflow. Nothing was changed.',
      };
    }
    if (!this.#lanes.isBusy(workflowId)) {
      store.db.writeDurably(() => stores.ownership.release(workflowId, toDeviceId));
      this.#lanes.wake(workflowId);
      return DONE;
    }
    const isHeld = this.#handingOver.has(workflowId);
    this.#handingOver.set(workflowId, toDeviceId);
    store.db.write(() => store.db.changes.record('workflows', workflowId));
    if (!isHeld) {
      this.#handOverWhenIdle(this.#lanes.of(workflowId)).catch((error: unknown) =>
        log.error({ err: error, workflowId }, 'hand-over failed; the decision still waits'),
      );
    }
    return null;
  }

  async #handOverWhenIdle(lane: Lane): Promise<void> {
    try {
      await lane.hold().finally(() => this.#handingOver.delete(lane.workflowId));
      // The decision still waits. No run is executing now, so it can be carried out.
      if (this.#lanes.isRunning) this.#onOwned(lane.workflowId);
    } finally {
      lane.release();
    }
  }
}
