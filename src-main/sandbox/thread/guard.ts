// Runs code of one phase in a VM within the limits of the phase, and turns every error into a
// failure with a message for the author.
import { JSException } from 'quickjs-wasi';
import { SHARED_STRETCH_MS } from '#main/sandbox/limits.ts';
import type { Failure } from '#main/sandbox/messages.ts';
import type { PhaseLimits } from '#main/sandbox/sandbox.ts';
import { createComputingTime } from '#main/sandbox/thread/computing-time.ts';
import {
  failureOf,
  OUT_OF_MEMORY,
  STACK_OVERFLOW,
  stackOf,
  type SourceFile,
  type Thrown,
} from '#main/sandbox/thread/failure.ts';
import { OutOfMemory, type Vm } from '#main/sandbox/thread/vm.ts';

/** Ends the phase with this failure. */
export class PhaseEnded extends Error {
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The phase must start over in another thread. */
class Interrupted extends Error {}

export interface Guard {
  /** `null`: the phase must start over in another thread. */
  compute<T>(vm: Vm, work: () => T, failed: (failure: Failure) => T): T | null;
  failureOf(thrown: Thrown): Failure;
  overtime(): Failure;
  /** Throws when the time is over. */
  interrupt(vm: Vm): void;
  /** QuickJS was interrupted or crashed: the VM must not be used again. */
  isVmBroken(): boolean;
}

export interface GuardOptions {
  readonly limits: PhaseLimits;
  readonly memoryBytes: number;
  readonly file: SourceFile;
  readonly elapsed: () => number;
  /** Whether the phase must make room for others when it computes for long. */
  readonly mustMakeRoom: () => boolean;
}

/** Time to find out where the code was interrupted: `Error.prepareStackTrace` is user code. */
const LOCATE_MS = 100;

/** Memory within this distance of the limit counts as full, when QuickJS has no room for an error. */
const FULL_WITHIN_BYTES = 1024 * 1024;

export function createGuard(options: GuardOptions): Guard {
  const { limits, memoryBytes, file, elapsed, mustMakeRoom } = options;
  const time = createComputingTime(limits.cpuMs);
  let isVmBroken = false;
  /** Set once and never cleared: code cannot catch it. */
  let over: PhaseEnded | Interrupted | undefined;
  let locateUntil: number | undefined;

  function compute<T>(vm: Vm, work: () => T, failed: (failure: Failure) => T): T | null {
    time.begin();
    try {
      return work();
    } catch (error) {
      if (error instanceof PhaseEnded && error !== over) return failed(error.failure);
      isVmBroken = true;
      if (over instanceof Interrupted) return null;
      return failed(over?.failure ?? crash(vm, error));
    } finally {
      time.end();
    }
  }

  function crash(vm: Vm, error: unknown): Failure {
    if (error instanceof JSException) {
      const { name, message, stack = '' } = error;
      const isFull = vm.memoryBytes() + FULL_WITHIN_BYTES > memoryBytes;
      const isKnown = name === 'InternalError' || name === 'SyntaxError' || name === 'RangeError';
      return toFailure(isFull && !isKnown ? OUT_OF_MEMORY : { name, message, stack });
    }
    if (error instanceof OutOfMemory) return toFailure(OUT_OF_MEMORY);
    const text = error instanceof Error ? error.message : String(error);
    if (text.includes(OUT_OF_MEMORY.message)) return toFailure(OUT_OF_MEMORY);
    // The thread's own stack overflowed before that of QuickJS.
    if (error instanceof RangeError) return toFailure(STACK_OVERFLOW);
    return { cause: 'sandbox', message: `The sandbox crashed: ${text}`, stack: text };
  }

  const toFailure = (thrown: Thrown): Failure => failureOf(thrown, file, memoryBytes);

  function limit(message: string, stack = ''): Failure {
    return { cause: 'limit', message, stack: stackOf('', message, stack, file) };
  }

  const overtimeMessage = `The phase took longer than ${limits.wallMs} ms.`;

  function interrupt(vm: Vm): void {
    if (over) throw over;
    if (locateUntil !== undefined) {
      if (performance.now() > locateUntil) throw new Error('The position could not be found.');
      return;
    }
    const message =
      elapsed() > limits.wallMs
        ? overtimeMessage
        : time.isOver()
          ? `The code computed for longer than ${limits.cpuMs} ms.`
          : undefined;
    if (message === undefined) {
      if (!mustMakeRoom() || !time.isStretchOver(SHARED_STRETCH_MS)) return;
      over = new Interrupted();
      throw over;
    }
    const stack = locate(vm);
    over = new PhaseEnded(limit(message, stack));
    throw over;
  }

  function locate(vm: Vm): string {
    locateUntil = performance.now() + LOCATE_MS;
    try {
      return vm.call('where');
    } catch {
      return '';
    }
  }

  return {
    compute,
    failureOf: toFailure,
    overtime: () => limit(overtimeMessage),
    interrupt,
    isVmBroken: () => isVmBroken,
  };
}
