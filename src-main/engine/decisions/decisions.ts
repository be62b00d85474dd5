// The single path for people's decisions: intents (pause, cancel, rerun, hand over …) and resolutions
// of effects whose outcome is unknown. Any device may write one as a row. The owner carries them out,
// oldest first, and records the outcome in the row.
import { carryOutIntent } from '#main/engine/decisions/carry-out-intent.ts';
import { carryOutResolution, graceEnd } from '#main/engine/decisions/carry-out-resolution.ts';
import type { EngineParts } from '#main/engine/decisions/engine-parts.ts';
import type { Intent } from '#main/store/tables/intents.ts';
import type { NewResolution, ResolutionRow } from '#main/store/tables/resolutions.ts';
import type { DecisionOutcome } from '#shared/decision.ts';
import { DECISION_RETRY_MS } from '#shared/limits.ts';
import type { IntentRequest } from '#shared/intents.ts';

export type SubmittedIntent = Pick<Intent, 'id' | 'status' | 'message'>;

export class Decisions {
  readonly #parts: EngineParts;
  /** Resolutions that can still be undone. The value cancels the timer. */
  readonly #undoable = new Map<string, () => void>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  stop(): void {
    for (const cancel of this.#undoable.values()) cancel();
    this.#undoable.clear();
  }

  /**
   * Carries out an intent at once if this device owns the workflow; otherwise the intent waits for
   * the owner. One that is refused at once leaves no row.
   */
  submit(
    workflowId: string,
    request: IntentRequest,
    id = this.#parts.context.store.ids.ulid(),
  ): SubmittedIntent {
    const { intents } = this.#parts.context.stores;
    const known = intents.get(id);
    if (known) return known;
    const isOwner = this.#parts.ownership.owns(workflowId);
    const outcome = isOwner ? carryOutIntent(this.#parts, workflowId, request) : null;
    if (outcome && outcome.status !== 'done') return { id, message: null, ...outcome };
    intents.add(id, workflowId, request);
    if (outcome) intents.decide(id, outcome);
    return intents.get(id) as Intent;
  }

  /** Settles an effect, if its outcome is still unknown when the owner carries this out. */
  settle(id: string, resolution: NewResolution): ResolutionRow {
    const { resolutions } = this.#parts.context.stores;
    resolutions.add(id, resolution);
    const row = resolutions.get(id) as ResolutionRow;
    const isOwner = this.#parts.ownership.owns(row.workflowId);
    if (row.status === 'waiting' && isOwner) this.#carryOutOrRetry(row);
    return resolutions.get(id) as ResolutionRow;
  }

  /** Carries out every decision that waits for the owner, if this device is the owner. */
  carryOutWaiting(workflowId: string): void {
    const { ownership, context } = this.#parts;
    if (context.isolation.holds(workflowId) || !ownership.owns(workflowId)) return;
    const intents = context.stores.intents.waiting(workflowId);
    // A resolution and its undo may arrive together. The undo goes first.
    for (const intent of intents.filter(isWithdrawal)) this.#tryIntent(intent);
    for (const row of context.stores.resolutions.waiting(workflowId)) this.#tryResolution(row);
    for (const intent of intents.filter((one) => !isWithdrawal(one))) {
      // After a hand-over the next owner carries out the rest.
      if (ownership.owns(workflowId)) this.#tryIntent(intent);
    }
  }

  /** A decision that fails is skipped and shown in the inbox; the others are carried out. */
  #tryIntent(intent: Intent): void {
    const { isolation } = this.#parts.context;
    const { id, workflowId } = intent;
    isolation.ofRow('intents', id, workflowId, () => this.#carryOutIntent(intent));
  }

  #tryResolution(row: ResolutionRow): void {
    const { isolation } = this.#parts.context;
    const { id, workflowId } = row;
    isolation.ofRow('resolutions', id, workflowId, () => this.#carryOutResolution(row));
  }

  #carryOutIntent({ id, workflowId, wish }: Intent): void {
    const outcome: DecisionOutcome | null = carryOutIntent(this.#parts, workflowId, wish);
    if (outcome) this.#parts.context.stores.intents.decide(id, outcome);
  }

  /** Now, or when it can no longer be undone. */
  #carryOutResolution(row: ResolutionRow): void {
    const { context } = this.#parts;
    const at = graceEnd(context, row);
    if (at !== null) return this.#carryOutLater(row, at);
    const next = context.store.db.writeDurably(() => {
      const { outcome, continuation } = carryOutResolution(context, row);
      context.stores.resolutions.decide(row.id, outcome);
      return continuation;
    });
    if (next?.type === 'wake') this.#parts.lanes.wake(row.workflowId);
    // A stopped engine sends nothing; recovery finds the effect in flight at the next start.
    if (next?.type === 'resend' && this.#parts.lanes.isRunning) {
      this.#parts.lanes.of(row.workflowId).resend(next.handlerRunId);
    }
  }

  /** The decision is saved. If the disk fails now, don't leave it for the next start. */
  #carryOutOrRetry(row: ResolutionRow): void {
    try {
      this.#carryOutResolution(row);
    } catch (error) {
      this.#carryOutLater(row, this.#parts.context.store.clock.now() + DECISION_RETRY_MS);
      throw error;
    }
  }

  #carryOutLater(waiting: ResolutionRow, at: number): void {
    const { id, workflowId } = waiting;
    if (this.#undoable.has(id)) return;
    const { context, lanes, ownership } = this.#parts;
    const cancel = context.store.clock.wakeAt(at, () => {
      this.#undoable.delete(id);
      try {
        const row = context.stores.resolutions.get(id);
        if (row?.status !== 'waiting' || !lanes.isRunning || !ownership.owns(workflowId)) return;
        this.#carryOutResolution(row);
      } catch (error) {
        context.log.error({ err: error, workflowId }, 'could not carry out a decision; retrying');
        this.#carryOutLater(waiting, context.store.clock.now() + DECISION_RETRY_MS);
      }
    });
    this.#undoable.set(id, cancel);
  }
}

function isWithdrawal({ wish }: Intent): boolean {
  return (wish as { kind?: unknown } | null)?.kind === 'withdraw';
}
