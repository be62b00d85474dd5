// Frames on a byte stream: four bytes of length, one byte of kind, then the content. The decoder
// takes any bytes from anybody: what does not fit ends the stream, and nothing is kept for a length
// that is over the limit.

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

export function encodeFrame(kind: FrameKind, content: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEAD_BYTES + content.length);
  frame.set(encodeHead(kind, content.length));
  frame.set(content, HEAD_BYTES);
  return frame;
}

/** A long frame gets its room as its bytes come, not by what it claims to be. */
const FIRST_ROOM_BYTES = 64 * 1024;

/**
 * Give it bytes as they come, take frames until there is none. After a flaw it stays flawed: the
 * place where the next frame would begin is lost.
 */
export class FrameDecoder {
  readonly #maxContent: number;
  readonly #head = new Uint8Array(HEAD_BYTES);
  #headFilled = 0;
  #kind: FrameKind = 'data';
  #length = 0;
  #content: Uint8Array = EMPTY;
  #filled = 0;
  #whole: Frame[] = [];
  #flaw: FrameFlaw | null = null;

  constructor(maxContent: number) {
    this.#maxContent = maxContent;
  }

  /** A frame has begun and is not whole yet. */
  get isWithinFrame(): boolean {
    return this.#headFilled > 0;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length && this.#flaw === null) {
      at += this.#headFilled < HEAD_BYTES ? this.#takeHead(bytes, at) : this.#takeBody(bytes, at);
    }
  }

  /** A whole frame, null when more bytes are needed, or what is wrong. */
  take(): Frame | FrameFlaw | null {
    return this.#whole.shift() ?? this.#flaw;
  }

  #takeHead(bytes: Uint8Array, at: number): number {
    const part = bytes.subarray(at, at + HEAD_BYTES - this.#headFilled);
    this.#head.set(part, this.#headFilled);
    this.#headFilled += part.length;
    if (this.#headFilled >= LENGTH_BYTES) this.#checkLength();
    if (this.#headFilled === HEAD_BYTES) this.#checkKind();
    return part.length;
  }

  #checkLength(): void {
    const length = new DataView(this.#head.buffer).getUint32(0);
    if (length === 0) this.#flaw = 'garbled';
    else if (length - 1 > this.#maxContent) this.#flaw = 'frame-too-large';
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

  #takeBody(bytes: Uint8Array, at: number): number {
    const part = bytes.subarray(at, at + this.#length - this.#filled);
    if (part.length === this.#length) {
      this.#finish(part);
      return part.length;
    }
    this.#makeRoom(this.#filled + part.length);
    this.#content.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled === this.#length) this.#finish(this.#content.subarray(0, this.#length));
    return part.length;
  }

  #makeRoom(needed: number): void {
    if (this.#content.length >= needed) return;
    const wanted = Math.max(needed, this.#content.length * 2, FIRST_ROOM_BYTES);
    const larger = new Uint8Array(Math.min(wanted, this.#length));
    larger.set(this.#content.subarray(0, this.#filled));
    this.#content = larger;
  }

  #finish(content: Uint8Array): void {
    this.#whole.push({ kind: this.#kind, content });
    this.#headFilled = 0;
    this.#content = EMPTY;
    this.#filled = 0;
  }
}
