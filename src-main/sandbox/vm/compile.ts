// QuickJS, compiled once by the host and shared by all threads.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { editWasm } from '#main/sandbox/vm/edit-wasm.ts';
import { leastPages } from '#main/sandbox/vm/layout.ts';

export interface CompiledQuickJs {
  readonly wasm: WebAssembly.Module;
  readonly stackPointer: number;
}

let compiled: Promise<CompiledQuickJs> | undefined;

export function compileQuickJs(): Promise<CompiledQuickJs> {
  compiled ??= compile();
  return compiled;
}

async function compile(): Promise<CompiledQuickJs> {
  const original = await readFile(findBinary());
  // The stack pointer says where the heap begins, which says how many pages are the least.
  const { stackPointer } = editWasm(original, 1);
  const { bytes } = editWasm(original, leastPages(stackPointer));
  return { wasm: await WebAssembly.compile(bytes), stackPointer };
}

/** The binary belongs to a package of quickjs-emscripten, so it is looked up from there. */
function findBinary(): string {
  const library = createRequire(import.meta.url).resolve('quickjs-emscripten');
  return createRequire(library).resolve('@jitl/quickjs-wasmfile-release-sync/wasm');
}
