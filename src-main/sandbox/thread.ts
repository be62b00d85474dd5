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
import { STUCK_AFTER_MS, THREAD_LIMITS } from '#main/sandbox/limits.ts';
import {
  HEARTBEAT_COUNT,
  HEARTBEAT_IS_OWN,
  HEARTBEAT_PHASE,
  type FromThread,
  type ThreadData,
  type ToThread,
} from '#main/sandbox/messages.ts';
import type { Answer, OpenPhase } from '#main/sandbox/open-phase.ts';
import type { LogLine, PhaseRequest, PhaseResult } from '#main/sandbox/sandbox.ts';

/** `moved`: the phase must start over in another thread. */
export type ThreadEnd = PhaseResult | { readonly type: 'moved' };

export interface Thread {
  run(phase: OpenPhase): Promise<ThreadEnd>;
  /** Number of open phases. */
  load(): number;
  /** Whether a phase computes, or waits for the thread. */
  isComputing(): boolean;
  /** Whether the thread takes further phases. */
  isOpen(): boolean;
  isAlive(): boolean;
  close(): Promise<void>;
}

/** A phase in this thread. */
interface Running {
  readonly phase: OpenPhase;
  readonly startedAt: number;
  readonly resolve: (end: ThreadEnd) => void;
  readonly logs: LogLine[];
  /** How many times the phase has asked the host here. */
  asked: number;
  /** The phase waits for its turn in the thread, the host's answer, or nothing any more. */
  waitsFor: 'thread' | 'host' | 'end';
}

export interface ThreadOptions {
  readonly wasm: WebAssembly.Module;
  readonly memoryBytes: number;
  readonly hangGraceMs: number;
  readonly entry: URL;
  /** For code that computes for long: nothing is interrupted for the sake of others. */
  readonly isOwn: boolean;
  /** The code should have a thread of its own next time. */
  readonly onLong: (request: PhaseRequest) => void;
  /** A phase has begun to wait for the host. */
  readonly onWait: () => void;
  readonly onEnd: () => void;
}

export function startThread(options: ThreadOptions): Thread {
  const { wasm, memoryBytes, hangGraceMs, entry, isOwn, onLong, onWait, onEnd } = options;
  const heartbeat = new SharedArrayBuffer(12);
  const beats = new Int32Array(heartbeat);
  beats[HEARTBEAT_IS_OWN] = isOwn ? 1 : 0;
  const workerData: ThreadData = { wasm, memoryBytes, heartbeat };
  const worker = new Worker(entry, {
    workerData,
    // The thread needs nothing from the host's environment.
    env: {},
    resourceLimits: THREAD_LIMITS,
  });
  const open = new Map<number, Running>();
  let lastId = 0;
  let isAlive = true;
  /** The others have left: the thread ends with its last phase. */
  let isLeft = false;
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
    const running = open.get(message.id);
    if (!running) return;
    if (message.type === 'interrupted') {
      markAsLong(message.id);
      move(message.id, running);
      return;
    }
    running.logs.push(...message.logs);
    if (message.type === 'calls') {
      await answer(message.id, running, message);
      return;
    }
    const { request, onCalls } = running.phase;
    running.waitsFor = 'end';
    end(message.id, await endOf(message, request, onCalls));
  }

  async function answer(id: number, running: Running, message: CallsMessage): Promise<void> {
    const { request, journal } = running.phase;
    running.waitsFor = 'host';
    onWait();
    const reply = await replyTo(running, message);
    if (!open.has(id)) return;
    if (request.endsWithCalls && reply.type !== 'broken') {
      end(
        id,
        reply.type === 'stop'
          ? { type: 'stopped' }
          : sandboxFailure('The host did not stop a phase that ends with its first calls.'),
      );
      return;
    }
    running.waitsFor = 'thread';
    if (reply.type === 'replies') {
      if (journal.isFull) onLong(request);
      post({ type: 'replies', id, replies: reply.text, canMove: !journal.isFull });
    } else drop(id, reply.type === 'stop' ? { type: 'stopped' } : sandboxFailure(reply.message));
  }

  /** From the journal, if the phase got the answer in another thread. */
  function replyTo(
    running: Running,
    { calls: text, clockReadings }: CallsMessage,
  ): Promise<Answer> {
    const { request, onCalls, journal } = running.phase;
    const known = journal.at(running.asked);
    running.asked += 1;
    if (known?.calls === text) return known.answer;
    if (known) return broken('The code made other calls when it started over.');
    const calls = readCalls(text, request);
    if (!calls) return broken('The code called something that this phase does not have.');
    const asked = askHost(calls, onCalls);
    if (!isOwn) journal.add({ calls: text, answer: asked }, clockReadings);
    return asked;
  }

  function drop(id: number, as: End): void {
    post({ type: 'drop', id });
    end(id, as);
  }

  function end(id: number, as: End): void {
    const running = open.get(id);
    if (running) leave(id, running, { ...as, logs: running.logs });
  }

  function move(id: number, running: Running): void {
    running.phase.elapsedBefore += performance.now() - running.startedAt;
    leave(id, running, { type: 'moved' });
  }

  function leave(id: number, running: Running, as: ThreadEnd): void {
    open.delete(id);
    if (open.size === 0) {
      worker.unref();
      clearInterval(watch);
      watch = undefined;
      if (isLeft) void worker.terminate();
    }
    running.resolve(as);
  }

  function die(why: string): void {
    isAlive = false;
    for (const id of open.keys()) end(id, sandboxFailure(why));
    onEnd();
  }

  /** Some built-in functions run for long without calling the interrupt handler. */
  function watchForHang(): NodeJS.Timeout {
    let lastBeat = -1;
    let since = performance.now();
    const check = (): void => {
      const id = Atomics.load(beats, HEARTBEAT_PHASE);
      const now = Atomics.load(beats, HEARTBEAT_COUNT);
      const ms = performance.now() - since;
      if (id === 0 || now !== lastBeat) {
        lastBeat = now;
        since = performance.now();
      } else if (ms > hangGraceMs) killFor(id);
      else if (ms > STUCK_AFTER_MS && !isOwn) letOthersLeave(id);
    };
    return setInterval(check, Math.min(STUCK_AFTER_MS, hangGraceMs) / 2).unref();
  }

  function killFor(id: number): void {
    markAsLong(id);
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

  /** The phase that computes keeps the thread, and the others start over in another one. */
  function letOthersLeave(id: number): void {
    if (isLeft) {
      markAsLong(id);
      return;
    }
    isLeft = true;
    for (const [other, running] of open) {
      if (other === id || !needsThread(running) || !canMove(running.phase)) continue;
      post({ type: 'drop', id: other });
      move(other, running);
    }
  }

  function markAsLong(id: number): void {
    const running = open.get(id);
    if (running) onLong(running.phase.request);
  }

  return {
    load: () => open.size,
    isComputing: () => [...open.values()].some(({ waitsFor }) => waitsFor === 'thread'),
    isOpen: () => isAlive && !isLeft,
    isAlive: () => isAlive,
    run: (phase) =>
      new Promise((resolve) => {
        lastId += 1;
        const startedAt = performance.now();
        const message = runMessage(lastId, phase);
        open.set(lastId, { phase, startedAt, resolve, logs: [], asked: 0, waitsFor: 'thread' });
        worker.ref();
        watch ??= watchForHang();
        if (typeof message === 'string') end(lastId, sandboxFailure(message));
        else post(message);
      }),
    async close() {
      die('The sandbox was closed.');
      await worker.terminate();
    },
  };
}

type CallsMessage = Extract<FromThread, { type: 'calls' }>;

/** A phase that has ended, or ends with the host's answer, does not need it. */
function needsThread({ phase, waitsFor }: Running): boolean {
  return waitsFor === 'thread' || (waitsFor === 'host' && phase.request.endsWithCalls !== true);
}

/** Once only: on a machine so busy that threads seem stuck, phases must not move around for ever. */
function canMove({ journal, elapsedBefore }: OpenPhase): boolean {
  return elapsedBefore === 0 && !journal.isFull;
}

const broken = async (message: string): Promise<Answer> => ({ type: 'broken', message });
