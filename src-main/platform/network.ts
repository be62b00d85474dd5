// Reads the network state of this machine from the operating system.
import { networkInterfaces } from 'node:os';
import type { NetworkSighting } from '#shared/outside/network.ts';

export interface NetworkSource {
  look(): NetworkSighting;
  /** Calls the listener when the network may have changed, and returns an unsubscribe function. Without it,
   * the host looks every few seconds while something waits for the network. */
  readonly onChange?: (listener: () => void) => () => void;
}

export const systemNetwork: NetworkSource = {
  look: () => ({ addresses: addressesOf(networkInterfaces()), isOnline: true }),
};

/** Every Mac has link-local addresses without any network. */
const LINK_LOCAL = /^(?:fe[89ab]|169\.254\.)/i;

export function addressesOf(interfaces: ReturnType<typeof networkInterfaces>): string[] {
  return Object.values(interfaces)
    .flatMap((found = []) => found)
    .filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address))
    .map(({ address }) => address)
    .toSorted();
}
