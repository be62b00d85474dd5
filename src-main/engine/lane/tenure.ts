// Whether this device owns the lane's workflow, as the lane last read it. Losing the workflow closes
// its open runs; regaining it recovers them. Each happens once per change.
import { recover } from '#main/engine/continuation/recovery.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { repairUnfinishedEvents } from '#main/engine/ownership/after-merge.ts';
import { closeLostRuns } from '#main/engine/ownership/ownership-lost.ts';

type State =
  /** The lane has not owned the workflow since it was created. */
  | { readonly type: 'new' }
  | { readonly type: 'owner'; readonly epoch: number }
  | { readonly type: 'former_owner' };

export class Tenure {
  readonly #context: EngineContext;
  readonly #workflowId: string;
  #state: State = { type: 'new' };

  constructor(context: EngineContext, workflowId: string) {
    this.#context = context;
    this.#workflowId = workflowId;
  }

  /** The epoch in which this device owns the workflow. Null if it doesn't. */
  epoch(toResend: ReadonlySet<string>): number | null {
    const { ownership } = this.#context.stores;
    const before = this.#state;
    if (before.type === 'owner' && ownership.holds(this.#workflowId, before.epoch)) {
      return before.epoch;
    }
    const epoch = ownership.epoch(this.#workflowId);
    if (epoch === null) return null;
    this.#state = { type: 'owner', epoch };
    if (before.type !== 'new') this.#regained(toResend);
    return epoch;
  }

  lose(): void {
    if (this.#state.type !== 'owner') return;
    closeLostRuns(this.#context, this.#workflowId);
    this.#state = { type: 'former_owner' };
  }

  /** Runs that were left open in between are recovered as after a crash. */
  #regained(toResend: ReadonlySet<string>): void {
    recover(this.#context, this.#workflowId, toResend);
    this.#context.store.db.write(() => repairUnfinishedEvents(this.#context, this.#workflowId));
  }
}
