// QuickJS tells its embedder when a promise is rejected without a handler, and when one is added
// later. The library does not pass that on, so we put a function of ours into the slot of the
// runtime. The slot is found by what surrounds it, never by a fixed number: behind the interrupt
// handler that was just set, before the empty list of jobs. If that does not fit, nothing is
// written and the machine refuses to start.
import type { QuickJSRuntime } from 'quickjs-emscripten';
import { runtimeAddress, type Engine } from '#main/sandbox/vm/engine.ts';

export type OnRejection = (promise: bigint, reason: bigint, isHandled: boolean) => void;

const STRUCT_WORDS = 128;

/** Module with one import `m.f: (i32, i64, i64, i32, i32) -> ()`, exported again as `f`: a table
 * takes functions of WebAssembly only. */
// prettier-ignore
const BRIDGE = Uint8Array.of(
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
  1, 9, 1, 0x60, 5, 0x7f, 0x7e, 0x7e, 0x7f, 0x7f, 0,
  2, 7, 1, 1, 0x6d, 1, 0x66, 0, 0,
  7, 5, 1, 1, 0x66, 0, 0,
);
const bridge = new WebAssembly.Module(BRIDGE);

export function setInterruptAndRejectionHooks(
  { memory, table }: Engine,
  runtime: QuickJSRuntime,
  onInterrupt: () => boolean,
  onRejection: OnRejection,
): void {
  const address = runtimeAddress(runtime);
  const words = (): Uint32Array => new Uint32Array(memory.buffer, address, STRUCT_WORDS);
  const before = words().slice();
  runtime.setInterruptHandler(onInterrupt);
  const after = words();
  const changed = after.findIndex((word, index) => word !== before[index]);
  // interrupt_handler, its opaque, rejection tracker, its opaque, job_list (next, prev)
  const slot = changed + 2;
  const jobList = address + (changed + 4) * 4;
  const fits =
    changed > 0 &&
    after[changed + 1] === 0 &&
    after[slot] === 0 &&
    after[slot + 1] === 0 &&
    after[changed + 4] === jobList &&
    after[changed + 5] === jobList;
  if (!fits) throw new Error('This build of QuickJS is laid out in a way we do not know.');
  after[slot] = addToTable(table, onRejection);
}

function addToTable(table: WebAssembly.Table, onRejection: OnRejection): number {
  const f = (
    _context: number,
    promise: bigint,
    reason: bigint,
    isHandled: number,
    _opaque: number,
  ): void => onRejection(promise, reason, isHandled !== 0);
  const { exports } = new WebAssembly.Instance(bridge, { m: { f } });
  const index = table.grow(1);
  table.set(index, exports['f']);
  return index;
}
