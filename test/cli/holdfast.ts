// Runs the `holdfast` command in tests, and one host per test file.
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '#main/cli/main.ts';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import { succeed } from '#test/support/api-calls.ts';
import { callOver, openFeed, type Place } from '#test/support/http-client.ts';
import { exitOf, firstLine, runNode, type Ended } from '#test/support/child-processes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Output {
  stdout: string;
  stderr: string;
}

/** What a command prints goes to the command, also if several run at once. */
const outputs = new AsyncLocalStorage<Output>();
for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = ((...args: Parameters<typeof write>): boolean => {
    const output = outputs.getStore();
    if (!output) return write(...args);
    output[name] += args[0].toString();
    return true;
  }) as typeof write;
}

/**
 * Runs the command in this process, as bin/holdfast.mjs does: starting Node for each of hundreds of
 * commands takes minutes. `holdfastProcess` starts one.
 */
export async function holdfast(...args: readonly string[]): Promise<Ended> {
  const output: Output = { stdout: '', stderr: '' };
  const code = await outputs.run(output, () => main(args));
  return { code, ...output };
}

export function holdfastProcess(...args: readonly string[]): Promise<Ended> {
  return runNode('bin/holdfast.mjs', args);
}

/** Returns stdout; throws if the command fails. */
export async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await holdfast(...args);
  if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Returns stderr; throws unless the command exits with 1, prints nothing else and has no stack. */
export async function refused(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await holdfast(...args);
  if (code !== 1 || stdout !== '') throw new Error(`not refused: ${code} ${stdout}${stderr}`);
  if (/\n\s+at /.test(stderr)) throw new Error(`stderr has a stack trace: ${stderr}`);
  return stderr;
}

/** Runs the command with `input` as its standard input. */
export async function holdfastWith(input: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, ['bin/holdfast.mjs', ...args], { cwd: root });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.end(input);
  return { code: await exitOf(child), stdout, stderr };
}

export interface FileHost extends Place {
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>;
  /** Calls `find` after every change until it returns something. */
  until<Found>(find: () => Promise<Found | undefined>): Promise<Found>;
  stop(): Promise<void>;
}

/** A host in its own process for all tests of a file, which must stop it. */
export async function hostForFile(dataDir: string): Promise<FileHost> {
  const args = ['bin/holdfast.mjs', 'serve', '--data', dataDir, '--json'];
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url, token } = JSON.parse(
    await firstLine(child.stdout as NodeJS.ReadableStream),
  ) as Place;
  const place = { url, token };
  return {
    ...place,
    call: (name, input) => succeed((...call) => callOver(place, ...call), name, input),
    until: (find) => untilFound(place, find),
    stop: async () => {
      const ended = exitOf(child);
      child.stdout?.resume();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilFound<Found>(
  place: Place,
  find: () => Promise<Found | undefined>,
): Promise<Found> {
  const { messages } = await openFeed(place);
  let handled = 0;
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    const from = handled;
    await messages.until((message) => messages.all.indexOf(message) >= from);
    handled = messages.all.length;
  }
}

/** Writes a copy of an example with replaced texts. */
export function copyExample(
  name: string,
  folder: string,
  places: { readonly [text: string]: string } = {},
): string {
  let text = readFileSync(join(root, 'examples', name), 'utf8');
  for (const [place, value] of Object.entries(places)) text = text.replaceAll(place, value);
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A consumer that posts each event, and a producer that publishes one event per run. */
export function postingWorkflow(host: string, more = '', name = 'poster'): string {
  return `import { workflow } from 'holdfast';
export default workflow({
  name: '${name}',
  uses: { http: { hosts: ['${host}'] } },
  topics: ['in'],
  producers: {
    tick: {
      schedule: { cron: '0 0 1 1 *' },
      publishes: ['in'],
      async run(ctx, state) {
        const n = (state?.n ?? 0) + 1;
        await ctx.publish('in', { id: 'tick-' + n, title: 'Tick ' + n, payload: { n } });
        return { n };
      },
    },
  },
  consumers: {
    post: {
      subscribes: 'in',
      async prepare(ctx) {
        const [event] = await ctx.peek('in', { limit: 1 });
        if (!event) return;
        console.log('preparing', event.title);
        return { reservations: [event], data: event.payload, ui: { title: 'Post ' + event.title } };
      },
      async mutate(ctx, prepared) {
        ${more}
        await ctx.tools.http.post({ url: 'http://${host}/effects/post', json: prepared.data });
      },
    },
  },
});
`;
}
