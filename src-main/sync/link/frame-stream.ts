// Frames over one socket, with backpressure in both directions. Knows nothing about the peer.
import type { Duplex } from 'node:stream';
import type { LinkEnd } from '#main/sync/link/link.ts';
import type { Clock } from '#shared/clock.ts';
import { encodeHead, FrameDecoder, type Frame, type FrameKind } from '#shared/sync/frames.ts';
import { linkEnd, readGoodbye, writeGoodbye } from '#shared/sync/link-ends.ts';

/** How long to wait for the goodbye to be sent before the socket is destroyed. */
const GOODBYE_MS = 2000;

export class FrameStream {
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #decoder: FrameDecoder;
  readonly #onEnd = new Set<(end: LinkEnd) => void>();
  #onFrame: ((frame: Frame) => Promise<void> | void) | null = null;
  #isHandling = false;
  #end: LinkEnd | null = null;
  #lastReceived: number;

  constructor(socket: Duplex, clock: Clock, maxContent: number) {
    this.#socket = socket;
    this.#clock = clock;
    this.#decoder = new FrameDecoder(maxContent);
    this.#lastReceived = clock.now();
    socket.on('error', () => this.#finish(linkEnd('connection-lost')));
    socket.on('close', () => this.#finish(linkEnd('connection-lost')));
    socket.on('end', () => this.#finish(linkEnd('connection-lost')));
  }

  get end(): LinkEnd | null {
    return this.#end;
  }

  /** While a frame is handled nothing is read, so silence is not counted. */
  get silentSince(): number {
    return this.#isHandling ? this.#clock.now() : this.#lastReceived;
  }

  set maxContent(limit: number) {
    this.#decoder.maxContent = limit;
  }

  /** Starts reading. A later listener replaces the current one. */
  onFrame(listener: (frame: Frame) => Promise<void> | void): void {
    const isFirst = this.#onFrame === null;
    this.#onFrame = listener;
    if (!isFirst || this.#end) return;
    this.#socket.on('data', (bytes: Uint8Array) => this.#receive(bytes));
  }

  onEnd(listener: (end: LinkEnd) => void): void {
    if (this.#end) listener(this.#end);
    else this.#onEnd.add(listener);
  }

  /** Resolves when the next frame can be sent. */
  async send(kind: FrameKind, content: Uint8Array): Promise<void> {
    if (this.#end) throw new LinkEnded(this.#end);
    this.#socket.cork();
    this.#socket.write(encodeHead(kind, content.length));
    const hasRoom = this.#socket.write(content);
    this.#socket.uncork();
    if (!hasRoom) await this.#untilDrained();
  }

  /** Sends the reason and ends the stream for this side immediately. */
  close(end: LinkEnd): void {
    if (this.#end) return;
    void this.send('goodbye', writeGoodbye(end)).catch(() => undefined);
    this.#finish(end);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#end) return;
    this.#lastReceived = this.#clock.now();
    this.#decoder.push(bytes);
    if (!this.#isHandling) void this.#handleAll();
  }

  async #handleAll(): Promise<void> {
    this.#isHandling = true;
    this.#socket.pause();
    try {
      for (;;) {
        if (this.#end) return;
        const next = this.#decoder.take();
        if (next === null) return;
        if (typeof next === 'string') return this.close(linkEnd(next));
        if (next.kind === 'goodbye') return this.#finish(readGoodbye(next.content));
        await this.#onFrame?.(next);
      }
    } catch {
      this.close(linkEnd('listener-failed'));
    } finally {
      this.#isHandling = false;
      this.#lastReceived = this.#clock.now();
      this.#socket.resume();
    }
  }

  #untilDrained(): Promise<void> {
    return new Promise((resolve, reject) => {
      const drained = (): void => {
        this.#onEnd.delete(ended);
        resolve();
      };
      const ended = (end: LinkEnd): void => {
        this.#socket.off('drain', drained);
        reject(new LinkEnded(end));
      };
      this.#socket.once('drain', drained);
      this.onEnd(ended);
    });
  }

  #finish(end: LinkEnd): void {
    if (this.#end) return;
    this.#end = end;
    const listeners = [...this.#onEnd];
    this.#onEnd.clear();
    this.#closeSocket();
    for (const listener of listeners) listener(end);
  }

  /** Flushes written bytes, with a timeout in case the peer doesn't read. */
  #closeSocket(): void {
    if (this.#socket.destroyed) return;
    // Discards incoming bytes; unread, they would keep the socket from closing.
    this.#socket.resume();
    const cancelTimer = this.#clock.wakeAt(this.#clock.now() + GOODBYE_MS, () =>
      this.#socket.destroy(),
    );
    this.#socket.once('close', cancelTimer);
    // `end` instead of `destroy`: a reset could discard the goodbye.
    this.#socket.end();
  }
}

export class LinkEnded extends Error {
  readonly end: LinkEnd;

  constructor(end: LinkEnd) {
    super(end.message);
    this.name = 'LinkEnded';
    this.end = end;
  }
}
