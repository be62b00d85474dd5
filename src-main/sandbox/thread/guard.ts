// Lets a machine compute for one phase, within the limits of the phase, and turns everything that
// can go wrong into a failure with a sentence.
import type { QuickJSHandle } from 'quickjs-emscripten';
import { MAX_MEMORY_BYTES } from '#main/sandbox/limits.ts';
import type { Failure } from '#main/sandbox/messages.ts';
import type { PhaseLimits } from '#main/sandbox/sandbox.ts';
import { createComputingTime } from '#main/sandbox/thread/computing-time.ts';
import {
  failureOf,
  OUT_OF_MEMORY,
  STACK_OVERFLOW,
  stackOf,
  type Thrown,
} from '#main/sandbox/thread/failure.ts';
import { OutOfMemory } from '#main/sandbox/vm/engine.ts';
import type { Machine } from '#main/sandbox/vm/machine.ts';
import type { Door } from '#main/sandbox/vm/open-realm.ts';

/** Ends the phase; the failure says why. */
export class Ended extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

export interface Guard {
  compute<T>(machine: Machine, work: () => T, failed: (failure: Failure) => T): T;
  call(machine: Machine, door: Door, argument?: QuickJSHandle): QuickJSHandle;
  send(machine: Machine, door: Door, text: string): void;
  /** Until no job is left. */
  drain(machine: Machine): void;
  /** Ends the phase by what was thrown. */
  fail(machine: Machine, error: QuickJSHandle): never;
  failureOf(machine: Machine, thrown: Thrown): Failure;
  overtime(): Failure;
  /** QuickJS asks this now and then. */
  isOver(machine: Machine): boolean;
  /** QuickJS gave up, and must not be used again. */
  isBroken(): boolean;
}

/** Describing what happened needs some room of its own. */
const DESCRIBING_BYTES = 4 * 1024 * 1024;

/** Jobs between two looks at the time: jobs that do little each never meet the interrupt. */
const JOBS_AT_ONCE = 1000;

export function createGuard(limits: PhaseLimits, fileName: string, elapsed: () => number): Guard {
  const memoryBytes = Math.min(limits.memoryBytes, MAX_MEMORY_BYTES);
  const time = createComputingTime(limits.cpuMs, () => elapsed() > limits.wallMs);
  let isBroken = false;
  let hasReachedLimit = false;
  /** The stack where the time was found to be over. */
  let overAt: string | undefined;

  function compute<T>(machine: Machine, work: () => T, failed: (failure: Failure) => T): T {
    const { engine } = machine;
    engine.memoryLimit = memoryBytes;
    engine.hasReachedLimit = hasReachedLimit;
    time.begin();
    try {
      return work();
    } catch (error) {
      if (error instanceof Ended) return failed(error.failure);
      isBroken = true;
      return failed(breakdown(machine, error));
    } finally {
      time.end();
      ({ hasReachedLimit } = engine);
    }
  }

  /** QuickJS itself gave up. */
  function breakdown(machine: Machine, error: unknown): Failure {
    if (error instanceof OutOfMemory || machine.engine.hasReachedLimit) {
      return failureOf(OUT_OF_MEMORY, fileName, memoryBytes);
    }
    // The thread's own stack ended before QuickJS noticed.
    if (error instanceof RangeError) return failureOf(STACK_OVERFLOW, fileName, memoryBytes);
    const text = error instanceof Error ? error.message : String(error);
    return { cause: 'sandbox', message: `The sandbox broke: ${text}`, stack: text };
  }

  function thrownFailure(machine: Machine, thrown: Thrown): Failure {
    const why = time.whyOver();
    if (why === 'wall') return overtime();
    if (why === 'computing') return limit(`The code computed for longer than ${limits.cpuMs} ms.`);
    // QuickJS throws null when there is no room even for the error.
    const isNoRoom = machine.engine.hasReachedLimit && thrown.name === '';
    return failureOf(isNoRoom ? OUT_OF_MEMORY : thrown, fileName, memoryBytes);
  }

  function limit(message: string): Failure {
    return { cause: 'limit', message, stack: stackOf('', message, overAt ?? '', fileName) };
  }

  const overtime = (): Failure => limit(`The phase took longer than ${limits.wallMs} ms.`);

  function fail(machine: Machine, error: QuickJSHandle): never {
    time.allowSome();
    machine.engine.memoryLimit = memoryBytes + DESCRIBING_BYTES;
    const described = machine.call('describe', error);
    const thrown = described.error
      ? OUT_OF_MEMORY
      : (JSON.parse(machine.context.getString(described.value)) as Thrown);
    throw new Ended(thrownFailure(machine, thrown));
  }

  function call(machine: Machine, door: Door, argument?: QuickJSHandle): QuickJSHandle {
    const result = machine.call(door, argument);
    return result.error ? fail(machine, result.error) : result.value;
  }

  function isOver(machine: Machine): boolean {
    if (!time.isOver()) return false;
    if (overAt === undefined) {
      overAt = '';
      time.allowSome();
      const where = machine.call('where');
      if (!where.error) overAt = machine.context.getString(where.value);
      time.allowNoMore();
    }
    return true;
  }

  return {
    compute,
    call,
    send: (machine, door, text) => void call(machine, door, machine.newText(text)),
    drain(machine) {
      while (machine.hasJobs()) {
        const error = machine.runJobs(JOBS_AT_ONCE);
        if (error) fail(machine, error);
        if (isOver(machine)) fail(machine, machine.context.undefined);
      }
    },
    fail,
    failureOf: thrownFailure,
    overtime,
    isOver,
    isBroken: () => isBroken,
  };
}
