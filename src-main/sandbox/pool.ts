// The sandbox as the engine uses it: a pool of threads. A phase goes to the thread with the fewest
// open phases; a thread that died is replaced when the next phase arrives. Code that computes for long
// starts over in a thread of its own, so that it delays no other code.
import { HANG_GRACE_MS } from '#main/sandbox/limits.ts';
import { createLongCode } from '#main/sandbox/long-code.ts';
import { openPhase } from '#main/sandbox/open-phase.ts';
import { createOwnThreads } from '#main/sandbox/own-threads.ts';
import { compileQuickJs } from '#main/sandbox/quickjs-wasm.ts';
import type { PhaseResult, Sandbox } from '#main/sandbox/sandbox.ts';
import { startThread, type Thread } from '#main/sandbox/thread.ts';
import { workerEntry } from '#main/sandbox/worker-entry.ts';
import { PHASE_MEMORY_BYTES } from '#shared/limits.ts';

export interface SandboxOptions {
  /** Number of shared threads. They start with the first phase. */
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
  const shared: (Thread | undefined)[] = Array.from({ length: workers }, () => undefined);
  const alive = new Set<Thread>();
  const longCode = createLongCode();
  const own = createOwnThreads(() => start(true));
  let quickJs: WebAssembly.Module | undefined;
  let isClosed = false;

  function start(isOwn: boolean): Thread {
    const thread = startThread({
      wasm: quickJs as WebAssembly.Module,
      memoryBytes,
      hangGraceMs,
      entry,
      isOwn,
      onLong: longCode.add,
      onWait: isOwn ? own.serve : () => undefined,
      onEnd: () => alive.delete(thread),
    });
    alive.add(thread);
    return thread;
  }

  function pick(): Thread {
    let best = 0;
    for (let index = 0; index < shared.length; index += 1) {
      if (!shared[index]?.isOpen()) shared[index] = undefined;
      if ((shared[index]?.load() ?? 0) < (shared[best]?.load() ?? 0)) best = index;
    }
    const thread = shared[best] ?? start(false);
    shared[best] = thread;
    return thread;
  }

  return {
    async run(request, onCalls) {
      quickJs ??= await compileQuickJs();
      const phase = openPhase(request, onCalls);
      for (;;) {
        if (isClosed) return CLOSED;
        const isLong = longCode.has(request);
        const end = await (isLong ? own.run(phase) : pick().run(phase));
        if (end.type !== 'moved') return end;
      }
    },
    async close() {
      isClosed = true;
      own.close();
      await Promise.all([...alive].map(async (thread) => thread.close()));
    },
  };
}

const CLOSED_MESSAGE = 'The sandbox was closed.';
const CLOSED: PhaseResult = {
  type: 'failed',
  cause: 'sandbox',
  message: CLOSED_MESSAGE,
  stack: CLOSED_MESSAGE,
  logs: [],
};
