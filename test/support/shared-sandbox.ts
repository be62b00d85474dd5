// One real sandbox for all hosts and engines of a test file: a thread with QuickJS takes a tenth of a
// second to start, and each phase has a context of its own anyway.
import { createSandbox } from '#main/sandbox/pool.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';

let shared: Sandbox | undefined;

export function sharedSandbox(): Sandbox {
  shared ??= createSandbox({ workers: 1 });
  return shared;
}
