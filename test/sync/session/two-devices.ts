// Devices with real stores and sessions over memory links, with one virtual clock.
import { setImmediate as runSoon } from 'node:timers';
import { setImmediate } from 'node:timers/promises';
import { Session } from '#main/sync/session/session.ts';
import { createSyncContext, type SyncContext } from '#main/sync/session/sync-context.ts';
import { createVirtualClock, type VirtualClock } from '#test/support/virtual-clock.ts';
import { SYNC_PUSH_WINDOW_MS } from '#shared/limits.ts';
import type { SessionState } from '#shared/sync/session.ts';
import type { OpenOptions } from '#main/store/sqlite/database.ts';
import { openStore, type OpenStore } from '#test/support/open-store.ts';
import { linkPair, type LinkPair, type LinkPairOptions } from '#test/sync/session/memory-link.ts';

export interface Device {
  readonly id: string;
  readonly store: OpenStore;
  readonly context: SyncContext;
  readonly warnings: string[];
}

export interface Connection {
  readonly link: LinkPair;
  readonly sessions: readonly [Session, Session];
  /** All states of each side, in order. */
  readonly states: readonly [SessionState[], SessionState[]];
}

export const clockForAll = (): VirtualClock => createVirtualClock();

/** Sessions wait for fsyncs, and no test here waits for real time. */
export const AT_ONCE: OpenOptions = { fsync: (done) => void runSoon(done, null) };

export function device(id: string, clock: VirtualClock, path?: string, options = AT_ONCE): Device {
  return deviceOf(openStore(id, path, options, clock));
}

/** A device on a store that the test opened. */
export function deviceOf(store: OpenStore): Device {
  const warnings: string[] = [];
  const warn = (data: object): void => {
    warnings.push('name' in data ? String(data.name) : 'notice');
  };
  const context = createSyncContext({
    ...store.context,
    stores: store,
    log: { info: () => undefined, warn, error: warn },
  });
  return { id: store.context.deviceId, store, context, warnings };
}

export function connect(
  one: Device,
  other: Device,
  options: Omit<LinkPairOptions, 'ids'> = {},
): Connection {
  const link = linkPair({ ids: [one.id, other.id], ...options });
  const states: [SessionState[], SessionState[]] = [[], []];
  const sessions: [Session, Session] = [
    new Session(one.context, link.ends[0], (state) => states[0].push(state)),
    new Session(other.context, link.ends[1], (state) => states[1].push(state)),
  ];
  for (const session of sessions) session.start();
  return { link, sessions, states };
}

/** Waits until no frame is in transit, advancing the clock in small steps. */
export async function settle(clock: VirtualClock, ...connections: Connection[]): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet += 1) {
    await setImmediate();
    const before = connections.map(({ link }) => link.delivered.length).join();
    await clock.advance(SYNC_PUSH_WINDOW_MS);
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
    const isIdle = connections.every(({ link }) => link.isIdle);
    if (!isIdle || connections.map(({ link }) => link.delivered.length).join() !== before)
      quiet = 0;
  }
}
