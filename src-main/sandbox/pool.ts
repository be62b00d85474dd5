// The sandbox as the engine uses it: a pool of threads. A phase goes to the thread with the fewest
// open phases; a thread that died is replaced when the next phase arrives.
import { HANG_GRACE_MS } from '#main/sandbox/limits.ts';
import { compileQuickJs } from '#main/sandbox/quickjs-wasm.ts';
import type { Sandbox } from '#main/sandbox/sandbox.ts';
import { startThread, type Thread } from '#main/sandbox/thread.ts';
import { workerEntry } from '#main/sandbox/worker-entry.ts';
import { PHASE_MEMORY_BYTES } from '#shared/limits.ts';

export interface SandboxOptions {
  /** Number of threads. They start with the first phase. */
  readonly workers: number;
  /** Heap of one phase. */
  readonly memoryBytes?: number;
  readonly hangGraceMs?: number;
  /** Entry of a thread; tests pass one that crashes. */
  readonly entry?: URL;
}

export function createSandbox({
  workers,
  memoryBytes = PHASE_MEMORY_BYTES,
  hangGraceMs = HANG_GRACE_MS,
  entry = workerEntry(),
}: SandboxOptions): Sandbox {
  const threads: (Thread | undefined)[] = Array.from({ length: workers }, () => undefined);
  let quickJs: WebAssembly.Module | undefined;
  let isClosed = false;

  function pick(wasm: WebAssembly.Module): Thread {
    let best = 0;
    for (let index = 0; index < threads.length; index += 1) {
      if (!threads[index]?.isAlive()) threads[index] = undefined;
      if ((threads[index]?.load() ?? 0) < (threads[best]?.load() ?? 0)) best = index;
    }
    const thread = threads[best] ?? startThread({ wasm, memoryBytes, hangGraceMs, entry });
    threads[best] = thread;
    return thread;
  }

  return {
    async run(request, onCalls) {
      quickJs ??= await compileQuickJs();
      if (isClosed) {
        const message = 'The sandbox was closed.';
        return { type: 'failed', cause: 'sandbox', message, stack: message, logs: [] };
      }
      return pick(quickJs).run(request, onCalls);
    },
    async close() {
      isClosed = true;
      await Promise.all(threads.map(async (thread) => thread?.close()));
    },
  };
}
