// Listens for pairing connections while an invitation, a wait or a comparison is open.
import type { PeerNetwork } from '#main/sync/link/peer-network.ts';
import type { Clock } from '#shared/clock.ts';

export class PairingWindow {
  readonly #network: PeerNetwork;
  readonly #clock: Clock;
  #stopListening: (() => void) | null = null;
  #cancelTimer: () => void = () => undefined;

  constructor(network: PeerNetwork, clock: Clock) {
    this.#network = network;
    this.#clock = clock;
  }

  /** Resolves when it listens. Calls `review` at `until`, to decide whether it stays open. */
  async open(until: number, review: () => void): Promise<void> {
    this.#cancelTimer();
    this.#cancelTimer = this.#clock.wakeAt(until, review);
    if (this.#stopListening) return;
    // Set before the await, so that a concurrent call doesn't listen twice.
    const listening = this.#network.keepListening();
    this.#stopListening = () => void listening.then((stop) => stop());
    await listening;
  }

  /** False when it was closed before. */
  close(): boolean {
    this.#cancelTimer();
    if (!this.#stopListening) return false;
    this.#stopListening();
    this.#stopListening = null;
    return true;
  }
}
