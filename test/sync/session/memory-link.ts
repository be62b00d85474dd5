// A link in memory: complete frames in order, or the end. It can be cut after any frame, which loses
// everything in transit.
import type { Link, LinkEnd } from '#main/sync/link/link.ts';

/** Frames in transit before a sender must wait. */
const ROOM = 4;

export interface LinkPair {
  readonly ends: readonly [Link, Link];
  /** All frames that were delivered, in both directions. */
  readonly delivered: Uint8Array[];
  readonly isIdle: boolean;
  cut(): void;
}

export interface LinkPairOptions {
  readonly ids: readonly [string, string];
  /** Cut after this many delivered frames. */
  readonly cutAfter?: number;
  /** Changes a frame in transit. */
  readonly tamper?: (frame: Uint8Array) => Uint8Array;
}

export function linkPair(options: LinkPairOptions): LinkPair {
  const delivered: Uint8Array[] = [];
  const left = new MemoryEnd(options.ids[1]);
  const right = new MemoryEnd(options.ids[0]);
  const cut = (): void => {
    const end = { name: 'cut', message: 'The link was cut.' };
    left.end(end);
    right.end(end);
  };
  const deliver = (frame: Uint8Array): Uint8Array | null => {
    if (options.cutAfter !== undefined && delivered.length >= options.cutAfter) {
      cut();
      return null;
    }
    delivered.push(frame);
    return options.tamper?.(frame) ?? frame;
  };
  left.connect(right, deliver);
  right.connect(left, deliver);
  return {
    ends: [left, right],
    delivered,
    cut,
    get isIdle() {
      return left.isIdle && right.isIdle;
    },
  };
}

interface InTransit {
  readonly frame: Uint8Array;
  readonly sent: () => void;
  readonly failed: (error: Error) => void;
}

class MemoryEnd implements Link {
  readonly peerId: string;
  readonly #queue: InTransit[] = [];
  #other: MemoryEnd | undefined;
  #deliver: (frame: Uint8Array) => Uint8Array | null = (frame) => frame;
  #listener: ((frame: Uint8Array) => Promise<void> | void) | undefined;
  #closeListeners: ((end: LinkEnd) => void)[] = [];
  #end: LinkEnd | undefined;
  #isDelivering = false;

  constructor(peerId: string) {
    this.peerId = peerId;
  }

  connect(other: MemoryEnd, deliver: (frame: Uint8Array) => Uint8Array | null): void {
    this.#other = other;
    this.#deliver = deliver;
  }

  get isIdle(): boolean {
    return this.#queue.length === 0 && !this.#isDelivering;
  }

  get isListening(): boolean {
    return this.#listener !== undefined;
  }

  async take(frame: Uint8Array): Promise<void> {
    await this.#listener?.(frame);
  }

  send(frame: Uint8Array): Promise<void> {
    if (this.#end) return Promise.reject(new Error(this.#end.message));
    return new Promise((sent, failed) => {
      this.#queue.push({ frame, sent, failed });
      if (this.#queue.length <= ROOM) sent();
      void this.#work();
    });
  }

  onFrame(listener: (frame: Uint8Array) => Promise<void> | void): void {
    this.#listener = listener;
    if (this.#other) void this.#other.#work();
  }

  onClose(listener: (end: LinkEnd) => void): void {
    this.#closeListeners.push(listener);
  }

  close(end: LinkEnd): void {
    this.end(end);
    this.#other?.end({ name: 'closed', message: `The other side ended the link: ${end.name}.` });
  }

  end(end: LinkEnd): void {
    if (this.#end) return;
    this.#end = end;
    for (const { failed } of this.#queue.splice(0)) failed(new Error(end.message));
    for (const listener of this.#closeListeners) listener(end);
  }

  async #work(): Promise<void> {
    if (this.#isDelivering) return;
    this.#isDelivering = true;
    const other = this.#other;
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      if (!other?.isListening) break;
      await Promise.resolve();
      const frame = this.#end ? null : this.#deliver(next.frame);
      if (!frame) break;
      await other.take(frame);
      this.#queue.shift();
      next.sent();
      this.#queue[ROOM - 1]?.sent();
    }
    this.#isDelivering = false;
  }
}
