// Child processes for tests: programs, and our own TypeScript on the Node that runs the tests.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { AtEnd } from '#test/support/temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `file`, relative to the repository, and kills it when the test ends. */
export function startNode(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  atEnd: AtEnd = onTestFinished,
): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  atEnd(() => {
    child.kill('SIGKILL');
  });
  return child;
}

export function runNode(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  return endOf(startNode(file, args, env));
}

export function runProgram(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  return endOf(spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] }));
}

async function endOf(
  child: ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream },
): Promise<Ended> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await exitOf(child);
  return { code, stdout, stderr };
}

export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', (code) => resolve(code)));
}

export async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('The process ended without printing a line.');
}

export interface ServedHost {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly child: ReturnType<typeof startNode>;
}

/** A host process, started by the `holdfast` command. */
export async function serveHost(
  dataDir: string,
  args: readonly string[] = [],
  atEnd: AtEnd = onTestFinished,
  env: NodeJS.ProcessEnv = {},
): Promise<ServedHost> {
  const command = ['serve', '--data', dataDir, '--json', ...args];
  const child = startNode('bin/holdfast.mjs', command, env, atEnd);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  try {
    const hello = JSON.parse(await firstLine(child.stdout)) as Omit<ServedHost, 'child'>;
    return { ...hello, child };
  } catch (error) {
    throw new Error(`The host did not start: ${stderr}`, { cause: error });
  }
}
