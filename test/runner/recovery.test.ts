// Recovery after a crash: real hosts are killed while their scripts run, and others take over.
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { logPath } from '#main/runner/log-file.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { exitOf, serveHost, type ServedHost } from '#test/support/child-processes.ts';
import type { RunnerSetUp } from '#test/support/start-runner.ts';
import { isRunning, markedPids, writeRegistry } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const LONG = `echo up; trap '' TERM HUP PIPE; sleep 301 & (setsid sleep 302 >/dev/null 2>&1 &) ; wait; wait; sleep 303`;

async function serve(scripts: RunnerSetUp['scripts'], dataDir = tempFolder()) {
  writeRegistry(dataDir, scripts);
  process.env['RUNNER_ENABLED'] = 'true';
  const served = await serveHost(dataDir);
  delete process.env['RUNNER_ENABLED'];
  return { dataDir, served };
}

async function ask(
  served: ServedHost,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${served.url}/api/runner/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${served.token}` },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function kill(served: ServedHost): Promise<void> {
  const exited = exitOf(served.child);
  served.child.kill('SIGKILL');
  await exited;
}

function open(dataDir: string, isEnabled = true): Host {
  const host = createHost({ dataDir, createLog: createSilentLog, runner: { isEnabled } });
  onTestFinished(() => host.close());
  return host;
}

const ended = (host: Host, id: string): Promise<RunnerJob> =>
  host.runner.queue.whenEnded(id, new AbortController().signal);

describe('a killed host', () => {
  test('[RV-1] [RV-2] its jobs fail as recovered_after_crash, and their processes are killed', async () => {
    const { dataDir, served } = await serve({ long: { sh: LONG }, later: { sh: 'echo later' } });
    const { id } = await ask(served, 'jobs', { repo_key: 'main', script_key: 'long' });
    await expect
      .poll(async () => (await ask(served, `jobs/${String(id)}/logs`))['data'], { timeout: 10_000 })
      .toContain('up\n');
    await expect.poll(() => markedPids(String(id)).length).toBe(3);
    const pids = markedPids(String(id));
    await ask(served, `jobs/${String(id)}/cancel`, {});
    await kill(served);
    expect(pids.some(isRunning)).toBe(true);

    const host = open(dataDir);
    const waiting = host.runner.queue.enqueue({
      requestedBy: 'me',
      idempotencyKey: null,
      repoKey: 'main',
      scriptKey: 'later',
      args: {},
    });
    const job = await ended(host, String(id));
    expect(job.state).toMatchObject({ status: 'failed', reason: 'recovered_after_crash' });
    const last = host.stores.runnerJobs.events(job.id).at(-1);
    expect(last).toMatchObject({
      type: 'recovered_after_crash',
      detail: { machine: 'same', left: [] },
    });
    for (const pid of pids) expect(isRunning(pid), String(pid)).toBe(false);
    const log = readFileSync(logPath(host.runner.config.logDir, job.id), 'utf8');
    expect(log).toContain('up\n');
    expect(log).toContain('Holdfast stopped while this script ran');
    expect(Buffer.byteLength(log)).toBe(job.logBytes);
    if (waiting.type === 'refused') throw new Error(waiting.message);
    expect((await ended(host, waiting.job.id)).state.status).toBe('succeeded');
  }, 60_000);

  test('[RV-6] a host that gets SIGTERM ends its jobs before it exits', async () => {
    const { dataDir, served } = await serve({ long: { sh: LONG, graceSeconds: 0.2 } });
    const { id } = await ask(served, 'jobs', { repo_key: 'main', script_key: 'long' });
    await expect.poll(() => markedPids(String(id)).length, { timeout: 10_000 }).toBe(3);
    const exited = exitOf(served.child);
    served.child.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(markedPids(String(id))).toEqual([]);
    const host = open(dataDir, false);
    expect(host.stores.runnerJobs.get(String(id))?.state).toMatchObject({
      status: 'failed',
      reason: 'host_stopped',
    });
    expect(host.stores.runnerLauncher.get().owner).toBeNull();
  }, 60_000);
});
