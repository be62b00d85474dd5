// Reads bytes of a peer with bounds checks; a violation refuses the frame.
import { Refused } from '#main/sync/changes/refused.ts';

export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw truncated();
    this.#at += 1;
    return value;
  }

  count(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) break;
      scale *= 128;
      if (scale > Number.MAX_SAFE_INTEGER) throw malformed('an endless number');
    }
    if (value > Number.MAX_SAFE_INTEGER) throw malformed('a number out of range');
    return value;
  }

  /** A count of items of at least one byte each, so it can't exceed the number of bytes. */
  countOf(): number {
    const value = this.count();
    if (value > this.#bytes.length) throw truncated();
    return value;
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw truncated();
    const value = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return value;
  }

  sized(): Buffer {
    return this.bytes(this.count());
  }

  int64(): bigint {
    return this.bytes(8).readBigInt64LE(0);
  }

  float64(): number {
    return this.bytes(8).readDoubleLE(0);
  }
}

export function malformed(what: string): Refused {
  return new Refused('malformed-frame', `The other device sent changes with ${what}.`);
}

function truncated(): Refused {
  return malformed('a truncated end');
}
