// The change feed: collects changed rows for one screen frame, then sends one message to each
// subscriber.
import type { ChangeLog, Changes } from '#main/store/sqlite/change-log.ts';
import type { ChangedRows, FeedMessage, FeedTable } from '#shared/api/feed.ts';
import { FEED_MAX_IDS, FEED_WINDOW_MS } from '#shared/limits.ts';

export type FeedSubscriber = (message: FeedMessage) => void;

export class ChangeFeed {
  readonly #subscribers = new Set<FeedSubscriber>();
  readonly #stopListening: () => void;
  #pending = new Map<FeedTable, Set<string>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(changes: ChangeLog) {
    this.#stopListening = changes.subscribe((changed) => this.#collect(changed));
  }

  /** The first message is `hello`; the subscriber then loads its data and applies later changes. */
  subscribe(subscriber: FeedSubscriber): () => void {
    this.#subscribers.add(subscriber);
    subscriber({ type: 'hello' });
    return () => this.#subscribers.delete(subscriber);
  }

  close(): void {
    this.#stopListening();
    clearTimeout(this.#timer);
    this.#subscribers.clear();
  }

  #collect(changed: Changes): void {
    if (this.#subscribers.size === 0) return;
    for (const [table, ids] of changed) {
      const known = this.#pending.get(table) ?? new Set();
      this.#pending.set(table, known);
      // One id over the limit is enough to send "many".
      for (const id of ids) if (known.size <= FEED_MAX_IDS) known.add(id);
    }
    this.#timer ??= setTimeout(() => this.#send(), FEED_WINDOW_MS);
  }

  #send(): void {
    this.#timer = undefined;
    const changes = [...this.#pending].map(([table, ids]): ChangedRows => ({
      table,
      ids: ids.size > FEED_MAX_IDS ? 'many' : [...ids],
    }));
    this.#pending = new Map();
    for (const subscriber of this.#subscribers) subscriber({ type: 'changes', changes });
  }
}
