// Dials one paired device again and again, longer apart each time, until it is called off.
import { LinkEnded } from '#main/sync/link/frame-stream.ts';
import type { Connected } from '#main/sync/link/connect.ts';
import type { LinkEnd } from '#main/sync/link/link.ts';
import { backoffDelay } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import { LINK_RETRY_BASE_MS, LINK_RETRY_MAX_MS } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';

/** A link that ends sooner counts as a failure: two devices that cannot agree must not spin. */
const SETTLED_MS = 60_000;
const BACKOFF = { baseMs: LINK_RETRY_BASE_MS, maxMs: LINK_RETRY_MAX_MS };

export interface RedialOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** The addresses to try now, the likeliest first. */
  readonly addresses: () => readonly string[];
  /** Rejects with `LinkEnded`. */
  readonly connect: (address: string, signal: AbortSignal) => Promise<Connected>;
  readonly onConnected: (connected: Connected, address: string) => void;
  readonly onFailed: (end: LinkEnd) => void;
}

export class Redial {
  readonly #options: RedialOptions;
  readonly #stopping = new AbortController();
  #failures = 0;
  #callOff: () => void = () => undefined;
  #isDialling = false;
  #isWanted = false;
  #linkedAt: number | null = null;

  constructor(options: RedialOptions) {
    this.#options = options;
  }

  /** Nothing is linked: dial now, or when it is time again. */
  want(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (this.#linkedAt !== null) {
      const lived = this.#options.clock.now() - this.#linkedAt;
      this.#failures = lived < SETTLED_MS ? this.#failures + 1 : 0;
      this.#linkedAt = null;
    }
    this.#wait();
  }

  /** There is news of it (it was seen nearby): do not wait. */
  hurry(): void {
    this.#failures = 0;
    if (this.#isWanted && !this.#isDialling) void this.#dial();
  }

  /** It is linked. */
  rest(): void {
    this.#isWanted = false;
    this.#linkedAt = this.#options.clock.now();
    this.#callOff();
  }

  stop(): void {
    this.rest();
    this.#stopping.abort();
  }

  #wait(): void {
    const { clock, random } = this.#options;
    this.#callOff();
    const delay = this.#failures === 0 ? 0 : backoffDelay(this.#failures, BACKOFF, random());
    this.#callOff = clock.wakeAt(clock.now() + delay, () => void this.#dial());
  }

  async #dial(): Promise<void> {
    if (!this.#isWanted || this.#isDialling) return;
    this.#callOff();
    this.#isDialling = true;
    const end = await this.#tryAll().finally(() => {
      this.#isDialling = false;
    });
    if (end === null || this.#stopping.signal.aborted) return;
    this.#failures += 1;
    this.#options.onFailed(end);
    if (this.#isWanted) this.#wait();
  }

  /** Null when one answered; else the reason that says most. */
  async #tryAll(): Promise<LinkEnd | null> {
    const { addresses, connect, onConnected } = this.#options;
    const { signal } = this.#stopping;
    let told = linkEnd('unreachable');
    for (const address of addresses()) {
      if (!this.#isWanted || signal.aborted) return null;
      try {
        const connected = await connect(address, signal);
        if (signal.aborted) connected.link.close(linkEnd('closed'));
        else onConnected(connected, address);
        return null;
      } catch (error) {
        if (!(error instanceof LinkEnded)) throw error;
        if (error.end.name !== 'unreachable') told = error.end;
      }
    }
    return told;
  }
}
