// One side of a comparison in its own process, so that sides share no memory, threads or event loop.
// It answers requests over IPC and is idle between them.
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { enableEarlyTierUp } from '#main/platform/v8-tier-up.ts';
import { NODE_FLAGS } from '#scripts/lib/node-flags.mjs';

interface Question {
  readonly id: number;
  readonly name: string;
}

type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

export interface SideProcess<Answers> {
  ask<Name extends keyof Answers & string>(name: Name): Promise<Answers[Name]>;
  /** Asks the process to close, and waits until it has exited. */
  end(): Promise<void>;
}

/** Resolves once the process answers. */
export async function startSide<Answers>(
  file: URL,
  args: readonly string[],
): Promise<SideProcess<Answers>> {
  const child = fork(fileURLToPath(file), [...args], {
    // The same flags as in `npm start` and in the service.
    execArgv: [...process.execArgv, ...NODE_FLAGS],
    // Output of a side must not mix with the figures.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const asking = askOver(child);
  await asking('ready');
  return {
    ask: (name) => asking(name) as Promise<never>,
    async end() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null) {
        child.send({ id: 0, name: 'end' });
        await ended;
      }
    },
  };
}

function askOver(child: ChildProcess): (name: string) => Promise<unknown> {
  const waiting = new Map<
    number,
    { resolve: (value: unknown) => void; reject: (error: Error) => void }
  >();
  let lastId = 0;
  child.on('message', (reply: Reply) => {
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) asked?.reject(new Error(reply.error));
    else asked?.resolve(reply.value);
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) {
      reject(new Error(`A side of the bench ended with ${signal ?? `exit code ${code}`}.`));
    }
  });
  return (name) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      child.send({ id: lastId, name } satisfies Question);
    });
}

/** Runs in the process of a side: serves `answers` by name until the request to end. */
export function serveSide(
  answers: { readonly [name: string]: () => unknown },
  close: () => unknown,
): void {
  // The host does this; the baselines get the same advantage.
  enableEarlyTierUp();
  process.on('message', ({ id, name }: Question) => {
    void (async () => {
      if (name === 'end') {
        await close();
        process.disconnect();
        return;
      }
      try {
        const value = name === 'ready' ? null : await answers[name]?.();
        process.send?.({ id, value });
      } catch (error) {
        const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
        process.send?.({ id, error: text });
      }
    })();
  });
  // The parent process has exited.
  process.on('disconnect', () => process.exit());
}
