// Real child processes for tests: our TypeScript run by the Node that runs the tests.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `file` (relative to the repository) and kills it at the latest when the test ends. */
export function startNode(
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
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
  throw new Error('The process ended without a line.');
}

export interface ServedHost {
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly child: ReturnType<typeof startNode>;
}

/** A real host process, as a person would start it. */
export async function serveHost(
  dataDir: string,
  args: readonly string[] = [],
): Promise<ServedHost> {
  const child = startNode('bin/holdfast.mjs', ['serve', '--data', dataDir, '--json', ...args]);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  try {
    const hello = JSON.parse(await firstLine(child.stdout)) as Omit<ServedHost, 'child'>;
    return { ...hello, child };
  } catch (error) {
    throw new Error(`The host did not start: ${stderr}`, { cause: error });
  }
}
