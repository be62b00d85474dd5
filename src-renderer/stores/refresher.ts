// Asking again, coalesced. However many changes the feed names, one round is under way at a time;
// what comes meanwhile is gathered into the one round that follows. Rounds keep a distance, so
// that a busy host is not asked as fast as it can answer.

export interface Wanted {
  /** All that is shown. */
  readonly everything: boolean;
  readonly ids: ReadonlySet<string>;
}

export interface Refresher {
  ids(ids: Iterable<string>): void;
  everything(): void;
  /** Something to do that a person waits for: no distance is kept. */
  nudge(): void;
  stop(): void;
}

/** A person cannot follow more than this, and it is slow enough for any host. */
const ROUND_DISTANCE_MS = 100;

/** For what changes with everything that is done, and is costly to gather. */
export const WIDE_ROUND_DISTANCE_MS = 500;

/** `round` deals with its own failures: it never rejects. */
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
