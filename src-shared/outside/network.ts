// Derives from observations whether this machine has a network. Pure. The result never forbids a call:
// it says what work waits for, and when to retry.

/** The network state that the operating system reports. */
export interface NetworkSighting {
  /** The addresses of this machine, without loopback and link-local ones. */
  readonly addresses: readonly string[];
  /** False if the system says that it is offline. */
  readonly isOnline: boolean;
}

export interface Network {
  /** Null until it was seen. */
  readonly seen: NetworkSighting | null;
  /** How the last connection to another machine ended. */
  readonly last: 'reached' | 'unreachable' | null;
  /** When another machine last answered. */
  readonly reachedAt: number;
}

export type NetworkEvent =
  | { readonly type: 'seen'; readonly sighting: NetworkSighting }
  /** Another machine answered. */
  | { readonly type: 'reached'; readonly at: number }
  /** No route, no name server: this concerns the network, unless another machine answers. */
  | { readonly type: 'unreachable'; readonly at: number };

export const UNSEEN: Network = { seen: null, last: null, reachedAt: -Infinity };

/** So long after an answer, a host without a route doesn't prove that the network is gone. */
const REACHED_RECENTLY_MS = 10_000;

export function networkAfter(network: Network, event: NetworkEvent): Network {
  switch (event.type) {
    case 'seen':
      // An answer counts more than what the system says, until the system says something else.
      return hasChanged(network.seen, event.sighting)
        ? { ...network, seen: event.sighting, last: null }
        : network;
    case 'reached':
      return { ...network, last: 'reached', reachedAt: event.at };
    case 'unreachable': {
      const age = event.at - network.reachedAt;
      if (network.last === 'unreachable' || (age >= 0 && age < REACHED_RECENTLY_MS)) return network;
      return { ...network, last: 'unreachable' };
    }
  }
}

export function isOffline({ seen, last }: Network): boolean {
  if (last === 'reached') return false;
  return last === 'unreachable' || (seen !== null && !isUsable(seen));
}

export function hasAddress({ seen }: Network): boolean {
  return seen === null || seen.addresses.length > 0;
}

/** Whether hosts that could not be reached may be reached now. */
export function mayBeBack(before: Network, after: Network): boolean {
  if (isOffline(before) && !isOffline(after)) return true;
  // Another network: its addresses are new, or the system says that it is online again.
  return (
    before.seen !== null &&
    after.seen !== null &&
    after.seen !== before.seen &&
    isUsable(after.seen)
  );
}

/** Loopback needs no network. */
export function isLoopbackHost(host: string): boolean {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d+$/, '');
  return (
    name === '::1' ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  );
}

function isUsable({ addresses, isOnline }: NetworkSighting): boolean {
  return addresses.length > 0 && isOnline;
}

function hasChanged(before: NetworkSighting | null, now: NetworkSighting): boolean {
  return (
    before === null ||
    before.isOnline !== now.isOnline ||
    before.addresses.join() !== now.addresses.join()
  );
}
