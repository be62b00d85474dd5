// Reads what others wrote: every step is within bounds, or the frame is refused.
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
    if (value === undefined) throw cutOff();
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
      if (scale > Number.MAX_SAFE_INTEGER) throw malformed('a number that never ends');
    }
    if (value > Number.MAX_SAFE_INTEGER) throw malformed('a number that is too large');
    return value;
  }

  /** A count of things that each take at least one byte: more than there are bytes is a lie. */
  countOf(): number {
    const value = this.count();
    if (value > this.#bytes.length) throw cutOff();
    return value;
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw cutOff();
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

function cutOff(): Refused {
  return malformed('an end in the middle');
}
