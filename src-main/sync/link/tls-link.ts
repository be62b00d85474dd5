// A link over TLS to a device whose key was checked. The side that dialled sends pings; both sides end
// a link that is silent for too long.
import type { Logger } from 'pino';
import type { FrameStream } from '#main/sync/link/frame-stream.ts';
import { LinkEnded } from '#main/sync/link/frame-stream.ts';
import type { Link, LinkEnd } from '#main/sync/link/link.ts';
import type { Clock } from '#shared/clock.ts';
import { LINK_PING_MS, LINK_PROBE_MS, LINK_SILENCE_MS, MAX_FRAME_BYTES } from '#shared/limits.ts';
import type { Frame } from '#shared/sync/frames.ts';
import { linkEnd } from '#shared/sync/link-ends.ts';

const NOTHING = new Uint8Array(0);

type FrameListener = (frame: Uint8Array) => Promise<void> | void;

export interface TlsLinkOptions {
  readonly peerId: string;
  readonly isDialledByUs: boolean;
  readonly stream: FrameStream;
  readonly clock: Clock;
  readonly log: Logger;
}

export class TlsLink implements Link {
  readonly peerId: string;
  readonly isDialledByUs: boolean;
  readonly #stream: FrameStream;
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Frames wait in the socket until a listener is set. */
  readonly #listener = Promise.withResolvers<FrameListener>();
  #cancelTimer: () => void = () => undefined;

  constructor({ peerId, isDialledByUs, stream, clock, log }: TlsLinkOptions) {
    this.peerId = peerId;
    this.isDialledByUs = isDialledByUs;
    this.#stream = stream;
    this.#clock = clock;
    this.#log = log;
    stream.maxContent = MAX_FRAME_BYTES;
    stream.onFrame((frame) => this.#receive(frame));
    stream.onEnd(() => this.#cancelTimer());
    this.#watch();
  }

  get end(): LinkEnd | null {
    return this.#stream.end;
  }

  async send(frame: Uint8Array): Promise<void> {
    if (frame.length > MAX_FRAME_BYTES) {
      throw new RangeError(
        `A frame must have at most ${MAX_FRAME_BYTES} bytes, not ${frame.length}.`,
      );
    }
    await this.#stream.send('data', frame);
  }

  onFrame(listener: FrameListener): void {
    this.#listener.resolve(listener);
  }

  onClose(listener: (reason: LinkEnd) => void): void {
    this.#stream.onEnd(listener);
  }

  close(reason: LinkEnd): void {
    this.#stream.close(reason);
  }

  /** Ends the link unless the peer responds soon. */
  probe(): void {
    const probedAt = this.#clock.now();
    this.#sendEmpty('ping');
    const cancelTimer = this.#clock.wakeAt(probedAt + LINK_PROBE_MS, () => {
      if (this.#stream.silentSince <= probedAt) this.close(linkEnd('silent'));
    });
    this.onClose(cancelTimer);
  }

  async #receive({ kind, content }: Frame): Promise<void> {
    if (kind === 'ping') return this.#sendEmpty('pong');
    if (kind === 'pong') return undefined;
    if (kind !== 'data') return this.close(linkEnd('garbled'));
    const listener = await this.#listener.promise;
    try {
      await listener(content);
    } catch (error) {
      // The listener itself ends the link when the peer is at fault.
      if (!(error instanceof LinkEnded)) {
        this.#log.error({ err: error, peer: this.peerId }, 'could not handle a frame');
      }
      this.close(linkEnd('listener-failed'));
    }
  }

  #sendEmpty(kind: 'ping' | 'pong'): void {
    void this.#stream.send(kind, NOTHING).catch(() => undefined);
  }

  #watch(): void {
    if (this.#stream.end) return;
    const next = this.isDialledByUs
      ? this.#clock.now() + LINK_PING_MS
      : this.#stream.silentSince + LINK_SILENCE_MS;
    this.#cancelTimer = this.#clock.wakeAt(next, () => {
      const silent = this.#clock.now() - this.#stream.silentSince;
      if (silent >= LINK_SILENCE_MS) return this.close(linkEnd('silent'));
      if (this.isDialledByUs) this.#sendEmpty('ping');
      return this.#watch();
    });
  }
}
