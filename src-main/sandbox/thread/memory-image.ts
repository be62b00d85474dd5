// Memory images: the non-zero blocks of a VM's linear memory. Restoring one costs a tenth of
// creating a context, and leaves nothing of the previous phase behind.

const BLOCK = 4096;
const ZEROS = Buffer.alloc(BLOCK);

export interface MemoryImage {
  /** Addresses of the blocks in `bytes`. */
  readonly addresses: Uint32Array;
  readonly bytes: Uint8Array;
}

/** `from`: the top of the stack, which grows down. The memory below it is unused while no code runs. */
export function captureImage(buffer: ArrayBuffer, from: number): MemoryImage {
  const all = Buffer.from(buffer);
  const addresses: number[] = [];
  for (let at = from; at < all.length; at += BLOCK) {
    if (!ZEROS.equals(all.subarray(at, at + BLOCK))) addresses.push(at);
  }
  const bytes = new Uint8Array(addresses.length * BLOCK);
  addresses.forEach((at, index) => bytes.set(all.subarray(at, at + BLOCK), index * BLOCK));
  return { addresses: Uint32Array.from(addresses), bytes };
}

export function restoreImage(buffer: ArrayBuffer, from: number, image: MemoryImage): void {
  const all = new Uint8Array(buffer);
  all.fill(0, from);
  image.addresses.forEach((at, index) =>
    all.set(image.bytes.subarray(index * BLOCK, (index + 1) * BLOCK), at),
  );
}

export const isSameImage = (one: MemoryImage, other: MemoryImage): boolean =>
  Buffer.compare(one.bytes, other.bytes) === 0 &&
  one.addresses.every((at, index) => at === other.addresses[index]);
