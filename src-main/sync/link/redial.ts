// Dials one paired device with exponential backoff until it is linked or stopped.
import { LinkEnded } from '#main/sync/link/frame-stream.ts';
import type { Connected } from '#main/sync/link/connect.ts';
import type { LinkEnd } from '#main/sync/link/link.ts';
import { backoffDelay } from '#shared/backoff.ts';
import type { Clock } from '#shared/clock.ts';
import { LINK_RETRY_BASE_MS, LINK_RETRY_MAX_MS } from '#shared/limits.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';

/** A link that ends sooner counts as a failure, so that two incompatible devices don't loop. */
const SETTLED_MS = 60_000;
const BACKOFF = { baseMs: LINK_RETRY_BASE_MS, maxMs: LINK_RETRY_MAX_MS };

export interface RedialOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** The addresses to try, most likely first. */
  readonly addresses: () => readonly string[];
  /** Rejects with `LinkEnded`. */
  readonly connect: (address: string, signal: AbortSignal) => Promise<Connected>;
  readonly onConnected: (connected: Connected, address: string) => void;
  readonly onFailed: (end: LinkEnd) => void;
  /** Something else failed, such as a write to a full disk. */
  readonly onError: (error: unknown) => void;
}

export class Redial {
  readonly #options: RedialOptions;
  readonly #stopping = new AbortController();
  #failures = 0;
  #cancelTimer: () => void = () => undefined;
  #isDialling = false;
  #isStarted = false;
  #linkedAt: number | null = null;

  constructor(options: RedialOptions) {
    this.#options = options;
  }

  /** Starts dialling, after the backoff of earlier failures. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.#linkedAt !== null) {
      const lived = this.#options.clock.now() - this.#linkedAt;
      this.#failures = lived < SETTLED_MS ? this.#failures + 1 : 0;
      this.#linkedAt = null;
    }
    this.#wait();
  }

  /** Dials immediately, for example when the device was discovered. */
  dialNow(): void {
    this.#failures = 0;
    if (this.#isStarted && !this.#isDialling) void this.#dialOrWait();
  }

  /** Call when the device is linked. */
  pause(): void {
    this.#isStarted = false;
    this.#linkedAt = this.#options.clock.now();
    this.#cancelTimer();
  }

  stop(): void {
    this.pause();
    this.#stopping.abort();
  }

  #wait(): void {
    const { clock, random } = this.#options;
    this.#cancelTimer();
    const delay = this.#failures === 0 ? 0 : backoffDelay(this.#failures, BACKOFF, random());
    this.#cancelTimer = clock.wakeAt(clock.now() + delay, () => void this.#dialOrWait());
  }

  /** Dials again later if a full disk can't store what a connection brought. */
  async #dialOrWait(): Promise<void> {
    try {
      await this.#dial();
    } catch (error) {
      this.#options.onError(error);
      this.#failures += 1;
      if (this.#isStarted) this.#wait();
    }
  }

  async #dial(): Promise<void> {
    if (!this.#isStarted || this.#isDialling) return;
    this.#cancelTimer();
    this.#isDialling = true;
    const end = await this.#tryAll().finally(() => {
      this.#isDialling = false;
    });
    if (end === null || this.#stopping.signal.aborted) return;
    this.#failures += 1;
    this.#options.onFailed(end);
    if (this.#isStarted) this.#wait();
  }

  /** Null when one address succeeded; else the most informative reason. */
  async #tryAll(): Promise<LinkEnd | null> {
    const { addresses, connect, onConnected } = this.#options;
    const { signal } = this.#stopping;
    let reason = linkEnd('unreachable');
    for (const address of addresses()) {
      if (!this.#isStarted || signal.aborted) return null;
      try {
        const connected = await connect(address, signal);
        if (signal.aborted) connected.link.close(linkEnd('closed'));
        else onConnected(connected, address);
        return null;
      } catch (error) {
        if (!(error instanceof LinkEnded)) throw error;
        if (error.end.name !== 'unreachable') reason = error.end;
      }
    }
    return reason;
  }
}
