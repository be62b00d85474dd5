// Threads for code that computes for long: one phase computes in each. When all of them compute,
// further phases wait for one another here, and not in the threads that everybody uses.
import { MAX_OWN_THREADS, OWN_THREAD_IDLE_MS } from '#main/sandbox/limits.ts';
import type { OpenPhase } from '#main/sandbox/open-phase.ts';
import type { Thread, ThreadEnd } from '#main/sandbox/thread.ts';

export interface OwnThreads {
  run(phase: OpenPhase): Promise<ThreadEnd>;
  /** A thread may have become free. */
  serve(): void;
  /** Phases that wait here leave as `moved`. */
  close(): void;
}

export function createOwnThreads(start: () => Thread): OwnThreads {
  let threads: Thread[] = [];
  const timers = new Map<Thread, NodeJS.Timeout>();
  const queue: ((thread: Thread | null) => void)[] = [];

  function find(): Thread | undefined {
    threads = threads.filter((thread) => thread.isAlive());
    const free = threads.find((thread) => thread.load() === 0);
    if (free) return free;
    if (threads.length < MAX_OWN_THREADS) {
      const started = start();
      threads.push(started);
      return started;
    }
    return threads.find((thread) => !thread.isComputing());
  }

  function serve(): void {
    while (queue.length > 0) {
      const thread = find();
      if (!thread) return;
      clearTimeout(timers.get(thread));
      timers.delete(thread);
      queue.shift()?.(thread);
    }
  }

  async function runIn(thread: Thread, phase: OpenPhase): Promise<ThreadEnd> {
    const end = await thread.run(phase);
    serve();
    endWhenIdle(thread);
    return end;
  }

  function endWhenIdle(thread: Thread): void {
    if (thread.load() > 0 || !thread.isAlive()) return;
    const end = (): void => {
      timers.delete(thread);
      void thread.close();
    };
    timers.set(thread, setTimeout(end, OWN_THREAD_IDLE_MS).unref());
  }

  return {
    serve,
    run: (phase) =>
      new Promise((resolve) => {
        queue.push((thread) => resolve(thread ? runIn(thread, phase) : { type: 'moved' }));
        serve();
      }),
    close() {
      for (const leave of queue.splice(0)) leave(null);
    },
  };
}
