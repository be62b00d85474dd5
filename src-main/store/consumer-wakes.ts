// When each consumer may or wants to run again on this device, and which failures led there.
import type { Kept } from '#main/store/kept.ts';
import type { StoreContext } from '#main/store/store-context.ts';

export interface ConsumerWake {
  /** It asked to be woken. */
  readonly wakeAt: number | null;
  /** It failed, and waits before it tries again. */
  readonly notBefore: number | null;
  /** The run that failed last; the next one is a retry of it. */
  readonly retryOf: string | null;
  /** In a row. */
  readonly failures: number;
}

const NONE: ConsumerWake = { wakeAt: null, notBefore: null, retryOf: null, failures: 0 };

export class ConsumerWakeStore {
  readonly #context: StoreContext;
  /** Of a workflow, by its consumers. */
  readonly #wakes: Kept<ReadonlyMap<string, ConsumerWake>>;

  constructor(context: StoreContext) {
    this.#context = context;
    this.#wakes = context.db.keep('consumer_wakes');
  }

  get(workflowId: string, consumer: string): ConsumerWake {
    return this.#of(workflowId).get(consumer) ?? NONE;
  }

  set(workflowId: string, consumer: string, wake: ConsumerWake): void {
    const { db } = this.#context;
    db.writeOne(() =>
      db.run(
        `INSERT INTO consumer_wakes (workflow_id, consumer, wake_at, not_before, retry_of, failures)
         VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (workflow_id, consumer) DO UPDATE SET wake_at = excluded.wake_at,
           not_before = excluded.not_before, retry_of = excluded.retry_of,
           failures = excluded.failures`,
        workflowId,
        consumer,
        wake.wakeAt,
        wake.notBefore,
        wake.retryOf,
        wake.failures,
      ),
    );
  }

  /** Those that failed last, on this device, and are to be tried again. */
  failing(workflowId: string): string[] {
    return [...this.#of(workflowId)].flatMap(([consumer, { failures }]) =>
      failures > 0 ? [consumer] : [],
    );
  }

  /** It went well: nothing to wait for, nothing to remember. */
  clear(workflowId: string, consumer: string): void {
    if (!this.#of(workflowId).has(consumer)) return;
    const { db } = this.#context;
    db.writeOne(() =>
      db.run(
        'DELETE FROM consumer_wakes WHERE workflow_id = ? AND consumer = ?',
        workflowId,
        consumer,
      ),
    );
  }

  #of(workflowId: string): ReadonlyMap<string, ConsumerWake> {
    return this.#wakes.get(workflowId, () => {
      const rows = this.#context.db.all<ConsumerWake & { consumer: string }>(
        `SELECT consumer, wake_at AS wakeAt, not_before AS notBefore, retry_of AS retryOf, failures
         FROM consumer_wakes WHERE workflow_id = ?`,
        workflowId,
      );
      return new Map(rows.map(({ consumer, ...wake }) => [consumer, wake]));
    });
  }
}
