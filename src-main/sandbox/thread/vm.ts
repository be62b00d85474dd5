// One QuickJS instance with our realm in it. It runs one phase at a time; before each phase its
// memory is restored to an image, so every phase starts in a fresh context.
import { EvalFlags, Intrinsics, QuickJS, type JSValueHandle } from 'quickjs-wasi';
import { HEAP_HEADROOM_BYTES, STACK_BYTES } from '#main/sandbox/limits.ts';
import { ENTRY_POINTS, type EntryPoint } from '#main/sandbox/realm/entry-points.ts';
import { HOLDFAST_MODULE, realmSource } from '#main/sandbox/realm/realm.ts';
import {
  captureImage,
  isSameImage,
  restoreImage,
  type MemoryImage,
} from '#main/sandbox/thread/memory-image.ts';

/** The phase that a VM runs. */
export interface VmListener {
  /** Called regularly while code runs. An exception ends the code; the VM is then unusable. */
  interrupt(vm: Vm): void;
  /** Milliseconds since the phase began. */
  elapsed(): number;
  /** `quoted` is JSON of the text. False: no more lines are accepted. */
  log(level: string, quoted: string): boolean;
  /** Reasons of rejected promises without a handler, by the identity of the promise. */
  readonly unhandled: Map<number, JSValueHandle>;
}

export interface Vm {
  listener: VmListener;
  /** The image right after start, before any user code. */
  readonly base: MemoryImage;
  memoryBytes(): number;
  /** After growth the memory cannot be restored to an image. */
  hasGrown(): boolean;
  capture(): MemoryImage;
  restore(image: MemoryImage): void;
  evaluate(code: string, fileName: string): void;
  call(entry: EntryPoint, argument?: string | JSValueHandle): string;
  runJobs(): void;
}

/** A text from the host does not fit into the memory of the phase. */
export class OutOfMemory extends Error {}

export interface VmOptions {
  readonly wasm: WebAssembly.Module;
  readonly memoryBytes: number;
  /** The base image of another VM with the same options. Images fit every VM with an equal base. */
  readonly base?: MemoryImage | undefined;
}

const NO_PHASE: VmListener = {
  interrupt: () => undefined,
  elapsed: () => 0,
  log: () => false,
  unhandled: new Map(),
};

/** The language without `performance`, `DOMException`, `atob` and `btoa`. */
const INTRINSICS =
  Intrinsics.ALL &
  ~(Intrinsics.PERFORMANCE | Intrinsics.DOM_EXCEPTION | Intrinsics.ATOB_BTOA) &
  0xfff;

export async function createVm({ wasm, memoryBytes, base }: VmOptions): Promise<Vm> {
  const state: { vm?: Vm; memory?: WebAssembly.Memory } = {};
  const listener = (): VmListener => state.vm?.listener ?? NO_PHASE;
  const buffer = (): ArrayBuffer => (state.memory as WebAssembly.Memory).buffer;

  const quickJs = await QuickJS.create({
    wasm,
    memoryLimit: memoryBytes,
    maxStackSize: STACK_BYTES,
    intrinsics: INTRINSICS,
    interruptHandler: () => {
      if (state.vm) listener().interrupt(state.vm);
      return false;
    },
    onUnhandledRejection: (promise, reason, isHandled) => {
      const { unhandled } = listener();
      // Both stay alive until the phase ends, so that no address is reused.
      if (isHandled) unhandled.delete(promise.identity);
      else unhandled.set(promise.dup().identity, reason.dup());
    },
    moduleLoader: {
      load: loadModule,
      normalize: (_base, name) => name,
    },
    wasi: (memory) => {
      state.memory = memory;
      return fixedClockAndRandom(memory);
    },
  });
  const entries = openRealm(quickJs, listener);
  // Handles that are used during phases must exist in the base image.
  const nothing = quickJs.undefined;
  const stackTop = quickJs.snapshot().stackPointer;
  const size = buffer().byteLength;
  const own = captureImage(buffer(), stackTop);
  if (base && !isSameImage(own, base)) throw new Error('Two VMs of one thread differ.');

  function textHandle(text: string): JSValueHandle {
    const handle = quickJs.newString(text);
    if (!handle.isString) throw new OutOfMemory();
    return handle;
  }

  state.vm = {
    listener: NO_PHASE,
    base: base ?? own,
    memoryBytes: () => buffer().byteLength - stackTop,
    hasGrown: () => buffer().byteLength !== size,
    capture: () => captureImage(buffer(), stackTop),
    restore: (image) => restoreImage(buffer(), stackTop, image),
    evaluate(code, fileName) {
      const module = quickJs.evalCode(code, fileName, EvalFlags.TYPE_MODULE);
      quickJs.callFunction(entries.adopt, nothing, module).dispose();
    },
    call(entry, argument) {
      const handle = typeof argument === 'string' ? textHandle(argument) : argument;
      const result = quickJs.callFunction(entries[entry], nothing, ...(handle ? [handle] : []));
      if (typeof argument === 'string') handle?.dispose();
      return result.consume((value) => (value.isString ? value.toString() : ''));
    },
    runJobs: () => void quickJs.executePendingJobs(),
  };
  return state.vm;
}

function openRealm(
  quickJs: QuickJS,
  listener: () => VmListener,
): Record<EntryPoint, JSValueHandle> {
  const host = quickJs.newObject();
  const { true: yes, false: no } = quickJs;
  const provide = (name: string, call: (...args: JSValueHandle[]) => JSValueHandle): void =>
    quickJs.setProp(host, name, quickJs.newFunction(name, call));
  provide('elapsed', () => quickJs.newNumber(listener().elapsed()));
  provide('log', (level, quoted) => (listener().log(String(level), String(quoted)) ? yes : no));
  provide('byteLength', (text) => quickJs.newNumber(Buffer.byteLength(String(text))));

  const open = quickJs.evalCode(realmSource(), 'holdfast:realm');
  const realm = quickJs.callFunction(open, quickJs.undefined, host);
  // Load the module now, so that scripts find it loaded.
  quickJs.evalCode(`import 'holdfast'`, 'holdfast:load', EvalFlags.TYPE_MODULE).dispose();
  quickJs.executePendingJobs();
  // Free heap for the phases: without it nearly every phase would grow the memory.
  quickJs.evalCode(`void new ArrayBuffer(${HEAP_HEADROOM_BYTES})`).dispose();
  return Object.fromEntries(ENTRY_POINTS.map((name) => [name, realm.getProp(name)])) as Record<
    EntryPoint,
    JSValueHandle
  >;
}

function loadModule(name: string): string {
  if (name === 'holdfast') return HOLDFAST_MODULE;
  throw new Error(`A workflow can import from 'holdfast' only, not from '${name}'.`);
}

/** The realm replaces `Date` and `Math.random`; QuickJS itself gets a fixed clock and no randomness. */
function fixedClockAndRandom(
  memory: WebAssembly.Memory,
): Record<string, (...args: never[]) => number> {
  return {
    clock_time_get(_clock: number, _precision: bigint, at: number): number {
      new DataView(memory.buffer).setBigUint64(at, 0n, true);
      return 0;
    },
    random_get(at: number, length: number): number {
      new Uint8Array(memory.buffer, at, length).fill(0);
      return 0;
    },
    fd_write: () => 0,
  };
}
