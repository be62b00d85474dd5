// A side is a process of its own, so that no side's memory, threads or event loop is another's.
// It is told what to do over IPC, and waits without doing anything while others have their turn.
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { compileSoon } from '#main/host/compile-soon.ts';
import { NODE_FLAGS } from '#scripts/lib/node-flags.mjs';

interface Question {
  readonly id: number;
  readonly name: string;
}

type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: string };

export interface AskedSide<Answers> {
  ask<Name extends keyof Answers & string>(name: Name): Promise<Answers[Name]>;
  /** Lets it close by itself. */
  end(): Promise<void>;
}

/** Resolves when it has said that it is ready. */
export async function startSide<Answers>(
  file: URL,
  args: readonly string[],
): Promise<AskedSide<Answers>> {
  const child = fork(fileURLToPath(file), [...args], {
    // As `npm start` and the service start the host.
    execArgv: [...process.execArgv, ...NODE_FLAGS],
    // What a side prints must not get between the figures.
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

/** In the process of a side: `answers` by name, until it is told to end. */
export function beSide(
  answers: { readonly [name: string]: () => unknown },
  close: () => unknown,
): void {
  // As the host does; the others may as well.
  compileSoon();
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
  // The bench itself is gone: nobody will ask again.
  process.on('disconnect', () => process.exit());
}
