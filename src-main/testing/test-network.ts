// The network of a test: calls to other machines get no connection while it is offline, and calls to a
// host while that is down. It survives crashes of the host.
import type { NetworkSource } from '#main/platform/network.ts';
import type { CallEnd } from '#shared/outside/host-gate.ts';
import { isLoopbackHost, type NetworkSighting } from '#shared/outside/network.ts';

const ONLINE: NetworkSighting = { addresses: ['192.0.2.1'], isOnline: true };
const OFFLINE: NetworkSighting = { addresses: [], isOnline: false };

export class TestNetwork implements NetworkSource {
  #isOnline: boolean;
  readonly #down = new Set<string>();
  readonly #listeners = new Set<() => void>();

  constructor(isOnline: boolean) {
    this.#isOnline = isOnline;
  }

  look(): NetworkSighting {
    return this.#isOnline ? ONLINE : OFFLINE;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  setOnline(isOnline: boolean): void {
    this.#isOnline = isOnline;
    for (const listener of this.#listeners) listener();
  }

  setDown(host: string, isDown: boolean): void {
    if (isDown) this.#down.add(host);
    else this.#down.delete(host);
  }

  /** How a call to this host ends; null if it gets a connection. */
  cut(host: string): Extract<CallEnd, { type: 'unreachable' }> | null {
    const isNetwork = !this.#isOnline && !isLoopbackHost(host);
    return isNetwork || this.#down.has(host) ? { type: 'unreachable', isNetwork } : null;
  }
}
