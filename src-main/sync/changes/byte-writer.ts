// Writes bytes into a buffer that grows as needed.
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  /** LEB128: seven bits per byte, lowest first; the last byte has its highest bit clear. */
  count(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest >= 128) {
      this.#bytes[this.#length] = (rest % 128) | 128;
      this.#length += 1;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  bytes(value: Uint8Array): void {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#length);
    this.#length += value.length;
  }

  sized(value: Uint8Array): void {
    this.count(value.length);
    this.bytes(value);
  }

  int64(value: bigint): void {
    this.#reserve(8);
    this.#bytes.writeBigInt64LE(value, this.#length);
    this.#length += 8;
  }

  float64(value: number): void {
    this.#reserve(8);
    this.#bytes.writeDoubleLE(value, this.#length);
    this.#length += 8;
  }

  /** The written bytes. The buffer is reused after `clear`. */
  view(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  #reserve(more: number): void {
    const wanted = this.#length + more;
    if (wanted <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(wanted, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
