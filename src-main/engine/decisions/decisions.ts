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
  /** By workflow or resolution: when its decisions are looked at again. The value cancels the timer. */
  readonly #timers = new Map<string, () => void>();

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  stop(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  /**
   * Carries out an intent at once if this device owns the workflow; otherwise the intent waits for
   * the owner, or until the workflow is no longer held. One that is refused at once leaves no row.
   */
  submit(
    workflowId: string,
    request: IntentRequest,
    id = this.#parts.context.store.ids.ulid(),
  ): SubmittedIntent {
    const { intents } = this.#parts.context.stores;
    const known = intents.get(id);
    if (known) return known;
    const canCarryOut = this.#canCarryOut(workflowId);
    const outcome = canCarryOut ? carryOutIntent(this.#parts, workflowId, request) : null;
    if (outcome && outcome.status !== 'done') return { id, message: null, ...outcome };
    intents.add(id, workflowId, request);
    if (outcome) intents.decide(id, outcome);
    return intents.get(id) as Intent;
  }

  /**
   * Settles an effect, if its outcome is still unknown when the owner carries this out. The row is
   * saved: if the disk fails after that, the decision doesn't wait for the next start.
   */
  settle(id: string, resolution: NewResolution): ResolutionRow {
    const { resolutions } = this.#parts.context.stores;
    resolutions.add(id, resolution);
    const row = resolutions.get(id) as ResolutionRow;
    try {
      if (row.status === 'waiting' && this.#canCarryOut(row.workflowId)) this.#tryResolution(row);
    } catch (error) {
      this.#retry(row.workflowId);
      throw error;
    }
    return resolutions.get(id) as ResolutionRow;
  }

  /**
   * Carries out every decision that waits for the owner, if this device is the owner. Those that the
   * disk refuses are tried again.
   */
  carryOutWaiting(workflowId: string): void {
    try {
      if (this.#canCarryOut(workflowId)) this.#carryOutAll(workflowId);
    } catch (error) {
      const { log } = this.#parts.context;
      log.error({ err: error, workflowId }, 'could not carry out decisions; retrying');
      this.#retry(workflowId);
    }
  }

  /** Who owns a held workflow, and what its runs did, isn't known. */
  #canCarryOut(workflowId: string): boolean {
    const { ownership, context } = this.#parts;
    return !context.isolation.holds(workflowId) && ownership.owns(workflowId);
  }

  #carryOutAll(workflowId: string): void {
    const { ownership, context } = this.#parts;
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
    if (at !== null) return this.#carryOutAt(at, row.workflowId, row.id);
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

  #retry(workflowId: string): void {
    const at = this.#parts.context.store.clock.now() + DECISION_RETRY_MS;
    this.#carryOutAt(at, workflowId, workflowId);
  }

  #carryOutAt(at: number, workflowId: string, key: string): void {
    if (this.#timers.has(key)) return;
    const { context, lanes } = this.#parts;
    const cancel = context.store.clock.wakeAt(at, () => {
      this.#timers.delete(key);
      if (lanes.isRunning) this.carryOutWaiting(workflowId);
    });
    this.#timers.set(key, cancel);
  }
}

function isWithdrawal({ wish }: Intent): boolean {
  return (wish as { kind?: unknown } | null)?.kind === 'withdraw';
}
