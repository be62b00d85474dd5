// A host in its own process, used over REST, that can be killed and restarted.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface StressHost {
  /** Null when the host did not respond; it may have received the request. */
  ask(method: string, path: string, body?: object, key?: string): Promise<Answer | null>;
  kill(): Promise<void>;
  /** Stops it and returns its exit code. */
  stop(): Promise<number | null>;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export async function startStressHost(dataDir: string): Promise<StressHost> {
  const child = spawn(
    process.execPath,
    ['bin/holdfast.mjs', 'serve', '--data', dataDir, '--json'],
    {
      cwd: root,
      env: {
        ...process.env,
        RUNNER_ENABLED: 'true',
        RUNNER_CONCURRENCY: '8',
        RUNNER_MAX_QUEUE_SIZE: '100000',
        RUNNER_MAX_QUEUED_PER_USER: '100000',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const { url, token } = JSON.parse(await firstLine(child)) as { url: string; token: string };
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    const exited = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exited) as [number | null];
    return code;
  };
  return {
    async ask(method, path, body, key) {
      try {
        const response = await fetch(`${url}/api/runner/${path}`, {
          method,
          headers: {
            Authorization: `Bearer ${token}`,
            ...(key === undefined ? {} : { 'Idempotency-Key': key }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        return { status: response.status, body: (await response.json()) as Answer['body'] };
      } catch {
        return null;
      }
    },
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The host has no output.');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The host ended before it said where it is.');
}
