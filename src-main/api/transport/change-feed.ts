// Gathers what changed for one frame of a screen and tells every subscriber once.
import type { ChangeLog, Changes } from '#main/store/sqlite/change-log.ts';
import type { ChangedRows, FeedMessage, FeedTable } from '#shared/api/feed.ts';
import { FEED_MAX_IDS, FEED_WINDOW_MS } from '#shared/limits.ts';

export type FeedSubscriber = (message: FeedMessage) => void;

export class ChangeFeed {
  readonly #subscribers = new Set<FeedSubscriber>();
  readonly #stopListening: () => void;
  #gathered = new Map<FeedTable, Set<string>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(changes: ChangeLog) {
    this.#stopListening = changes.subscribe((changed) => this.#gather(changed));
  }

  /** The first message is `hello`: ask for what you show, then follow the changes. */
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

  #gather(changed: Changes): void {
    if (this.#subscribers.size === 0) return;
    for (const [table, ids] of changed) {
      const known = this.#gathered.get(table) ?? new Set();
      this.#gathered.set(table, known);
      // One more than the limit says "many"; the rest would only cost memory.
      for (const id of ids) if (known.size <= FEED_MAX_IDS) known.add(id);
    }
    this.#timer ??= setTimeout(() => this.#send(), FEED_WINDOW_MS);
  }

  #send(): void {
    this.#timer = undefined;
    const changes = [...this.#gathered].map(([table, ids]): ChangedRows => ({
      table,
      ids: ids.size > FEED_MAX_IDS ? 'many' : [...ids],
    }));
    this.#gathered = new Map();
    for (const subscriber of this.#subscribers) subscriber({ type: 'changes', changes });
  }
}
