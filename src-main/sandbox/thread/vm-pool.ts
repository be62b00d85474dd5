// The VMs of one thread. A phase holds a VM while it computes and, if there are enough, while it
// waits for the host. Otherwise it is suspended to a memory image and resumes in any VM.
import { MAX_VMS } from '#main/sandbox/limits.ts';
import type { MemoryImage } from '#main/sandbox/thread/memory-image.ts';
import { createVm, type Vm, type VmOptions } from '#main/sandbox/thread/vm.ts';

export interface VmPool {
  /** Calls `use` with a VM, synchronously if one is free. */
  take(use: (vm: Vm) => void): void;
  release(vm: Vm): void;
  /** For a VM in an unknown state: it is never used again. */
  discard(): void;
}

export interface VmPoolOptions extends Omit<VmOptions, 'base'> {
  /** Suspends a waiting phase and returns its VM; undefined if no phase can be suspended. */
  readonly suspendPhase: () => Vm | undefined;
  /** The first VM could not be created: the thread cannot work. */
  readonly onBroken: (error: unknown) => void;
}

export function createVmPool(options: VmPoolOptions): VmPool {
  const free: Vm[] = [];
  const queue: ((vm: Vm) => void)[] = [];
  let base: MemoryImage | undefined;
  let count = 0;
  let isCreating = false;
  let isServing = false;

  async function create(): Promise<void> {
    if (isCreating) return;
    isCreating = true;
    try {
      const vm = await createVm({ ...options, base });
      base ??= vm.base;
      count += 1;
      free.push(vm);
    } catch (error) {
      if (count === 0) options.onBroken(error);
    }
    isCreating = false;
    serve();
  }

  /** A phase may release its VM while it is served: the outer loop continues, not a nested one. */
  function serve(): void {
    if (isServing) return;
    isServing = true;
    while (queue.length > 0) {
      const vm = free.pop() ?? options.suspendPhase();
      if (!vm) {
        void create();
        break;
      }
      queue.shift()?.(vm);
    }
    isServing = false;
  }

  return {
    take(use) {
      const wasFree = free.length > 0;
      queue.push(use);
      serve();
      // A phase had to be suspended: one more VM is worth its memory.
      if (!wasFree && count < MAX_VMS) void create();
    },
    release(vm) {
      if (vm.hasGrown()) count -= 1;
      else free.push(vm);
      serve();
    },
    discard() {
      count -= 1;
      serve();
    },
  };
}
