// Asking again, coalesced. However many changes the feed names, one round is under way at a time;
// what comes meanwhile is gathered into the one round that follows. Rounds keep a distance, so
// that a busy host is not asked as fast as it can answer.

export interface RefreshRequest {
  /** All that is shown. */
  readonly isFull: boolean;
  readonly ids: ReadonlySet<string>;
}

export interface Refresher {
  refreshIds(ids: Iterable<string>): void;
  refreshAll(): void;
  /** Something to do that a person waits for: no distance is kept. */
  refreshNow(): void;
  stop(): void;
}

/** A person cannot follow more than this, and it is slow enough for any host. */
const REFRESH_INTERVAL_MS = 100;

/** For what changes with everything that is done, and is costly to gather. */
export const SLOW_REFRESH_INTERVAL_MS = 500;

/** `fetchRequested` deals with its own failures: it never rejects. */
export function createRefresher(
  fetchRequested: (request: RefreshRequest) => Promise<void>,
  intervalMs = REFRESH_INTERVAL_MS,
): Refresher {
  let isFull = false;
  let ids = new Set<string>();
  let isUrgent = false;
  let isRunning = false;
  let isStopped = false;
  let pause: ReturnType<typeof setTimeout> | undefined;

  const runIfRequested = (): void => {
    if (isStopped || isRunning || pause !== undefined) return;
    if (isFull || isUrgent || ids.size > 0) void run();
  };

  const run = async (): Promise<void> => {
    const request = { isFull, ids };
    isFull = false;
    isUrgent = false;
    ids = new Set();
    isRunning = true;
    try {
      await fetchRequested(request);
    } finally {
      isRunning = false;
      pause = setTimeout(endPause, intervalMs);
    }
    if (isUrgent || isStopped) endPause();
  };

  const endPause = (): void => {
    clearTimeout(pause);
    pause = undefined;
    runIfRequested();
  };

  return {
    refreshIds(more) {
      for (const id of more) ids.add(id);
      runIfRequested();
    },
    refreshAll() {
      isFull = true;
      runIfRequested();
    },
    refreshNow() {
      isUrgent = true;
      if (!isRunning) endPause();
    },
    stop() {
      isStopped = true;
      clearTimeout(pause);
    },
  };
}
