// The sandbox as the engine uses it: some threads, each phase to the one with the least to do.
// A thread that dies is replaced when the next phase comes.
import { HANG_GRACE_MS } from '#main/sandbox/limits.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { startThread, type Thread } from '#main/sandbox/thread.ts';
import { workerEntry } from '#main/sandbox/worker-entry.ts';
import { compileQuickJs, type CompiledQuickJs } from '#main/sandbox/vm/compile.ts';

export interface SandboxOptions {
  /** Threads; they start with the first phase. */
  readonly workers: number;
  readonly hangGraceMs?: number;
  /** Where a thread begins; another one in tests of what a broken thread does. */
  readonly entry?: URL;
}

export function createSandbox({
  workers,
  hangGraceMs = HANG_GRACE_MS,
  entry = workerEntry(),
}: SandboxOptions): Sandbox {
  const threads: (Thread | undefined)[] = Array.from({ length: workers }, () => undefined);
  let compiled: CompiledQuickJs | undefined;
  let isClosed = false;

  function pick(quickJs: CompiledQuickJs): Thread {
    let best = 0;
    for (let index = 0; index < threads.length; index += 1) {
      if (!threads[index]?.isAlive()) threads[index] = undefined;
      if ((threads[index]?.load() ?? 0) < (threads[best]?.load() ?? 0)) best = index;
    }
    const thread = threads[best] ?? startThread(quickJs, { hangGraceMs, entry });
    threads[best] = thread;
    return thread;
  }

  return {
    async run(request, onCalls) {
      compiled ??= await compileQuickJs();
      if (isClosed) {
        const message = 'The sandbox was closed.';
        return { type: 'failed', cause: 'sandbox', message, stack: message, logs: [] };
      }
      return pick(compiled).run(request, onCalls);
    },
    async close() {
      isClosed = true;
      await Promise.all(threads.map(async (thread) => thread?.close()));
    },
  };
}
