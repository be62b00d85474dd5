// Frames on a byte stream: four bytes of length, one byte of kind, then the content. The decoder accepts
// bytes from untrusted senders: an invalid frame ends the stream, and no memory is allocated for a
// length over the limit.

export const FRAME_KINDS = { data: 0, ping: 1, pong: 2, hello: 3, goodbye: 4 } as const;
export type FrameKind = keyof typeof FRAME_KINDS;

export interface Frame {
  readonly kind: FrameKind;
  readonly content: Uint8Array;
}

export type FrameFlaw = 'frame-too-large' | 'garbled';

const LENGTH_BYTES = 4;
const HEAD_BYTES = LENGTH_BYTES + 1;
const KIND_OF = new Map<number, FrameKind>(
  Object.entries(FRAME_KINDS).map(([kind, code]) => [code, kind as FrameKind]),
);

const EMPTY = new Uint8Array(0);

export function encodeHead(kind: FrameKind, contentLength: number): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  new DataView(head.buffer).setUint32(0, contentLength + 1);
  head[LENGTH_BYTES] = FRAME_KINDS[kind];
  return head;
}

/** The buffer of a long frame grows with the received bytes, not with the claimed length. */
const FIRST_BUFFER_BYTES = 64 * 1024;

/**
 * Push received bytes, then take frames until there are none. An error is permanent, because the start
 * of the next frame is unknown.
 */
export class FrameDecoder {
  /** May be raised once the peer is authenticated: received bytes are checked only in `take`. */
  maxContent: number;
  readonly #head = new Uint8Array(HEAD_BYTES);
  #headFilled = 0;
  #kind: FrameKind = 'data';
  #length = 0;
  #content: Uint8Array = EMPTY;
  #filled = 0;
  #pending: Uint8Array[] = [];
  #whole: Frame | null = null;
  #flaw: FrameFlaw | null = null;

  constructor(maxContent: number) {
    this.maxContent = maxContent;
  }

  push(bytes: Uint8Array): void {
    if (this.#flaw === null && bytes.length > 0) this.#pending.push(bytes);
  }

  /** A complete frame, null if more bytes are needed, or the error. */
  take(): Frame | FrameFlaw | null {
    while (this.#whole === null && this.#flaw === null) {
      const [bytes] = this.#pending;
      if (!bytes) return null;
      const used = this.#headFilled < HEAD_BYTES ? this.#takeHead(bytes) : this.#takeBody(bytes);
      if (used === bytes.length) this.#pending.shift();
      else this.#pending[0] = bytes.subarray(used);
    }
    if (this.#flaw !== null) {
      this.#pending = [];
      return this.#flaw;
    }
    const whole = this.#whole;
    this.#whole = null;
    return whole;
  }

  #takeHead(bytes: Uint8Array): number {
    const part = bytes.subarray(0, HEAD_BYTES - this.#headFilled);
    this.#head.set(part, this.#headFilled);
    this.#headFilled += part.length;
    if (this.#headFilled >= LENGTH_BYTES) this.#checkLength();
    if (this.#headFilled === HEAD_BYTES) this.#checkKind();
    return part.length;
  }

  #checkLength(): void {
    const length = new DataView(this.#head.buffer).getUint32(0);
    if (length === 0) this.#flaw = 'garbled';
    else if (length - 1 > this.maxContent) this.#flaw = 'frame-too-large';
    else this.#length = length - 1;
  }

  #checkKind(): void {
    const kind = KIND_OF.get(this.#head[LENGTH_BYTES] ?? -1);
    if (this.#flaw !== null) return;
    if (kind === undefined) {
      this.#flaw = 'garbled';
      return;
    }
    this.#kind = kind;
    if (this.#length === 0) this.#finish(EMPTY);
  }

  #takeBody(bytes: Uint8Array): number {
    const part = bytes.subarray(0, this.#length - this.#filled);
    if (part.length === this.#length) {
      this.#finish(part);
      return part.length;
    }
    this.#growBuffer(this.#filled + part.length);
    this.#content.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled === this.#length) this.#finish(this.#content.subarray(0, this.#length));
    return part.length;
  }

  #growBuffer(needed: number): void {
    if (this.#content.length >= needed) return;
    const wanted = Math.max(needed, this.#content.length * 2, FIRST_BUFFER_BYTES);
    const larger = new Uint8Array(Math.min(wanted, this.#length));
    larger.set(this.#content.subarray(0, this.#filled));
    this.#content = larger;
  }

  #finish(content: Uint8Array): void {
    this.#whole = { kind: this.#kind, content };
    this.#headFilled = 0;
    this.#content = EMPTY;
    this.#filled = 0;
  }
}
