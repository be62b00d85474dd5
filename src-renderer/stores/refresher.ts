// Coalesces reloads. One refresh runs at a time, and changes meanwhile are collected for the next
// one. Refreshes are throttled to protect a busy host.

export interface Wanted {
  /** Reload everything that is shown. */
  readonly everything: boolean;
  readonly ids: ReadonlySet<string>;
}

export interface Refresher {
  ids(ids: Iterable<string>): void;
  everything(): void;
  /** Skips the throttle, because a person is waiting. */
  nudge(): void;
  stop(): void;
}

/** Faster updates can't be followed by eye. */
const ROUND_DISTANCE_MS = 100;

/** For data that changes constantly and is expensive to load. */
export const WIDE_ROUND_DISTANCE_MS = 500;

/** `round` handles its own failures and never rejects. */
export function createRefresher(
  round: (wanted: Wanted) => Promise<void>,
  distanceMs = ROUND_DISTANCE_MS,
): Refresher {
  let everything = false;
  let ids = new Set<string>();
  let nudged = false;
  let running = false;
  let stopped = false;
  let distance: ReturnType<typeof setTimeout> | undefined;

  const wake = (): void => {
    if (stopped || running || distance !== undefined) return;
    if (everything || nudged || ids.size > 0) void run();
  };

  const run = async (): Promise<void> => {
    const wanted = { everything, ids };
    everything = false;
    nudged = false;
    ids = new Set();
    running = true;
    try {
      await round(wanted);
    } finally {
      running = false;
      distance = setTimeout(endDistance, distanceMs);
    }
    if (nudged || stopped) endDistance();
  };

  const endDistance = (): void => {
    clearTimeout(distance);
    distance = undefined;
    wake();
  };

  return {
    ids(more) {
      for (const id of more) ids.add(id);
      wake();
    },
    everything() {
      everything = true;
      wake();
    },
    nudge() {
      nudged = true;
      if (!running) endDistance();
    },
    stop() {
      stopped = true;
      clearTimeout(distance);
    },
  };
}
