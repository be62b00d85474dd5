// How the linear memory of QuickJS is laid out: data, stack (5 MiB, growing down), heap.
import { HEAP_HEADROOM_BYTES, MAX_MEMORY_BYTES } from '#main/sandbox/limits.ts';

export const WASM_PAGE = 65_536;
/** Images are kept and compared in blocks of this size. */
export const BLOCK = 4096;

/** What the linker gave QuickJS (STACK_SIZE of quickjs-emscripten). */
const STACK_SIZE = 5 * 1024 * 1024;

export const leastPages = (stackPointer: number): number =>
  Math.ceil((stackPointer + HEAP_HEADROOM_BYTES) / WASM_PAGE);

/** The heap limit is counted by QuickJS; here is room for its overhead and fragmentation. */
export const mostPages = (stackPointer: number): number =>
  Math.ceil((stackPointer + MAX_MEMORY_BYTES * 1.25) / WASM_PAGE);

/** Data ends where the stack may reach at most. */
export const dataEnd = (stackPointer: number): number =>
  Math.ceil((stackPointer - STACK_SIZE) / BLOCK) * BLOCK;

export const heapStart = (stackPointer: number): number => Math.floor(stackPointer / BLOCK) * BLOCK;
