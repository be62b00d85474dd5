// Runs work for one workflow or one row so that its failure stops nothing else. A failure is recorded
// with its reason, shown in the inbox and retried with backoff.
import type { Logger } from 'pino';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';
import { refusedId, UnreadableRow } from '#main/store/sqlite/refused-set.ts';
import { isStorageProblem } from '#main/store/sqlite/sqlite-errors.ts';
import { backoffDelay } from '#shared/backoff.ts';
import { LANE } from '#shared/refused-rows.ts';
import { REFUSED_WORK_BASE_MS, REFUSED_WORK_MAX_MS } from '#shared/limits.ts';
import { messageOf } from '#shared/message-of.ts';

interface Parts {
  readonly stores: Pick<Stores, 'refusedRows'>;
  readonly store: Pick<StoreContext, 'db' | 'clock'>;
  readonly log: Pick<Logger, 'error' | 'warn'>;
}

interface Failing {
  readonly failures: number;
  readonly notBefore: number;
}

const BACKOFF = { baseMs: REFUSED_WORK_BASE_MS, maxMs: REFUSED_WORK_MAX_MS };

export class Isolation {
  readonly #parts: Parts;
  readonly #failing = new Map<string, Failing>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Whether the workflow can't run here now, because its rows can't be read or its work failed. */
  holds(workflowId: string): boolean {
    return this.#parts.stores.refusedRows.holds(workflowId);
  }

  /**
   * Does the work of one workflow, unless it is held. False if it was not done. `work` must not be part
   * of a larger write: what it wrote before it failed is rolled back by its own write.
   */
  attempt(workflowId: string, what: string, work: () => void): boolean {
    if (this.holds(workflowId)) return false;
    try {
      work();
      return true;
    } catch (error) {
      this.failed(workflowId, what, error);
      return false;
    }
  }

  /** Holds the workflow until the work is retried. Throws on a full or failing disk: no row caused it. */
  failed(workflowId: string, what: string, error: unknown): void {
    if (isStorageProblem(error)) throw error;
    const { stores, store, log } = this.#parts;
    const failures = (this.#failing.get(workflowId)?.failures ?? 0) + 1;
    const notBefore = store.clock.now() + backoffDelay(failures, BACKOFF, 0);
    this.#failing.set(workflowId, { failures, notBefore });
    const reason = `${what} failed: ${messageOf(error)}`;
    const key = [workflowId];
    const isNew = stores.refusedRows.refuse({
      table: LANE,
      key,
      workflowId,
      deviceId: null,
      reason,
    });
    // An unreadable row comes from a peer; any other error is a bug in Holdfast.
    const level = error instanceof UnreadableRow ? 'warn' : 'error';
    if (isNew) log[level]({ err: error, workflowId }, 'held a workflow; all others run');
  }

  /** Resets the backoff: the workflow ran until nothing was due. */
  succeeded(workflowId: string): void {
    this.#failing.delete(workflowId);
  }

  /** Workflows whose work failed and may be tried again. They are no longer held by it. */
  takeDue(): string[] {
    const now = this.#parts.store.clock.now();
    const due = [...this.#failing].filter(
      ([workflowId, { notBefore }]) => notBefore <= now && this.#isFailed(workflowId),
    );
    for (const [workflowId] of due) this.#release(workflowId);
    return due.map(([workflowId]) => workflowId);
  }

  /** Does the work of one row in its own write. If that fails, the row is skipped until it changes. */
  ofRow(table: string, id: string, workflowId: string | null, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (isStorageProblem(error)) throw error;
      const { stores, log } = this.#parts;
      const reason = messageOf(error);
      stores.refusedRows.refuse({ table, key: [id], workflowId, deviceId: null, reason });
      log.error({ err: error, table, id, workflowId }, 'refused a row; everything else continues');
    }
  }

  #isFailed(workflowId: string): boolean {
    return this.#parts.stores.refusedRows.get(refusedId(LANE, workflowId)) !== undefined;
  }

  #release(workflowId: string): void {
    this.#parts.stores.refusedRows.accept(refusedId(LANE, workflowId));
  }
}
