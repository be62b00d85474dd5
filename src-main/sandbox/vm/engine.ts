// QuickJS as WebAssembly with a memory of its own, and the few of its functions that we call
// directly: by the library, texts would be copied character by character, and a text for which
// there is no room would overwrite what lies at address 0.
import {
  EvalFlags,
  Lifetime,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  RELEASE_SYNC,
  type BorrowedHeapCharPointer,
  type EitherFFI,
  type JSContextPointer,
  type JSRuntimePointer,
  type JSValuePointer,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
} from 'quickjs-emscripten';
import { TABLE_EXPORT } from '#main/sandbox/vm/edit-wasm.ts';
import { heapStart, leastPages, mostPages, WASM_PAGE } from '#main/sandbox/vm/layout.ts';

export interface Engine {
  readonly memory: WebAssembly.Memory;
  readonly table: WebAssembly.Table;
  readonly quickJs: QuickJSWASMModule;
  readonly ffi: EitherFFI;
  /** Bytes of heap. QuickJS counts only part of what it uses in WebAssembly; its memory does not lie. */
  memoryLimit: number;
  /** More than the limit was asked for: what broke since then broke by that. */
  hasReachedLimit: boolean;
}

/** Not even what the host brings has room. */
export class OutOfMemory extends Error {}

export async function createEngine(
  wasm: WebAssembly.Module,
  stackPointer: number,
): Promise<Engine> {
  const memory = new WebAssembly.Memory({
    initial: leastPages(stackPointer),
    maximum: mostPages(stackPointer),
  });
  let table: WebAssembly.Table | undefined;
  const instantiateWasm = (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports => {
    const instance = new WebAssembly.Instance(wasm, imports);
    table = instance.exports[TABLE_EXPORT] as WebAssembly.Table;
    done(instance);
    return instance.exports;
  };
  const quickJs = await newQuickJSWASMModuleFromVariant(
    newVariant(RELEASE_SYNC, {
      wasmMemory: memory,
      // What QuickJS prints when it gives up reaches us as an exception anyway.
      emscriptenModule: { instantiateWasm, printErr: () => {} } as object,
    }),
  );
  if (!table) throw new Error('QuickJS was not instantiated by us.');
  const engine = {
    memory,
    table,
    quickJs,
    ffi: quickJs.getFFI(),
    memoryLimit: Infinity,
    hasReachedLimit: false,
  };
  limitGrowth(engine, heapStart(stackPointer));
  return engine;
}

/** The library asks the memory to grow, and takes an exception for a no. */
function limitGrowth(engine: Engine, heapAt: number): void {
  const { memory } = engine;
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    if (memory.buffer.byteLength + pages * WASM_PAGE - heapAt > engine.memoryLimit) {
      engine.hasReachedLimit = true;
      throw new RangeError('The memory limit of this phase is reached.');
    }
    return grow(pages);
  };
}

export const runtimeAddress = (runtime: QuickJSRuntime): JSRuntimePointer =>
  (runtime as unknown as { readonly rt: { readonly value: JSRuntimePointer } }).rt.value;

export const contextAddress = (context: QuickJSContext): JSContextPointer =>
  (context as unknown as { readonly ctx: { readonly value: JSContextPointer } }).ctx.value;

export const handleAt = (context: QuickJSContext, address: number): QuickJSHandle =>
  new Lifetime(address as JSValuePointer, undefined, undefined, context.runtime) as QuickJSHandle;

export type VmResult =
  | { readonly value: QuickJSHandle; readonly error?: undefined }
  | { readonly error: QuickJSHandle };

export function evaluateModule(
  engine: Engine,
  context: QuickJSContext,
  code: string,
  fileName: string,
): VmResult {
  const [at, length] = write(engine, code);
  const value = engine.ffi.QTS_Eval(
    contextAddress(context),
    at,
    length,
    fileName,
    0 as Parameters<EitherFFI['QTS_Eval']>[4],
    EvalFlags.JS_EVAL_TYPE_MODULE as Parameters<EitherFFI['QTS_Eval']>[5],
  );
  free(engine, at);
  return resultOf(engine, context, value);
}

export function newText(engine: Engine, context: QuickJSContext, text: string): QuickJSHandle {
  const [at] = write(engine, text);
  const value = engine.ffi.QTS_NewString(contextAddress(context), at);
  free(engine, at);
  const result = resultOf(engine, context, value);
  if (result.error) throw new OutOfMemory();
  return result.value;
}

/** `slot`: room for one address, which is ours alone. */
export function callFunction(
  engine: Engine,
  context: QuickJSContext,
  slot: number,
  callee: QuickJSHandle,
  argument?: QuickJSHandle,
): VmResult {
  new DataView(engine.memory.buffer).setUint32(slot, argument?.value ?? 0, true);
  const value = engine.ffi.QTS_Call(
    contextAddress(context),
    callee.value,
    context.undefined.value,
    argument ? 1 : 0,
    slot as Parameters<EitherFFI['QTS_Call']>[4],
  );
  return resultOf(engine, context, value);
}

/** Runs so many jobs at most. Undefined: no job threw; else what it threw. */
export function runJobs(
  engine: Engine,
  context: QuickJSContext,
  slot: number,
  most: number,
): QuickJSHandle | undefined {
  const { ffi } = engine;
  const at = slot as Parameters<EitherFFI['QTS_ExecutePendingJob']>[2];
  // How many they were, or what was thrown.
  const value = ffi.QTS_ExecutePendingJob(runtimeAddress(context.runtime), most, at);
  const type = ffi.QTS_Typeof(contextAddress(context), value);
  const isCount = new Uint8Array(engine.memory.buffer)[type] === FIRST_OF_NUMBER;
  free(engine, type);
  return isCount ? undefined : handleAt(context, value);
}

export const hasJobs = (engine: Engine, context: QuickJSContext): boolean =>
  engine.ffi.QTS_IsJobPending(runtimeAddress(context.runtime)) !== 0;

/** Of the names of types, only that of numbers begins so. */
const FIRST_OF_NUMBER = 'n'.charCodeAt(0);

function resultOf(engine: Engine, context: QuickJSContext, value: JSValuePointer): VmResult {
  const error = engine.ffi.QTS_ResolveException(contextAddress(context), value);
  return error ? { error: handleAt(context, error) } : { value: handleAt(context, value) };
}

function write(engine: Engine, text: string): [at: BorrowedHeapCharPointer, length: number] {
  const length = Buffer.byteLength(text);
  const at = allocate(engine, length + 1);
  const bytes = Buffer.from(engine.memory.buffer, at, length + 1);
  bytes.write(text, 'utf8');
  bytes[length] = 0;
  return [at as BorrowedHeapCharPointer, length];
}

interface Heap {
  readonly module: {
    readonly _malloc: (size: number) => number;
    readonly _free: (address: number) => void;
  };
}

export function allocate({ quickJs }: Engine, bytes: number): number {
  const { _malloc: malloc } = (quickJs as unknown as Heap).module;
  const at = malloc(bytes);
  if (at === 0) throw new OutOfMemory();
  return at;
}

function free({ quickJs }: Engine, at: number): void {
  const { _free: release } = (quickJs as unknown as Heap).module;
  release(at);
}
