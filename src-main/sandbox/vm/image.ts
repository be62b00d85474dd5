// Memory images: the state of a machine as the blocks in which it differs from the base, which
// every machine of a thread shares. Putting one back costs a copy of a few hundred KiB, a tenth of
// what a new context costs, and brings back everything exactly: nothing can survive it.
import { BLOCK, dataEnd, heapStart } from '#main/sandbox/vm/layout.ts';

export interface BaseImage {
  readonly data: Uint8Array;
  /** Without the zeros at its end. */
  readonly heap: Uint8Array;
}

export interface Image {
  /** Addresses of the blocks in `bytes`. */
  readonly addresses: Uint32Array;
  readonly bytes: Uint8Array;
}

const ZEROS = Buffer.alloc(BLOCK);

export function captureBase(memory: WebAssembly.Memory, stackPointer: number): BaseImage {
  const all = Buffer.from(memory.buffer);
  let end = all.length;
  while (end > heapStart(stackPointer) && ZEROS.equals(all.subarray(end - BLOCK, end)))
    end -= BLOCK;
  return {
    data: Uint8Array.from(all.subarray(0, dataEnd(stackPointer))),
    heap: Uint8Array.from(all.subarray(heapStart(stackPointer), end)),
  };
}

export function restoreBase(
  memory: WebAssembly.Memory,
  base: BaseImage,
  stackPointer: number,
): void {
  const all = new Uint8Array(memory.buffer);
  const heapAt = heapStart(stackPointer);
  all.set(base.data, 0);
  all.set(base.heap, heapAt);
  // The stack is left as it is: what lies below the pointer is dead to the code that uses it.
  all.fill(0, heapAt + base.heap.length);
}

export function captureImage(
  memory: WebAssembly.Memory,
  base: BaseImage,
  stackPointer: number,
): Image {
  const all = Buffer.from(memory.buffer);
  const heapAt = heapStart(stackPointer);
  const addresses: number[] = [];
  for (let at = 0; at < base.data.length; at += BLOCK) {
    if (differs(all, at, base.data, at)) addresses.push(at);
  }
  for (let at = heapAt; at < all.length; at += BLOCK) {
    if (differs(all, at, base.heap, at - heapAt)) addresses.push(at);
  }
  const bytes = new Uint8Array(addresses.length * BLOCK);
  addresses.forEach((from, index) => bytes.set(all.subarray(from, from + BLOCK), index * BLOCK));
  return { addresses: Uint32Array.from(addresses), bytes };
}

/** Onto the base. */
export function applyImage(memory: WebAssembly.Memory, image: Image): void {
  const all = new Uint8Array(memory.buffer);
  image.addresses.forEach((to, index) =>
    all.set(image.bytes.subarray(index * BLOCK, (index + 1) * BLOCK), to),
  );
}

/** Beyond its end the base is zero. */
function differs(all: Buffer, at: number, base: Uint8Array, baseAt: number): boolean {
  const block = all.subarray(at, at + BLOCK);
  return baseAt < base.length
    ? block.compare(base, baseAt, baseAt + BLOCK) !== 0
    : !ZEROS.equals(block);
}
