// Coalesces reloads. One refresh runs at a time, and changes meanwhile are collected for the next
// one. Refreshes are throttled to protect a busy host.

export interface RefreshRequest {
  /** Reload everything that is shown. */
  readonly isFull: boolean;
  readonly ids: ReadonlySet<string>;
}

export interface Refresher {
  refreshIds(ids: Iterable<string>): void;
  refreshAll(): void;
  /** Skips the throttle, because a person is waiting. */
  refreshNow(): void;
  stop(): void;
}

/** Faster updates can't be followed by eye. */
const REFRESH_INTERVAL_MS = 100;

/** For data that changes constantly and is expensive to load. */
export const SLOW_REFRESH_INTERVAL_MS = 500;

/** `fetchRequested` handles its own failures and never rejects. */
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
