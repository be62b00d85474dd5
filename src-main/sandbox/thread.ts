// One thread as the host sees it. Each phase ends exactly once, even if the thread crashes or hangs.
import { Worker } from 'node:worker_threads';
import { createMessageBatcher } from '#main/sandbox/message-batcher.ts';
import {
  askHost,
  endOf,
  readCalls,
  runMessage,
  sandboxFailure,
  type End,
} from '#main/sandbox/host-calls.ts';
import { THREAD_LIMITS } from '#main/sandbox/limits.ts';
import {
  HEARTBEAT_COUNT,
  HEARTBEAT_PHASE,
  type FromThread,
  type ThreadData,
  type ToThread,
} from '#main/sandbox/messages.ts';
import type { LogLine, OnCalls, PhaseRequest, PhaseResult } from '#main/sandbox/sandbox.ts';

export interface Thread {
  run(request: PhaseRequest, onCalls: OnCalls): Promise<PhaseResult>;
  /** Number of open phases. */
  load(): number;
  isAlive(): boolean;
  close(): Promise<void>;
}

interface Open {
  readonly request: PhaseRequest;
  readonly onCalls: OnCalls;
  readonly logs: LogLine[];
  readonly resolve: (result: PhaseResult) => void;
}

export interface ThreadOptions {
  readonly wasm: WebAssembly.Module;
  readonly memoryBytes: number;
  readonly hangGraceMs: number;
  readonly entry: URL;
}

export function startThread({ wasm, memoryBytes, hangGraceMs, entry }: ThreadOptions): Thread {
  const heartbeat = new SharedArrayBuffer(8);
  const beats = new Int32Array(heartbeat);
  const workerData: ThreadData = { wasm, memoryBytes, heartbeat };
  const worker = new Worker(entry, {
    workerData,
    // The thread needs nothing from the host's environment.
    env: {},
    resourceLimits: THREAD_LIMITS,
  });
  const open = new Map<number, Open>();
  let lastId = 0;
  let isAlive = true;
  let watch: NodeJS.Timeout | undefined;

  worker.on('message', (messages: readonly FromThread[]) => {
    for (const message of messages) {
      receive(message).catch((error: unknown) =>
        drop(message.id, sandboxFailure(`The sandbox sent an invalid message: ${String(error)}`)),
      );
    }
  });
  worker.on('error', (error) => die(`The sandbox thread crashed: ${error.message}`));
  worker.on('exit', () => die('The sandbox thread ended.'));
  // An idle thread must not keep the process alive.
  worker.unref();

  const post = createMessageBatcher<ToThread>((messages) => worker.postMessage(messages, []));

  async function receive(message: FromThread): Promise<void> {
    const phase = open.get(message.id);
    if (!phase) return;
    phase.logs.push(...message.logs);
    if (message.type === 'calls') await answer(message.id, phase, message.calls);
    else end(message.id, await endOf(message, phase.request, phase.onCalls));
  }

  async function answer(id: number, phase: Open, text: string): Promise<void> {
    const calls = readCalls(text, phase.request);
    if (!calls) {
      drop(id, sandboxFailure('The code called something that this phase does not have.'));
      return;
    }
    const reply = await askHost(calls, phase.onCalls);
    if (!open.has(id)) return;
    if (phase.request.endsWithCalls) {
      end(
        id,
        reply.type === 'stop'
          ? { type: 'stopped' }
          : sandboxFailure('The host did not stop a phase that ends with its first calls.'),
      );
      return;
    }
    if (reply.type === 'replies') post({ type: 'replies', id, replies: reply.text });
    else drop(id, reply.type === 'stop' ? { type: 'stopped' } : sandboxFailure(reply.message));
  }

  function drop(id: number, as: End): void {
    post({ type: 'drop', id });
    end(id, as);
  }

  function end(id: number, as: End): void {
    const phase = open.get(id);
    if (!phase) return;
    open.delete(id);
    if (open.size === 0) worker.unref();
    phase.resolve({ ...as, logs: phase.logs });
  }

  function die(why: string): void {
    isAlive = false;
    clearInterval(watch);
    for (const id of open.keys()) end(id, sandboxFailure(why));
  }

  /** Some built-in functions run for long without calling the interrupt handler. */
  function watchForHang(): void {
    let lastBeat = -1;
    let since = 0;
    const check = (): void => {
      const id = Atomics.load(beats, HEARTBEAT_PHASE);
      const now = Atomics.load(beats, HEARTBEAT_COUNT);
      if (id === 0 || now !== lastBeat) {
        lastBeat = now;
        since = performance.now();
      } else if (performance.now() - since > hangGraceMs) {
        const text = "The code computed for too long in a call that can't be interrupted.";
        end(id, {
          type: 'failed',
          cause: 'limit',
          message: text,
          stack: text,
          mayHaveUsedPrefetch: true,
        });
        die('The sandbox thread was terminated, because other code in it did not stop.');
        void worker.terminate();
      }
    };
    watch = setInterval(check, Math.min(500, hangGraceMs / 2));
    watch.unref();
  }
  watchForHang();

  return {
    load: () => open.size,
    isAlive: () => isAlive,
    run: (request, onCalls) =>
      new Promise((resolve) => {
        lastId += 1;
        const message = runMessage(lastId, request);
        open.set(lastId, { request, onCalls, logs: [], resolve });
        worker.ref();
        if (typeof message === 'string') end(lastId, sandboxFailure(message));
        else post(message);
      }),
    async close() {
      die('The sandbox was closed.');
      await worker.terminate();
    },
  };
}
