// One QuickJS with one context and our realm in it. It is used for one phase at a time; between
// phases its memory is put back to an image, so that each phase has a context as good as new.
import type { JSValuePointer, QuickJSContext, QuickJSHandle } from 'quickjs-emscripten';
import { STACK_BYTES } from '#main/sandbox/limits.ts';
import { HOLDFAST_MODULE } from '#main/sandbox/realm/realm.ts';
import {
  allocate,
  callFunction,
  contextAddress,
  createEngine,
  evaluateModule,
  handleAt,
  hasJobs,
  newText,
  runJobs,
  runtimeAddress,
  type Engine,
  type VmResult,
} from '#main/sandbox/vm/engine.ts';
import * as images from '#main/sandbox/vm/image.ts';
import { DOORS, openRealm, type Door, type RealmHost } from '#main/sandbox/vm/open-realm.ts';
import { setInterruptAndRejectionHooks } from '#main/sandbox/vm/rejections.ts';

/** What a machine tells the phase that it carries. */
export interface Listener extends RealmHost {
  /** True ends what computes now. */
  interrupted(machine: Machine): boolean;
  /** Promises that are rejected and that nobody handles, with the address of their reason. */
  readonly unhandled: Map<bigint, number>;
}

export interface Machine {
  readonly engine: Engine;
  readonly context: QuickJSContext;
  readonly origin: Origin;
  listener: Listener;
  /** Its memory grew: images of other machines no longer fit, nor its own elsewhere. */
  hasGrown(): boolean;
  capture(): images.Image;
  /** Without an image: to the base, before any code of a person. */
  restore(image?: images.Image): void;
  /** As `restore`, for a phase that has not come yet. */
  foresee(image?: images.Image): void;
  newText(text: string): QuickJSHandle;
  evaluate(code: string, fileName: string): VmResult;
  call(door: Door, argument?: QuickJSHandle): VmResult;
  hasJobs(): boolean;
  /** Undefined: no job threw; else what it threw. */
  runJobs(most: number): QuickJSHandle | undefined;
  /** The value at an address, as reported by `unhandled`. */
  valueAt(address: number): QuickJSHandle;
}

/** All machines of a thread start from the image of the first: so an image fits each of them,
 * as long as everything that we hold on to has the same address in all. */
export interface Origin {
  readonly image: images.BaseImage;
  readonly addresses: readonly number[];
}

const NOBODY: Listener = {
  interrupted: () => false,
  elapsed: () => 0,
  log: () => false,
  unhandled: new Map(),
};

export async function createMachine(
  wasm: WebAssembly.Module,
  stackPointer: number,
  first?: Origin,
): Promise<Machine> {
  const engine = await createEngine(wasm, stackPointer);
  const { memory } = engine;
  const sizeAtStart = memory.buffer.byteLength;
  const runtime = engine.quickJs.newRuntime();
  runtime.setMaxStackSize(STACK_BYTES);
  const scratch = allocate(engine, 8);
  const carried = { listener: NOBODY };
  let machine: Machine | undefined;
  setInterruptAndRejectionHooks(
    engine,
    runtime,
    () => machine !== undefined && carried.listener.interrupted(machine),
    (promise, reason, isHandled) => {
      const { unhandled } = carried.listener;
      if (isHandled) unhandled.delete(promise);
      else unhandled.set(promise, keep(promise, reason));
    },
  );
  runtime.setModuleLoader(
    (name) => (name === 'holdfast' ? HOLDFAST_MODULE : { error: cannotImport(name) }),
    // Names stay as they are written: there is nothing that a path could lead to.
    (_base, name) => name,
  );
  const context = runtime.newContext();
  const doors = openRealm(context, () => carried.listener);

  /** Both live on until the phase is over: an address that is used again would confuse us. */
  function keep(promise: bigint, reason: bigint): number {
    hold(promise);
    return hold(reason);
  }

  function hold(value: bigint): number {
    new DataView(memory.buffer).setBigInt64(scratch, value, true);
    return engine.ffi.QTS_DupValuePointer(contextAddress(context), scratch as JSValuePointer);
  }

  const addresses = [
    runtimeAddress(runtime),
    contextAddress(context),
    scratch,
    ...DOORS.map((door) => doors[door].value),
  ];
  if (first && addresses.some((address, index) => address !== first.addresses[index])) {
    throw new Error('Two machines of one thread are not alike.');
  }
  /** What it was put back to, while nothing has been done with it since. */
  let untouched: images.Image | 'base' | null = null;
  const origin = first ?? { image: images.captureBase(memory, stackPointer), addresses };

  machine = Object.assign(carried, {
    engine,
    context,
    origin,
    hasGrown: () => memory.buffer.byteLength !== sizeAtStart,
    capture: () => images.captureImage(memory, origin.image, stackPointer),
    restore(this: Machine, image?: images.Image) {
      this.foresee(image);
      untouched = null;
    },
    foresee(image?: images.Image) {
      if (untouched === (image ?? 'base')) return;
      if (untouched !== 'base') images.restoreBase(memory, origin.image, stackPointer);
      if (image) images.applyImage(memory, image);
      untouched = image ?? 'base';
    },
    newText: (text: string) => newText(engine, context, text),
    evaluate: (code: string, fileName: string) => evaluateModule(engine, context, code, fileName),
    call: (door: Door, argument?: QuickJSHandle) =>
      callFunction(engine, context, scratch, doors[door], argument),
    hasJobs: () => hasJobs(engine, context),
    runJobs: (most: number) => runJobs(engine, context, scratch, most),
    valueAt: (address: number) => handleAt(context, address),
  });
  return machine;
}

const cannotImport = (name: string): Error =>
  new Error(`A workflow can import from 'holdfast' only, not from '${name}'.`);
