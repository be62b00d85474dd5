// Frames over one socket: read one by one at the pace of whoever listens, written at the pace of
// the other side. Knows nothing of who is at the other end.
import type { Duplex } from 'node:stream';
import type { LinkEnd } from '#main/sync/link/link.ts';
import type { Clock } from '#shared/clock.ts';
import { encodeHead, FrameDecoder, type Frame, type FrameKind } from '#shared/sync/frames.ts';
import { linkEnd, readGoodbye, writeGoodbye } from '#shared/sync/link-ends.ts';

/** How long a goodbye may take to leave before the socket is shut. */
const GOODBYE_MS = 2000;

export class FrameStream {
  readonly #socket: Duplex;
  readonly #clock: Clock;
  readonly #decoder: FrameDecoder;
  readonly #onEnd = new Set<(end: LinkEnd) => void>();
  #onFrame: ((frame: Frame) => Promise<void> | void) | null = null;
  #isHandling = false;
  #end: LinkEnd | null = null;
  #lastHeard: number;

  constructor(socket: Duplex, clock: Clock, maxContent: number) {
    this.#socket = socket;
    this.#clock = clock;
    this.#decoder = new FrameDecoder(maxContent);
    this.#lastHeard = clock.now();
    socket.on('error', () => this.#finish(linkEnd('connection-lost')));
    socket.on('close', () => this.#finish(linkEnd('connection-lost')));
    socket.on('end', () => this.#finish(linkEnd('connection-lost')));
  }

  get end(): LinkEnd | null {
    return this.#end;
  }

  /** While a frame is handled nothing is read, so nothing can be heard either. */
  get silentSince(): number {
    return this.#isHandling ? this.#clock.now() : this.#lastHeard;
  }

  set maxContent(limit: number) {
    this.#decoder.maxContent = limit;
  }

  /** From here on the stream is read. One listener at a time; a later one takes over. */
  onFrame(listener: (frame: Frame) => Promise<void> | void): void {
    const isFirst = this.#onFrame === null;
    this.#onFrame = listener;
    if (!isFirst || this.#end) return;
    this.#socket.on('data', (bytes: Uint8Array) => this.#hear(bytes));
  }

  onEnd(listener: (end: LinkEnd) => void): void {
    if (this.#end) listener(this.#end);
    else this.#onEnd.add(listener);
  }

  /** Resolves when there is room for the next one. */
  async send(kind: FrameKind, content: Uint8Array): Promise<void> {
    if (this.#end) throw new LinkEnded(this.#end);
    this.#socket.cork();
    this.#socket.write(encodeHead(kind, content.length));
    const hasRoom = this.#socket.write(content);
    this.#socket.uncork();
    if (!hasRoom) await this.#untilDrained();
  }

  /** Says why, where the other side may know it, and ends at once for this side. */
  close(end: LinkEnd): void {
    if (this.#end) return;
    void this.send('goodbye', writeGoodbye(end)).catch(() => undefined);
    this.#finish(end);
  }

  #hear(bytes: Uint8Array): void {
    if (this.#end) return;
    this.#lastHeard = this.#clock.now();
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
      this.#lastHeard = this.#clock.now();
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
    this.#shut();
    for (const listener of listeners) listener(end);
  }

  /** Lets what was written leave, but not for ever: the other side may not read. */
  #shut(): void {
    if (this.#socket.destroyed) return;
    // What still comes is thrown away; unread, it would keep the socket from closing.
    this.#socket.resume();
    const callOff = this.#clock.wakeAt(this.#clock.now() + GOODBYE_MS, () =>
      this.#socket.destroy(),
    );
    this.#socket.once('close', callOff);
    // Not destroyed at once: with bytes unread, the system would cut off the goodbye.
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
