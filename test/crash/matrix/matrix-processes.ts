// The processes of the crash matrix: the outside, and one host life after another.
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { HostJob, HostReport } from '#test/crash/matrix/cell.ts';

/** Longer than any host is patient: a process that hangs is stuck, too. */
const HOST_LIMIT_MS = 60_000;

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
    const places = JSON.parse(line) as Pick<Outside, 'url' | 'smtpPort'>;
    return { ...places, close: () => child.kill('SIGKILL') };
  }
  throw new Error('The outside service did not start.');
}

export type HostEnd =
  | { readonly type: 'killed' }
  | ({ readonly type: 'ended' } & HostReport)
  /** It ended in another way: its last words. */
  | { readonly type: 'broke'; readonly words: string };

export async function runHost(job: HostJob): Promise<HostEnd> {
  const { child, ended } = startHost('crash-host.ts', JSON.stringify(job));
  let isOverdue = false;
  const limit = setTimeout(() => {
    isOverdue = true;
    child.kill('SIGKILL');
  }, HOST_LIMIT_MS);
  const { code, signal, stdout, stderr } = await ended;
  clearTimeout(limit);
  if (isOverdue) return { type: 'broke', words: `no end within ${HOST_LIMIT_MS} ms. ${stderr}` };
  if (signal === 'SIGKILL') return { type: 'killed' };
  if (code !== 0) return { type: 'broke', words: `exit code ${code}, ${signal}. ${stderr}` };
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

export function startHost(file: string, argument: string): StartedHost {
  const child = spawn(process.execPath, [fileOf(file), argument], {
    // Hundreds of short lives: what was compiled for one serves the next.
    env: { NODE_COMPILE_CACHE: fileOf('../../../.cache/compiled'), ...process.env },
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
