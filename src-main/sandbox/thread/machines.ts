// The machines of one thread. A phase holds one while it computes, and keeps it while it waits for
// the host if there are enough; else it is put aside as an image and gets any machine later.
import { MAX_MACHINES } from '#main/sandbox/limits.ts';
import type { Image } from '#main/sandbox/vm/image.ts';
import { createMachine, type Machine, type Origin } from '#main/sandbox/vm/machine.ts';

export interface Machines {
  /** Calls back with a machine, at once if there is one. */
  take(use: (machine: Machine) => void): void;
  /** `next`: what the phase that comes next will probably begin with. */
  giveBack(machine: Machine, next?: Image): void;
  /** The machine is in an unknown state: it is never used again. */
  discard(): void;
}

export interface MachinesOptions {
  readonly wasm: WebAssembly.Module;
  readonly stackPointer: number;
  /** Frees a machine by putting a waiting phase aside, or undefined if none can be. */
  readonly putAside: () => Machine | undefined;
  /** A thread that cannot make a machine is of no use. */
  readonly onBroken: (error: unknown) => void;
}

export function createMachines(options: MachinesOptions): Machines {
  const free: Machine[] = [];
  const queue: ((machine: Machine) => void)[] = [];
  let origin: Origin | undefined;
  let count = 0;
  let isMaking = false;
  let isServing = false;

  async function make(): Promise<void> {
    if (isMaking) return;
    isMaking = true;
    try {
      const machine = await createMachine(options.wasm, options.stackPointer, origin);
      origin ??= machine.origin;
      count += 1;
      free.push(machine);
    } catch (error) {
      if (count === 0) options.onBroken(error);
    }
    isMaking = false;
    serve();
  }

  /** Whoever is served may give a machine back at once: this loop, not a nested one, goes on. */
  function serve(): void {
    if (isServing) return;
    isServing = true;
    while (queue.length > 0) {
      const machine = free.pop() ?? options.putAside();
      if (!machine) {
        void make();
        break;
      }
      queue.shift()?.(machine);
    }
    isServing = false;
  }

  return {
    take(use) {
      const wasFree = free.length > 0;
      queue.push(use);
      serve();
      // Someone had to be put aside: one more machine is worth its memory.
      if (!wasFree && count < MAX_MACHINES) void make();
    },
    giveBack(machine, next) {
      if (machine.hasGrown()) count -= 1;
      else {
        free.push(machine);
        // While the host works with what was reported, not when the next phase waits for it.
        setImmediate(() => free.includes(machine) && machine.foresee(next));
      }
      serve();
    },
    discard() {
      count -= 1;
      serve();
    },
  };
}
