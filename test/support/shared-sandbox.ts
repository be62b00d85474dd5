// One sandbox for all hosts and engines of a test file. A QuickJS worker thread takes 0.1 s to start, and
// phases are isolated from each other anyway.
import { createSandbox } from '#main/sandbox/pool.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';

let shared: Sandbox | undefined;

export function sharedSandbox(): Sandbox {
  shared ??= createSandbox({ workers: 1 });
  return shared;
}
