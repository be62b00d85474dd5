// Starts the processes of the crash matrix: the outside service and the hosts.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HostJob, HostReport } from '#test/crash/matrix/cell.ts';

/** Longer than the timeout inside a host, for a process that hangs. */
const HOST_TIMEOUT_MS = 60_000;

export interface Outside {
  readonly url: string;
  readonly smtpPort: number;
  close(): void;
}

export async function startOutside(): Promise<Outside> {
  const child = spawn(process.execPath, [fileOf('outside-service.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const addresses = JSON.parse(line) as Pick<Outside, 'url' | 'smtpPort'>;
    return { ...addresses, close: () => child.kill('SIGKILL') };
  }
  throw new Error('The outside service did not start.');
}

export type HostEnd =
  | { readonly type: 'killed' }
  | ({ readonly type: 'ended' } & HostReport)
  /** It hung or exited with an error. */
  | { readonly type: 'crashed'; readonly error: string };

export async function runHost(job: HostJob, env: NodeJS.ProcessEnv = {}): Promise<HostEnd> {
  const { child, ended } = startHost('crash-host.ts', JSON.stringify(job), env);
  let hasTimedOut = false;
  const limit = setTimeout(() => {
    hasTimedOut = true;
    child.kill('SIGKILL');
  }, HOST_TIMEOUT_MS);
  const { code, signal, stdout, stderr } = await ended;
  clearTimeout(limit);
  if (hasTimedOut) {
    return { type: 'crashed', error: `timed out after ${HOST_TIMEOUT_MS} ms. ${stderr}` };
  }
  if (signal === 'SIGKILL') return { type: 'killed' };
  if (code !== 0) return { type: 'crashed', error: `exit code ${code}, ${signal}. ${stderr}` };
  return { type: 'ended', ...(JSON.parse(stdout) as HostReport) };
}

export interface StartedHost {
  readonly child: ChildProcess & { readonly stdout: NodeJS.ReadableStream };
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly stdout: string;
    readonly stderr: string;
  }>;
}

export function startHost(
  file: string,
  argument: string,
  env: NodeJS.ProcessEnv = {},
): StartedHost {
  const child = spawn(process.execPath, [fileOf(file), argument], {
    // Hundreds of short processes share their compiled code.
    env: { NODE_COMPILE_CACHE: fileOf('../../../.cache/compiled'), ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended: StartedHost['ended'] = new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

function fileOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
