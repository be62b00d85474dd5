// The awake time of effects whose outcome is unknown. It counts from the first question about one of
// them until none is being checked any more.
import { AwakeTime } from '#main/platform/awake-time.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { MutationStore } from '#main/store/tables/mutations.ts';
import type { AwakeMoment } from '#shared/doubt.ts';
import type { MutationState } from '#shared/machines/mutation.ts';

export class DoubtClock {
  readonly #awake: AwakeTime;
  readonly #inDoubt = new Set<string>();

  constructor({ db, clock, ids }: StoreContext, mutations: MutationStore) {
    this.#awake = new AwakeTime({
      clock,
      newSpan: () => ids.uuid(),
      isNeeded: () => {
        for (const id of this.#inDoubt) {
          if (!db.isOpen || !isBeingChecked(mutations.get(id)?.state)) this.#inDoubt.delete(id);
        }
        return this.#inDoubt.size > 0;
      },
    });
  }

  /** Keeps the time counting while this effect is being checked. */
  now(mutationId: string): AwakeMoment {
    this.#inDoubt.add(mutationId);
    return this.#awake.now();
  }

  stop(): void {
    this.#awake.stop();
  }
}

/** A check that waits for its host to come back may wait for days; its window starts again then. */
function isBeingChecked(state: MutationState | undefined): boolean {
  return state?.status === 'needs_reconcile' && state.reconcile.waitsFor === undefined;
}
