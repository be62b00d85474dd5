// Real scripts, well-behaved and not: every job ends with a correct record and leaves no process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCgroups } from '#main/runner/cgroups.ts';
import { LinuxTree } from '#main/runner/linux-tree.ts';
import { statOf } from '#main/runner/proc-files.ts';
import { PsTree } from '#main/runner/ps-tree.ts';
import { killTree } from '#main/runner/kill-tree.ts';
import { systemClock } from '#main/platform/system.ts';
import { startRunner } from '#test/support/start-runner.ts';
import { isRunning, markedPids } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const pidIn = (path: string): number => Number(readFileSync(path, 'utf8'));

describe('running a job', () => {
  test('[RX-2] exit codes and signals are recorded', async () => {
    const runner = startRunner({
      scripts: {
        good: { sh: 'exit 0' },
        bad: { sh: 'exit 7' },
        shot: { sh: 'kill -SEGV $$' },
      },
    });
    expect((await runner.outcome('good')).state).toMatchObject({
      status: 'succeeded',
      exitCode: 0,
    });
    expect((await runner.outcome('bad')).state).toMatchObject({ status: 'failed', exitCode: 7 });
    const shot = await runner.outcome('shot');
    expect(shot).toMatchObject({
      state: { status: 'failed', exitCode: 139 },
      exitSignal: 'SIGSEGV',
    });
  });

  test("[RX-2] a script that can't be started fails with the reason, and the next job runs", async () => {
    const runner = startRunner({ scripts: { broken: { sh: '' }, good: { sh: 'exit 0' } } });
    writeFileSync(join(runner.repo, 'broken.sh'), '#!/no/such/interpreter\n');
    const broken = await runner.outcome('broken');
    expect(broken.state).toMatchObject({ status: 'failed', reason: 'could_not_start' });
    expect(runner.host.stores.runnerJobs.events(broken.id).at(-1)?.detail).toMatchObject({
      message: expect.stringContaining('ENOENT'),
    });
    expect((await runner.outcome('good')).state.status).toBe('succeeded');
  });

  test('[RX-1] a script gets only the listed environment variables', async () => {
    process.env['HIDDEN_FROM_SCRIPTS'] = 'hidden';
    const runner = startRunner({
      scripts: {
        usual: { sh: 'env' },
        listed: { sh: 'env', env: { pass: ['HOME'], set: { COLOUR: 'blue; rm -rf x' } } },
      },
    });
    const usual = runner.output(await runner.outcome('usual'));
    expect(usual).toContain(`PATH=${process.env['PATH']}`);
    expect(usual).not.toContain('hidden');
    const listed = await runner.outcome('listed');
    const names = [...runner.output(listed).matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);
    // The shell adds some variables itself.
    expect(
      names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).toSorted(),
    ).toEqual(['COLOUR', 'HOLDFAST_RUNNER_JOB', 'HOME']);
    expect(runner.output(listed)).toContain('COLOUR=blue; rm -rf x\n');
    delete process.env['HIDDEN_FROM_SCRIPTS'];
  });

  test('[RX-1] a script runs in its repo with empty stdin and in its own session', async () => {
    const runner = startRunner({
      scripts: { where: { sh: 'pwd; cat; cut -d" " -f1,5,6 /proc/$$/stat' } },
    });
    const lines = runner.output(await runner.outcome('where')).split('\n');
    expect(lines[0]).toBe(runner.repo);
    const [pid, group, session] = (lines[1] ?? '').split(' ');
    expect([group, session]).toEqual([pid, pid]);
  });
});

describe('ending a job', () => {
  // Without a loop, because a process that the shell just forked still has its trap.
  const POLITE = `trap 'echo bye; exit 3' TERM; sleep 60 & sleep 0.2; echo up; wait`;
  const STUBBORN = `trap '' TERM; echo up; while :; do sleep 0.05; done`;

  test('[RX-3] a canceled script gets SIGTERM and can exit with its own code', async () => {
    const runner = startRunner({ scripts: { polite: { sh: POLITE } } });
    const job = runner.run('polite');
    await runner.said(job, 'up\n');
    expect(runner.host.runner.queue.cancel(job.id)).toMatchObject({
      state: { status: 'cancel_requested' },
    });
    const ended = await runner.ended(job);
    expect(ended.state).toMatchObject({ status: 'canceled', exitCode: 3 });
    expect(runner.output(job)).toMatch(/^up\n(?:Terminated\n)?bye\n$/);
    expect(runner.notes(job)).toContain('Canceled');
    expect(markedPids(job.id)).toEqual([]);
  });

  test('[RX-3] a script that ignores SIGTERM is killed after the grace period', async () => {
    const runner = startRunner({ scripts: { stubborn: { sh: STUBBORN, graceSeconds: 0.3 } } });
    const job = runner.run('stubborn');
    await runner.said(job, 'up\n');
    const askedAt = performance.now();
    runner.host.runner.queue.cancel(job.id);
    const ended = await runner.ended(job);
    expect(performance.now() - askedAt).toBeGreaterThan(290);
    expect(ended).toMatchObject({ state: { status: 'canceled' }, exitSignal: 'SIGKILL' });
    expect(runner.notes(job)).toContain('was killed');
    expect(markedPids(job.id)).toEqual([]);
  });

  test('[RX-3] a script over its timeout is killed and recorded as timed out', async () => {
    const runner = startRunner({
      scripts: { slow: { sh: STUBBORN, timeoutSeconds: 0.4, graceSeconds: 0.1 } },
    });
    const job = runner.run('slow');
    const ended = await runner.ended(job);
    expect(ended.state.status).toBe('timed_out');
    expect(ended.state).not.toHaveProperty('exitCode');
    expect(markedPids(job.id)).toEqual([]);
  });

  test("[RX-3] a request can shorten the registry's timeout, not extend it", async () => {
    const runner = startRunner({ scripts: { slow: { sh: 'sleep 60', timeoutSeconds: 300 } } });
    expect(runner.run('slow', { timeoutSeconds: 9999 }).timeoutMs).toBe(300_000);
    const short = await runner.outcome('slow', { timeoutSeconds: 0.2 });
    expect(short.state.status).toBe('timed_out');
  });

  test.each([true, false])(
    '[RX-4] daemons and processes in other groups and sessions are killed (cgroups: %s)',
    async (usesCgroups) => {
      const escapes: Record<string, string> = {
        background: 'sleep 300 & echo $! > PIDS',
        own_group: 'set -m; sleep 300 & echo $! > PIDS',
        own_session: 'setsid sh -c "echo \\$\\$ > PIDS; exec sleep 300" &',
        daemon:
          '(setsid sh -c "echo \\$\\$ > PIDS; exec sleep 300" </dev/null >/dev/null 2>&1 &) &',
        cleared:
          '(setsid env -i sh -c "echo \\$\\$ > PIDS; exec /bin/sleep 300" </dev/null >/dev/null 2>&1 &) &',
        deaf: 'trap "" TERM HUP; (setsid sh -c "echo \\$\\$ > PIDS; while :; do sleep 0.1; done" >/dev/null 2>&1 &) &',
      };
      const scripts = Object.fromEntries(
        Object.entries(escapes).map(([name, sh]) => [
          name,
          {
            sh: `${sh.replaceAll('PIDS', `${name}.pid`)}\nwhile [ ! -s ${name}.pid ]; do sleep 0.02; done; echo done`,
            graceSeconds: 0.2,
          },
        ]),
      );
      // Only a cgroup finds a process that clears its environment and loses its parent at once.
      if (!usesCgroups || createCgroups() === null) delete escapes['cleared'];
      const runner = startRunner({ scripts, config: { usesCgroups } });
      for (const name of Object.keys(escapes)) {
        const job = await runner.outcome(name);
        expect(job.state.status, name).toBe('succeeded');
        const pid = pidIn(join(runner.repo, `${name}.pid`));
        expect(pid, name).toBeGreaterThan(1);
        expect(isRunning(pid), `${name} left ${pid}`).toBe(false);
        expect(markedPids(job.id), name).toEqual([]);
        expect(runner.notes(job), name).toContain('running. They were stopped');
      }
    },
  );

  test('[RX-4] LinuxTree without cgroups finds processes by session, mark and descent', async () => {
    const tree = new LinuxTree(null);
    const child = spawn(
      '/bin/sh',
      [
        '-c',
        'setsid sh -c "exec sleep 300" & env -i sleep 300 & (set -m; sleep 300 &) ; echo up; wait',
      ],
      { detached: true, env: { ...process.env, HOLDFAST_RUNNER_JOB: 'job-x' } },
    );
    tree.track('job-x', child.pid as number);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const members = tree.membersOf('job-x');
    expect(members.length).toBeGreaterThanOrEqual(4);
    const end = await killTree(tree, 'job-x', 500, systemClock);
    expect(end.left).toEqual([]);
    for (const { pid } of members) expect(isRunning(pid)).toBe(false);
  });

  test('[RX-4] LinuxTree finds what a process starts after everything that led to it is gone', async () => {
    const tree = new LinuxTree(null);
    const folder = tempFolder();
    const hidden = `while [ ! -e ${folder}/go ]; do sleep 0.02; done; sleep 300 & echo > ${folder}/started; wait`;
    const leader = spawn('/bin/sh', ['-c', 'setsid env -i /bin/sh -c "$HIDDEN" & wait'], {
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, HIDDEN: hidden },
    });
    const pid = leader.pid as number;
    tree.track('job-z', pid);
    const others = (): number[] =>
      tree
        .membersOf('job-z')
        .map((member) => member.pid)
        .filter((one) => one !== pid);
    // The shell in its own session, while it can be found as a descendant.
    await expect.poll(() => others().filter((one) => statOf(one)?.session === one).length).toBe(1);
    leader.kill('SIGKILL');
    await once(leader, 'exit');
    writeFileSync(join(folder, 'go'), '');
    await expect.poll(() => existsSync(join(folder, 'started'))).toBe(true);
    expect(others().length).toBeGreaterThanOrEqual(2);
    expect((await killTree(tree, 'job-z', 500, systemClock)).left).toEqual([]);
  });

  test('[RX-4] PsTree finds the process group and descendants', async () => {
    const tree = new PsTree();
    const child = spawn('/bin/sh', ['-c', 'sleep 300 & setsid sleep 300 & echo up; wait'], {
      detached: true,
    });
    tree.track('job-y', child.pid as number);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await expect.poll(() => tree.membersOf('job-y').length).toBe(3);
    const members = tree.membersOf('job-y');
    const end = await killTree(tree, 'job-y', 2000, systemClock);
    expect(end).toMatchObject({ found: 3, left: [] });
    for (const { pid } of members) expect(isRunning(pid)).toBe(false);
  });

  test('[RX-4] a process that a script starts while it is asked to end is killed', async () => {
    const farewell = `(setsid sh -c 'trap "" TERM; exec sleep 300' >/dev/null 2>&1 &)`;
    const runner = startRunner({
      scripts: {
        late: {
          sh: `trap "${farewell.replaceAll('"', '\\"')}; sleep 0.2; exit 0" TERM; echo up; while :; do sleep 0.05; done`,
          graceSeconds: 2,
        },
      },
    });
    const job = runner.run('late');
    await runner.said(job, 'up\n');
    runner.host.runner.queue.cancel(job.id);
    expect((await runner.ended(job)).state.status).toBe('canceled');
    expect(markedPids(job.id)).toEqual([]);
  });

  test('[RX-4] a script that keeps forking is killed completely', async () => {
    const runner = startRunner({
      scripts: {
        forker: {
          sh: 'trap "" TERM; f() { while :; do sleep 0.01 & sleep 0.02; done; }; f & f & f & echo up; f',
          graceSeconds: 0.1,
        },
      },
    });
    const job = runner.run('forker');
    await runner.said(job, 'up\n');
    runner.host.runner.queue.cancel(job.id);
    expect((await runner.ended(job)).state.status).toBe('canceled');
    expect(markedPids(job.id)).toEqual([]);
  });
});
