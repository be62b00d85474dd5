// Who holds the launcher's lock, and which jobs its holder starts.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHost } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { Execution } from '#main/runner/executor.ts';
import { Launcher } from '#main/runner/launcher.ts';
import { LinuxTree } from '#main/runner/linux-tree.ts';
import { createNetworkIsolation } from '#main/runner/network-isolation.ts';
import { RegistryFile } from '#main/runner/registry-file.ts';
import { createMasker } from '#main/secrets/masker.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { openStore } from '#test/support/open-store.ts';
import { markedPids, writeRegistry } from '#test/support/runner-files.ts';
import { startRunner } from '#test/support/start-runner.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const HEARTBEAT_MS = 10_000;
const LEASE_MS = 30_000;

function setUp(holder: { bootId?: string; pid?: number; started?: string } = {}) {
  const store = openStore();
  const { clock, runnerLauncher: lock } = store;
  const tree = new LinuxTree(null);
  const pid = holder.pid ?? livingProcess();
  const other = {
    owner: 'other',
    bootId: holder.bootId ?? tree.bootId ?? '',
    pid,
    pidStarted: holder.started ?? tree.startOf(pid),
  };
  const version = lock.acquire(other, () => true) as number;
  const { id: jobId } = store.runnerJobs.create({
    requestedBy: 'me',
    idempotencyKey: null,
    payloadHash: 'h',
    repoKey: 'r',
    scriptKey: 's',
    args: {},
    timeoutMs: 1000,
  });
  store.runnerJobs.claim({ version, bootId: other.bootId }, []);
  const logDir = tempFolder();
  const { registryPath } = writeRegistry(logDir, {});
  const launcher = new Launcher({
    db: store.db,
    jobs: store.runnerJobs,
    registry: new RegistryFile(registryPath, () => undefined),
    tree,
    logDir,
    masker: createMasker(),
    secret: async (name) => name,
    clock,
    log: createSilentLog(),
    isolation: createNetworkIsolation(),
    logGrew: () => undefined,
    lock,
    concurrency: 1,
    maxLogDirBytes: 1,
    owner: 'us',
  });
  onTestFinished(() => launcher.stop());
  launcher.start();
  return {
    clock,
    lock,
    jobs: store.runnerJobs,
    jobId,
    launcher,
    version,
    owner: () => lock.get().owner,
  };
}

function livingProcess(): number {
  const child = spawn('sleep', ['300'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid as number;
}

describe('a job that was claimed', () => {
  function claimed() {
    const store = openStore();
    const { clock, runnerLauncher, runnerJobs: jobs } = store;
    const scripts = { tool: { sh: 'echo ran > ran.txt', env: { secrets: { KEY: 'key' } } } };
    const { repo, registryPath } = writeRegistry(tempFolder(), scripts);
    const self = { owner: 'us', bootId: '', pid: process.pid, pidStarted: null };
    const version = runnerLauncher.acquire(self, () => true) as number;
    const { id } = jobs.create({
      requestedBy: 'me',
      idempotencyKey: null,
      payloadHash: 'h',
      repoKey: 'main',
      scriptKey: 'tool',
      args: {},
      timeoutMs: 60_000,
    });
    const job = jobs.claim({ version, bootId: '' }, []) as RunnerJob;
    let giveSecret: (value: string) => void = () => undefined;
    const secret = new Promise<string>((resolve) => (giveSecret = resolve));
    const context = {
      jobs,
      registry: new RegistryFile(registryPath, () => undefined),
      tree: new LinuxTree(null),
      logDir: tempFolder(),
      masker: createMasker(),
      secret: () => secret,
      clock,
      log: createSilentLog(),
      isolation: createNetworkIsolation(),
      logGrew: () => undefined,
    };
    return {
      jobs,
      id,
      self,
      lock: runnerLauncher,
      execution: new Execution(context, job, version),
      giveSecret,
      hasRun: () => existsSync(join(repo, 'ran.txt')),
    };
  }

  test('[RX-3] and canceled before its process starts never starts it', async () => {
    const { jobs, id, execution, giveSecret, hasRun } = claimed();
    jobs.requestCancel(id);
    execution.end('cancel');
    giveSecret('value');
    await execution.done;
    expect(jobs.get(id)).toMatchObject({ state: { status: 'canceled' }, spawn: null });
    expect(hasRun()).toBe(false);
  });

  test('[RU-12] by a launcher that lost its lock meanwhile never starts', async () => {
    const { jobs, id, lock, self, execution, giveSecret, hasRun } = claimed();
    lock.acquire({ ...self, owner: 'another' }, () => true);
    giveSecret('value');
    await execution.done;
    expect(jobs.get(id)).toMatchObject({ state: { status: 'running' }, spawn: null });
    expect(hasRun()).toBe(false);
  });

  test('[RV-6] and runs when the host stops is ended and recorded before the host has stopped', async () => {
    const runner = startRunner({ scripts: { long: { sh: 'echo up; sleep 300' } } });
    const job = runner.run('long');
    await runner.said(job, 'up\n');
    const { jobs } = runner.host.runner.queue;
    const { close } = runner.host.folder.db;
    let atClose: RunnerJob | undefined;
    runner.host.folder.db.close = function () {
      atClose = jobs.get(job.id);
      close.call(this);
    };
    await runner.host.close();
    expect(atClose?.state).toMatchObject({ status: 'failed', reason: 'host_stopped' });
    expect(markedPids(job.id)).toEqual([]);
  });
});

describe('the lock of a launcher', () => {
  test('[RU-12] stays with a living holder as long as it has a heartbeat, and then for the lease', async () => {
    const { clock, lock, version, owner } = setUp();
    expect(owner()).toBe('other');
    for (let beat = 0; beat < 5; beat += 1) {
      await clock.advance(HEARTBEAT_MS);
      expect(lock.heartbeat(version)).toBe(true);
    }
    await clock.advance(LEASE_MS);
    expect(owner()).toBe('other');
    await clock.advance(HEARTBEAT_MS);
    expect(owner()).toBe('us');
  });

  test('[RU-12] is taken at once from a process whose pid another one has now', () => {
    expect(setUp({ started: '12345' }).owner()).toBe('us');
  });

  test('[RU-12] is taken at once from a launcher of an earlier boot', () => {
    expect(setUp({ bootId: 'an earlier boot' }).owner()).toBe('us');
  });

  test('[RV-1] comes with the jobs of its former holder, which fail as recovered', async () => {
    const { jobs, jobId, launcher } = setUp({ bootId: 'an earlier boot' });
    await expect.poll(() => launcher.isHolding).toBe(true);
    expect(jobs.get(jobId)?.state).toMatchObject({ reason: 'recovered_after_crash' });
  });

  test('[RU-12] is noticed as lost at the next heartbeat', async () => {
    const { clock, lock, launcher } = setUp({ bootId: 'an earlier boot' });
    await expect.poll(() => launcher.isHolding).toBe(true);
    lock.acquire({ owner: 'third', bootId: '', pid: 1, pidStarted: null }, () => true);
    await clock.advance(HEARTBEAT_MS);
    expect(launcher.isHolding).toBe(false);
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

  test('[RU-13] exactly as many jobs run at a time as the limit says', async () => {
    const sh = 'echo up; while [ ! -e go ]; do sleep 0.02; done';
    const runner = startRunner({ scripts: { wait: { sh } }, config: { concurrency: 3 } });
    const jobs = Array.from({ length: 5 }, () => runner.run('wait'));
    await Promise.all(jobs.slice(0, 3).map((job) => runner.said(job, 'up\n')));
    const { runnerJobs } = runner.host.stores;
    expect(runnerJobs.active()).toHaveLength(3);
    expect(runnerJobs.queuedCount()).toBe(2);
    writeFileSync(join(runner.repo, 'go'), '');
    const ends = await Promise.all(jobs.map((job) => runner.ended(job)));
    expect(ends.map(({ state }) => state.status)).toEqual(ends.map(() => 'succeeded'));
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
    const host = createHost({
      dataDir: off.host.folder.dir,
      createLog: createSilentLog,
      runner: { isEnabled: true },
    });
    onTestFinished(() => host.close());
    const ended = await host.runner.queue.whenEnded(job.id, new AbortController().signal);
    expect(ended.state.status).toBe('succeeded');
    expect(host.stores.runnerJobs.get(cancelled.id)?.spawn).toBeNull();
  });
});
