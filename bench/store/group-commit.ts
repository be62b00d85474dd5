// A minimal group commit for the baselines: work submitted in one turn of the event loop
// shares a transaction of the same maximum size as in the host, and one fsync.
import type SQLite from 'better-sqlite3';
import { MAX_GROUP } from '#main/store/sqlite/commit-queue.ts';

/** Resolves once committed; with `isDurable`, once on disk. */
export type Submit = (work: () => void, isDurable?: boolean) => Promise<void>;

interface Item {
  readonly work: () => void;
  readonly isDurable: boolean;
  readonly resolve: () => void;
}

export function groupCommit(sqlite: SQLite.Database): Submit {
  const begin = sqlite.prepare('BEGIN IMMEDIATE');
  const commit = sqlite.prepare('COMMIT');
  const items: Item[] = [];

  function flush(): void {
    const group = items.splice(0, MAX_GROUP);
    if (items.length > 0) setImmediate(flush);
    const isDurable = group.some((item) => item.isDurable);
    if (isDurable) sqlite.pragma('synchronous = FULL');
    begin.run();
    for (const { work } of group) work();
    commit.run();
    if (isDurable) sqlite.pragma('synchronous = NORMAL');
    for (const { resolve } of group) resolve();
  }

  return (work, isDurable = false) =>
    new Promise((resolve) => {
      if (items.length === 0) setImmediate(flush);
      items.push({ work, isDurable, resolve });
    });
}
