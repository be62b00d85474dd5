// Recovery after a crash: real hosts are killed while their scripts run, and others take over.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { LinuxTree } from '#main/runner/linux-tree.ts';
import { logPath } from '#main/runner/log-file.ts';
import { createCgroups } from '#main/runner/cgroups.ts';
import { recoverJobs } from '#main/runner/recovery.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { openStore } from '#test/support/open-store.ts';
import { exitOf, serveHost, type ServedHost } from '#test/support/child-processes.ts';
import { startRunner, type RunnerSetUp } from '#test/support/start-runner.ts';
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

describe('recovery', () => {
  function claimed(more: { pid?: number; started?: string; bootId?: string; spawn?: boolean }) {
    const store = openStore();
    const self = { owner: 'dead', bootId: 'x', pid: 1, pidStarted: '0' };
    const old = store.runnerLauncher.acquire(self, () => true) as number;
    const job = store.runnerJobs.create({
      requestedBy: 'me',
      idempotencyKey: null,
      payloadHash: 'h',
      repoKey: 'r',
      scriptKey: 's',
      args: {},
      timeoutMs: 1000,
    });
    const tree = new LinuxTree(createCgroups());
    store.runnerJobs.claim({ version: old, bootId: more.bootId ?? tree.bootId ?? '' }, []);
    if (more.spawn ?? true) store.runnerJobs.spawnAsked(job.id, old);
    if (more.pid !== undefined)
      store.runnerJobs.spawned(job.id, old, more.pid, more.started ?? null);
    const version = store.runnerLauncher.acquire({ ...self, owner: 'young' }, () => true) as number;
    const clock = {
      ...store.clock,
      now: Date.now,
      sleep: (ms: number) => new Promise<void>((wake) => setTimeout(wake, ms)),
    };
    const recover = () =>
      recoverJobs({ jobs: store.runnerJobs, tree, logDir: tempFolder(), clock }, version);
    return { store, job, tree, recover };
  }

  function stranger(env: NodeJS.ProcessEnv = {}): number {
    const child = spawn('sleep', ['300'], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, ...env },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child.pid as number;
  }

  test("[RV-2] a process with the leader's pid but another start time is not killed", async () => {
    const pid = stranger();
    const { store, job, recover } = claimed({ pid, started: '12345' });
    expect(await recover()).toBe(1);
    expect(isRunning(pid)).toBe(true);
    expect(store.runnerJobs.get(job.id)?.state).toMatchObject({ reason: 'recovered_after_crash' });
    expect(store.runnerJobs.events(job.id).at(-1)?.detail).toMatchObject({ survivors: 0 });
  });

  test('[RV-2] the leader and processes with the mark of the job are killed, others are not', async () => {
    const leader = stranger();
    const tree = new LinuxTree(null);
    const { job, recover, store } = claimed({ pid: leader, started: tree.startOf(leader) ?? '' });
    const marked = stranger({ HOLDFAST_RUNNER_JOB: job.id });
    const other = stranger({ HOLDFAST_RUNNER_JOB: 'another-job' });
    await recover();
    expect([leader, marked, other].map(isRunning)).toEqual([false, false, true]);
    expect(store.runnerJobs.events(job.id).at(-1)?.detail).toMatchObject({
      survivors: 2,
      machine: 'same',
    });
  });

  test("[RV-2] after a reboot no process is killed, even with the leader's pid and start time", async () => {
    const pid = stranger();
    const started = new LinuxTree(null).startOf(pid) ?? '';
    const { store, job, recover } = claimed({ pid, started, bootId: 'an older start' });
    await recover();
    expect(isRunning(pid)).toBe(true);
    expect(store.runnerJobs.events(job.id).at(-1)?.detail).toMatchObject({ machine: 'restarted' });
  });

  test('[RV-1] a claimed job that never started is recovered', async () => {
    const { store, job, recover } = claimed({ spawn: false });
    writeFileSync(join(tempFolder(), 'x'), '');
    await recover();
    expect(store.runnerJobs.get(job.id)).toMatchObject({
      state: { status: 'failed', reason: 'recovered_after_crash' },
      spawn: null,
    });
  });
});

describe('launcher', () => {
  test('[RV-3] no process starts before the fsync of its claim', async () => {
    const runner = startRunner({ scripts: { hi: { sh: 'echo hi > started' } } });
    const { db } = runner.host.folder;
    const real = db.writeThenFsync.bind(db);
    let finishFsync: () => void = () => undefined;
    let claims = 0;
    db.writeThenFsync = (work) => {
      const { result, onDisk } = real(work);
      claims += 1;
      return { result, onDisk: onDisk.then(() => new Promise<void>((go) => (finishFsync = go))) };
    };
    const job = runner.run('hi');
    await expect.poll(() => claims).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(runner.host.stores.runnerJobs.get(job.id)).toMatchObject({
      state: { status: 'running' },
      spawn: null,
    });
    finishFsync();
    expect((await runner.ended(job)).state.status).toBe('succeeded');
    db.writeThenFsync = real;
  });

  test('[RU-13] concurrency stays within the overall limit and the limit per script', async () => {
    const runner = startRunner({
      scripts: {
        // `ls` may fail when a file is removed after the pattern was expanded.
        wide: { sh: 'echo > w.$$; ls w.* 2>/dev/null | wc -l; sleep 0.1; rm w.$$' },
        narrow: { sh: 'mkdir only || exit 9; sleep 0.05; rmdir only', concurrency: 1 },
      },
      config: { concurrency: 3 },
    });
    const jobs = Array.from({ length: 12 }, (_, n) => runner.run(n % 2 === 0 ? 'wide' : 'narrow'));
    const ends = await Promise.all(jobs.map((job) => runner.ended(job)));
    expect(ends.map(({ state }) => state.status)).toEqual(ends.map(() => 'succeeded'));
    const atOnce = ends
      .filter(({ scriptKey }) => scriptKey === 'wide')
      .map((job) => Number(runner.output(job)));
    expect(Math.max(...atOnce)).toBeGreaterThan(1);
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(3);
    const starts = ends.filter(({ scriptKey }) => scriptKey === 'narrow').map(({ id }) => id);
    expect(starts).toEqual(starts.toSorted());
  });

  test("[RU-12] a launcher that lost its lock kills its processes and can't record their end", async () => {
    const runner = startRunner({ scripts: { long: { sh: 'echo up; sleep 300' } } });
    const job = runner.run('long');
    await runner.said(job, 'up\n');
    const { runnerLauncher, runnerJobs } = runner.host.stores;
    const usurper = { owner: 'usurper', bootId: 'x', pid: 1, pidStarted: null };
    const version = runnerLauncher.acquire(usurper, () => true) as number;
    runner.host.runner.queue.cancel(job.id);
    await expect.poll(() => markedPids(job.id)).toEqual([]);
    expect(runnerJobs.get(job.id)?.state.status).toBe('cancel_requested');
    const end = { type: 'fail', reason: 'recovered_after_crash', at: Date.now() } as const;
    expect(runnerJobs.end(job.id, version, end)).toMatchObject({ type: 'moved' });
  });

  test('[RU-11] jobs wait while the runner is off and run after it is turned on', async () => {
    const off = startRunner({ scripts: { hi: { sh: 'echo hi' } }, config: { isEnabled: false } });
    const job = off.run('hi');
    const cancelled = off.run('hi');
    expect(off.host.runner.queue.cancel(cancelled.id)).toMatchObject({
      state: { status: 'canceled' },
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(off.host.stores.runnerJobs.get(job.id)?.state).toEqual({ status: 'queued' });
    await off.host.close();
    const host = open(off.host.folder.dir);
    expect((await ended(host, job.id)).state.status).toBe('succeeded');
    expect(host.stores.runnerJobs.get(cancelled.id)?.spawn).toBeNull();
  });
});
