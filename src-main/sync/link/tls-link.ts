// A link over TLS to a device whose key was checked. The one that dialled asks now and then whether
// the other is still there; both end a link on which nothing was heard for too long.
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
  /** Frames that come before anybody listens wait in the socket. */
  readonly #listener = Promise.withResolvers<FrameListener>();
  #callOff: () => void = () => undefined;

  constructor({ peerId, isDialledByUs, stream, clock, log }: TlsLinkOptions) {
    this.peerId = peerId;
    this.isDialledByUs = isDialledByUs;
    this.#stream = stream;
    this.#clock = clock;
    this.#log = log;
    stream.maxContent = MAX_FRAME_BYTES;
    stream.onFrame((frame) => this.#take(frame));
    stream.onEnd(() => this.#callOff());
    this.#watch();
  }

  get end(): LinkEnd | null {
    return this.#stream.end;
  }

  async send(frame: Uint8Array): Promise<void> {
    if (frame.length > MAX_FRAME_BYTES) {
      throw new RangeError(`A frame has at most ${MAX_FRAME_BYTES} bytes, not ${frame.length}.`);
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

  /** Ends the link unless the other side is heard of soon. */
  probe(): void {
    const asked = this.#clock.now();
    this.#say('ping');
    const callOff = this.#clock.wakeAt(asked + LINK_PROBE_MS, () => {
      if (this.#stream.silentSince <= asked) this.close(linkEnd('silent'));
    });
    this.onClose(callOff);
  }

  async #take({ kind, content }: Frame): Promise<void> {
    if (kind === 'ping') return this.#say('pong');
    if (kind === 'pong') return undefined;
    if (kind !== 'data') return this.close(linkEnd('garbled'));
    const listener = await this.#listener.promise;
    try {
      await listener(content);
    } catch (error) {
      // Whoever listens ends the link itself where the other side is to blame.
      if (!(error instanceof LinkEnded)) {
        this.#log.error({ err: error, peer: this.peerId }, 'a frame could not be handled');
      }
      this.close(linkEnd('listener-failed'));
    }
  }

  #say(kind: 'ping' | 'pong'): void {
    void this.#stream.send(kind, NOTHING).catch(() => undefined);
  }

  #watch(): void {
    if (this.#stream.end) return;
    const next = this.isDialledByUs
      ? this.#clock.now() + LINK_PING_MS
      : this.#stream.silentSince + LINK_SILENCE_MS;
    this.#callOff = this.#clock.wakeAt(next, () => {
      const silent = this.#clock.now() - this.#stream.silentSince;
      if (silent >= LINK_SILENCE_MS) return this.close(linkEnd('silent'));
      if (this.isDialledByUs) this.#say('ping');
      return this.#watch();
    });
  }
}
