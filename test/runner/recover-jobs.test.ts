// What recovery does with the jobs of a dead launcher, and with their processes.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createCgroups } from '#main/runner/cgroups.ts';
import { LinuxTree } from '#main/runner/linux-tree.ts';
import { logPath } from '#main/runner/log-file.ts';
import { recoverJobs } from '#main/runner/recovery.ts';
import { openStore } from '#test/support/open-store.ts';
import { isRunning } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

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
    const logDir = tempFolder();
    const recover = () => recoverJobs({ jobs: store.runnerJobs, tree, logDir, clock }, version);
    const log = () => readFileSync(logPath(logDir, job.id), 'utf8');
    return { store, job, tree, recover, log };
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
    const { job, recover, store, log } = claimed({
      pid: leader,
      started: tree.startOf(leader) ?? '',
    });
    const marked = stranger({ HOLDFAST_RUNNER_JOB: job.id });
    const other = stranger({ HOLDFAST_RUNNER_JOB: 'another-job' });
    await recover();
    expect([leader, marked, other].map(isRunning)).toEqual([false, false, true]);
    expect(store.runnerJobs.events(job.id).at(-1)?.detail).toMatchObject({
      survivors: 2,
      machine: 'same',
    });
    expect(log()).toContain('2 of its processes were still running and were stopped.');
  });

  test("[RV-2] after a reboot no process is killed, even with the leader's pid and start time", async () => {
    const pid = stranger();
    const started = new LinuxTree(null).startOf(pid) ?? '';
    const { store, job, recover } = claimed({ pid, started, bootId: 'an older start' });
    await recover();
    expect(isRunning(pid)).toBe(true);
    expect(store.runnerJobs.events(job.id).at(-1)?.detail).toMatchObject({ machine: 'restarted' });
  });

  test('[RV-1] a claimed job that never started is recovered once, and its log says so', async () => {
    const { store, job, recover, log } = claimed({ spawn: false });
    expect(await recover()).toBe(1);
    expect(log()).toBe('\n\u001e0[holdfast] Holdfast stopped while this script ran.\n');
    expect(store.runnerJobs.get(job.id)?.logBytes).toBe(Buffer.byteLength(log()));
    expect(await recover()).toBe(0);
    expect(store.runnerJobs.get(job.id)).toMatchObject({
      state: { status: 'failed', reason: 'recovered_after_crash' },
      spawn: null,
    });
  });
});
