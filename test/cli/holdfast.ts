// The command as a person runs it, and one host for a whole file of tests.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CallInput, CallName, CallOutput } from '#shared/api/contract.ts';
import { succeed } from '#test/support/api-calls.ts';
import { callOver, openFeed, type Place } from '#test/support/http-client.ts';
import { exitOf, firstLine, runNode, type Ended } from '#test/support/child-processes.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export function holdfast(...args: readonly string[]): Promise<Ended> {
  return runNode('bin/holdfast.mjs', args);
}

/** Runs it and gives what it said; anything else than success fails the test. */
export async function succeeds(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await holdfast(...args);
  if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** The sentence of a command that is refused. */
export async function refused(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await holdfast(...args);
  if (code !== 1 || stdout !== '') throw new Error(`not refused: ${code} ${stdout}${stderr}`);
  if (/\n\s+at /.test(stderr)) throw new Error(`a stack, not a sentence: ${stderr}`);
  return stderr;
}

/** With this as its standard input. */
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
  /** Resolves once `look` finds something; asked again whenever anything changed. */
  until<Found>(look: () => Promise<Found | undefined>): Promise<Found>;
  stop(): Promise<void>;
}

/** A host in a process of its own, for all tests of a file: to be stopped by the file. */
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
    until: (look) => untilFound(place, look),
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
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  const { messages } = await openFeed(place);
  let seen = 0;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    const from = seen;
    await messages.until((message) => messages.all.indexOf(message) >= from);
    seen = messages.all.length;
  }
}

/** Writes a copy of an example with other places in it. */
export function copyExample(
  name: string,
  folder: string,
  places: { readonly [text: string]: string } = {},
): string {
  let text = readFileSync(join(root, 'examples', name), 'utf8');
  for (const [place, here] of Object.entries(places)) text = text.replaceAll(place, here);
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** One consumer that posts each event, and one producer that publishes one more each time. */
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
