// The `holdfast` command as a person runs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Mismatch } from '#test/blackbox/harness/expect.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const HOLDFAST = fileURLToPath(new URL('../../../bin/holdfast.mjs', import.meta.url));

/** A command that takes longer hangs. */
const COMMAND_DEADLINE_MS = 90_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, as a person sees them on a terminal. */
  readonly text: string;
}

export interface Environment {
  readonly [name: string]: string;
}

/** Nothing of the caller's Holdfast settings, and nothing that leaves this machine. */
export function environmentOf(more: Environment = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(HOLDFAST_DATA|HOLDFAST_METRICS|RUNNER_|OTEL_|NODE_OPTIONS$|VITEST)/.test(name),
  );
  return {
    ...Object.fromEntries(own),
    HOLDFAST_LINK_HOST: '127.0.0.1',
    HOLDFAST_LINK_PORT: '0',
    HOLDFAST_STATE: join(tmpdir(), 'holdfast-blackbox-state'),
    NO_COLOR: '1',
    ...more,
  };
}

export async function holdfast(
  args: readonly string[],
  { input = '', env = {} }: { readonly input?: string; readonly env?: Environment } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [HOLDFAST, ...args], {
    cwd: root,
    env: environmentOf(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), COMMAND_DEADLINE_MS);
  let stdout = '';
  let stderr = '';
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
    text += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
    text += part;
  });
  // A command that ends early doesn't read its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { code, stdout, stderr, text };
}

export function expectDone(args: readonly string[], { code, stdout, text }: Ended): string {
  if (code === 0) return stdout;
  throw new Mismatch(`holdfast ${args.join(' ')}`, 'exit code 0', `exit code ${code}: ${text}`);
}

/** The message of a command that must be refused: not a stack, not an empty line. */
export function expectRefused(args: readonly string[], { code, text }: Ended): string {
  const isMessage = text.trim() !== '' && !/\n\s+at /.test(text);
  if (code !== 0 && code !== null && isMessage) return text;
  throw new Mismatch(
    `holdfast ${args.join(' ')}`,
    'a non-zero exit code and a message',
    `exit code ${code}: ${text}`,
  );
}
