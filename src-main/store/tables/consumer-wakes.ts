// When each consumer on this device is due again, and the failures that delay it. The earliest time
// that a consumer asked for is in `workflows.consumer_sleep_until`, which the lane waits for and which
// a new owner starts from.
import { parseJson, type WithJsonText } from '#main/store/sqlite/json-columns.ts';
import type { TableCache } from '#main/store/sqlite/table-cache.ts';
import type { WorkflowStore } from '#main/store/tables/workflows.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';

export interface ConsumerWake {
  /** Requested by the consumer itself (`wakeAt`). */
  readonly wakeAt: number | null;
  /** Backoff after a failure. */
  readonly notBefore: number | null;
  /** The last failed run. The next run is its retry. */
  readonly retryOf: string | null;
  /** Consecutive failures. */
  readonly failures: number;
  /** Set when the last prepare() reserved nothing: the pending events that it saw. */
  readonly seen: SeenTopics | null;
}

/** The topic revisions that prepare() of one version could see, by topic id. */
export interface SeenTopics {
  readonly scriptId: string;
  readonly revisions: { readonly [topicId: string]: number };
}

/** A consumer without a row: due as soon as anything is pending. */
export const NO_WAKE: ConsumerWake = {
  wakeAt: null,
  notBefore: null,
  retryOf: null,
  failures: 0,
  seen: null,
};

interface WakeRow extends WithJsonText<ConsumerWake, 'seen'> {
  readonly consumer: string;
}

export class ConsumerWakeStore extends Store {
  /** Keyed by workflow; the inner map by consumer. */
  readonly #wakes: TableCache<ReadonlyMap<string, ConsumerWake>>;

  readonly #workflows: WorkflowStore;

  constructor(context: StoreContext, workflows: WorkflowStore) {
    super(context);
    this.#workflows = workflows;
    this.#wakes = context.db.cache('consumer_wakes');
  }

  get(workflowId: string, consumer: string): ConsumerWake {
    return this.#of(workflowId).get(consumer) ?? NO_WAKE;
  }

  set(workflowId: string, consumer: string, wake: ConsumerWake): void {
    const { wakeAt } = this.get(workflowId, consumer);
    this.db.write(() => {
      this.db.run(
        `INSERT INTO consumer_wakes (workflow_id, consumer, wake_at, not_before, retry_of, failures, seen)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (workflow_id, consumer) DO UPDATE SET wake_at = excluded.wake_at,
           not_before = excluded.not_before, retry_of = excluded.retry_of,
           failures = excluded.failures, seen = excluded.seen`,
        workflowId,
        consumer,
        wake.wakeAt,
        wake.notBefore,
        wake.retryOf,
        wake.failures,
        wake.seen && JSON.stringify(wake.seen),
      );
      if (wake.wakeAt !== wakeAt) this.deriveSleep(workflowId);
    });
  }

  /** Writes the earliest time to the workflow. Also needed when its version changes. */
  deriveSleep(workflowId: string): void {
    this.#workflows.setConsumerSleepUntil(workflowId, this.#earliest(workflowId));
  }

  /**
   * On a device that becomes the owner. The former owner's times by consumer are not synced, so each
   * consumer is tried at the earliest.
   */
  inheritSleep(workflowId: string): void {
    const { consumerSleepUntil } = this.#workflows.get(workflowId) ?? {};
    if (consumerSleepUntil === this.#earliest(workflowId)) return;
    this.db.writeOne(() =>
      this.db.run(
        `INSERT INTO consumer_wakes (workflow_id, consumer, wake_at)
         SELECT w.id, c.key, w.consumer_sleep_until
         FROM workflows AS w, json_each(w.handler_config, '$.consumers') AS c WHERE w.id = ?
         ON CONFLICT (workflow_id, consumer) DO UPDATE SET wake_at = excluded.wake_at`,
        workflowId,
      ),
    );
  }

  /** The earliest wake of the consumers of the active version. */
  #earliest(workflowId: string): number | null {
    return (
      this.db.value<number | null>(
        `SELECT min(wake_at)
         FROM workflows AS w, json_each(w.handler_config, '$.consumers') AS c
           JOIN consumer_wakes ON workflow_id = w.id AND consumer = c.key
         WHERE w.id = ?`,
        workflowId,
      ) ?? null
    );
  }

  /** Failed runs of this device that will be retried. */
  failing(workflowId: string): string[] {
    return [...this.#of(workflowId)].flatMap(([consumer, { failures }]) =>
      failures > 0 ? [consumer] : [],
    );
  }

  /** Handlers that start over at a later time. */
  delayed(workflowId: string, now: number): { handler: string; until: number; retryOf: string }[] {
    return [...this.#of(workflowId)].flatMap(([handler, { notBefore, retryOf }]) =>
      notBefore !== null && notBefore > now && retryOf !== null
        ? [{ handler, until: notBefore, retryOf }]
        : [],
    );
  }

  /** Makes the handler due, because its wait has ended. */
  endDelay(workflowId: string, handler: string): void {
    this.db.writeOne(() =>
      this.db.run(
        'UPDATE consumer_wakes SET not_before = NULL WHERE workflow_id = ? AND consumer = ?',
        workflowId,
        handler,
      ),
    );
  }

  /** Resets the consumer after a success. */
  clear(workflowId: string, consumer: string): void {
    const wake = this.#of(workflowId).get(consumer);
    if (!wake) return;
    this.db.write(() => {
      this.db.run(
        'DELETE FROM consumer_wakes WHERE workflow_id = ? AND consumer = ?',
        workflowId,
        consumer,
      );
      if (wake.wakeAt !== null) this.deriveSleep(workflowId);
    });
  }

  /** Makes every consumer look again at what is pending. */
  forgetSeen(workflowId: string): void {
    this.db.writeOne(() =>
      this.db.run(
        'UPDATE consumer_wakes SET seen = NULL WHERE workflow_id = ? AND seen IS NOT NULL',
        workflowId,
      ),
    );
  }

  /** Makes every handler due at once: the failures that delay them are those of an earlier version. */
  forgetFailures(workflowId: string): void {
    const { db } = this.context;
    db.writeOne(() =>
      db.run(
        `UPDATE consumer_wakes SET not_before = NULL, failures = 0
         WHERE workflow_id = ? AND (not_before IS NOT NULL OR failures > 0)`,
        workflowId,
      ),
    );
  }

  #of(workflowId: string): ReadonlyMap<string, ConsumerWake> {
    return this.#wakes.get(workflowId, () => {
      const rows = this.db.all<WakeRow>(
        `SELECT consumer, wake_at AS wakeAt, not_before AS notBefore, retry_of AS retryOf, failures,
           seen
         FROM consumer_wakes WHERE workflow_id = ?`,
        workflowId,
      );
      return new Map(
        rows.map(({ consumer, seen, ...wake }) => [
          consumer,
          { ...wake, seen: parseJson<SeenTopics>(seen) },
        ]),
      );
    });
  }
}
