// The one path of people's decisions: intents (pause, cancel, rerun, hand over …) and resolutions
// of effects whose outcome is unknown. Each is a row that any device may write. The owner carries
// them out, the oldest first, and records the outcome in the row.
import { carryOutIntent } from '#main/engine/decisions/carry-out-intent.ts';
import { carryOutResolution, graceEnd } from '#main/engine/decisions/carry-out-resolution.ts';
import type { Rooms } from '#main/engine/decisions/rooms.ts';
import type { Intent } from '#main/store/tables/intents.ts';
import type { NewResolution, ResolutionRow } from '#main/store/tables/resolutions.ts';
import type { DecisionOutcome } from '#shared/decision.ts';
import type { IntentRequest } from '#shared/intents.ts';

export type SubmittedIntent = Pick<Intent, 'id' | 'status' | 'message'>;

export class Decisions {
  readonly #rooms: Rooms;
  /** Resolutions that can still be undone, with what cancels their timer. */
  readonly #undoable = new Map<string, () => void>();

  constructor(rooms: Rooms) {
    this.#rooms = rooms;
  }

  stop(): void {
    for (const cancel of this.#undoable.values()) cancel();
    this.#undoable.clear();
  }

  /**
   * An intent for a workflow that this device owns is carried out at once; any other waits for the
   * owner. An intent that is refused at once leaves no row.
   */
  submit(
    workflowId: string,
    wish: IntentRequest,
    id = this.#rooms.context.store.ids.ulid(),
  ): SubmittedIntent {
    const { intents } = this.#rooms.context.stores;
    const known = intents.get(id);
    if (known) return known;
    const isOwner = this.#rooms.ownership.owns(workflowId);
    const outcome = isOwner ? carryOutIntent(this.#rooms, workflowId, wish) : null;
    if (outcome && outcome.status !== 'done') return { id, message: null, ...outcome };
    intents.add(id, workflowId, wish);
    if (outcome) intents.decide(id, outcome);
    return intents.get(id) as Intent;
  }

  /** Settles an effect whose outcome is unknown, if it still is when the owner carries it out. */
  settle(id: string, resolution: NewResolution): ResolutionRow {
    const { resolutions } = this.#rooms.context.stores;
    resolutions.add(id, resolution);
    const row = resolutions.get(id) as ResolutionRow;
    const isOwner = this.#rooms.ownership.owns(row.workflowId);
    if (row.status === 'waiting' && isOwner) this.#carryOutResolution(row);
    return resolutions.get(id) as ResolutionRow;
  }

  /** Carries out every decision that waits for the owner, if this device is the owner. */
  carryOutWaiting(workflowId: string): void {
    const { ownership, context } = this.#rooms;
    if (!ownership.owns(workflowId)) return;
    const intents = context.stores.intents.waiting(workflowId);
    // Both may have arrived together: an undone resolution must not be carried out.
    for (const intent of intents.filter(isWithdrawal)) this.#carryOutIntent(intent);
    for (const row of context.stores.resolutions.waiting(workflowId)) this.#carryOutResolution(row);
    for (const intent of intents.filter((one) => !isWithdrawal(one))) {
      // After a hand-over the rest is for the next owner.
      if (ownership.owns(workflowId)) this.#carryOutIntent(intent);
    }
  }

  #carryOutIntent({ id, workflowId, wish }: Intent): void {
    const outcome: DecisionOutcome | null = carryOutIntent(this.#rooms, workflowId, wish);
    if (outcome) this.#rooms.context.stores.intents.decide(id, outcome);
  }

  /** At once, or when it can no longer be undone. */
  #carryOutResolution(row: ResolutionRow): void {
    const { context } = this.#rooms;
    const at = graceEnd(context, row);
    if (at !== null) return this.#carryOutLater(row, at);
    const next = context.store.db.writeDurably(() => {
      const { outcome, continuation } = carryOutResolution(context, row);
      context.stores.resolutions.decide(row.id, outcome);
      return continuation;
    });
    if (next?.type === 'wake') this.#rooms.lanes.wake(row.workflowId);
    if (next?.type === 'resend') this.#rooms.lanes.of(row.workflowId).resend(next.handlerRunId);
  }

  #carryOutLater({ id, workflowId }: ResolutionRow, at: number): void {
    if (this.#undoable.has(id)) return;
    const { context, lanes, ownership } = this.#rooms;
    const cancel = context.store.clock.wakeAt(at, () => {
      this.#undoable.delete(id);
      const row = context.stores.resolutions.get(id);
      if (row?.status !== 'waiting' || !lanes.isRunning || !ownership.owns(workflowId)) return;
      this.#carryOutResolution(row);
    });
    this.#undoable.set(id, cancel);
  }
}

function isWithdrawal({ wish }: Intent): boolean {
  return (wish as { kind?: unknown } | null)?.kind === 'withdraw';
}
