// A real host in its own process, called over HTTP like by any other program.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { CallInput, CallName, CallOutput, RunView } from '#shared/api/contract.ts';
import { runEventKey } from '#shared/run-log.ts';

const ROOT = join(import.meta.dirname, '../../..');
const firstLineSchema = z.object({ url: z.string(), token: z.string(), pid: z.number() });

export interface HostProcess {
  readonly url: string;
  readonly token: string;
  readonly port: number;
  /** The URL a person opens. */
  link(path?: string): string;
  call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallOutput<Name>>;
  append(run: RunView, event: AppendedEvent): Promise<void>;
  kill(): Promise<void>;
}

export interface AppendedEvent {
  readonly eventType: string;
  readonly stepId?: string;
  readonly payload?: Record<string, string>;
}

export async function startHost(
  dataDir: string,
  port = 0,
  env: NodeJS.ProcessEnv = {},
): Promise<HostProcess> {
  const args = ['serve', '--data', dataDir, '--port', String(port), '--json'];
  const child = spawn(process.execPath, [join(ROOT, 'bin/holdfast.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const { url, token } = firstLineSchema.parse(JSON.parse(await firstLine(child)));
  const call: HostProcess['call'] = async (name, input) => {
    const response = await fetch(`${url}/api/call/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    const body = (await response.json()) as { ok: boolean; output: never };
    if (!body.ok) throw new Error(`${name} was refused: ${JSON.stringify(body)}`);
    return body.output;
  };
  return {
    url,
    token,
    port: Number(new URL(url).port),
    link: (path = '/') => `${url}${path}#token=${token}`,
    call,
    async append(run, event) {
      const { spaceId } = await call('host.info', {});
      const parts = {
        ...event,
        runId: run.id,
        planId: 'plan',
        planVersion: '1',
        logicalAttemptId: 1,
      };
      await call('runs.appendEvent', {
        ...parts,
        eventId: crypto.randomUUID(),
        emittedAt: new Date().toISOString(),
        tenantId: spaceId,
        projectId: run.workflowId,
        environmentId: run.lane,
        engineAttemptId: 1,
        idempotencyKey: runEventKey(parts),
      });
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout || !child.stderr) throw new Error('The host process has no stdio.');
  let complaints = '';
  child.stderr.on('data', (text: Buffer) => (complaints += text.toString()));
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The host ended before it said where it is:\n${complaints}`);
  });
  const late = wait(60_000, undefined, { ref: false }).then(() => {
    throw new Error(`The host did not say where it is:\n${complaints}`);
  });
  const [line] = await Promise.race([once(lines, 'line'), ended, late]);
  ended.catch(() => undefined);
  late.catch(() => undefined);
  return String(line);
}
