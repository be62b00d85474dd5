// The runner from the command line, with a real host and real scripts.
import { describe, expect, test } from 'vitest';
import { holdfast, refused, succeeds } from '#test/cli/holdfast.ts';
import { serveHost } from '#test/support/child-processes.ts';
import { writeRegistry } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const SCRIPTS = {
  greet: {
    sh: `printf '\\033[31mred\\033[0m \\033[2Jhello %s\\n' "$*"; echo oops >&2; exit \${2:-0}`,
    args: { who: { type: 'string', required: true }, code: { type: 'integer' } },
  },
  wait: { sh: 'echo up; exec sleep 300' },
};

describe('holdfast runner', () => {
  test('[RU-14] run, follow, list, show and cancel', async () => {
    const dataDir = tempFolder();
    writeRegistry(dataDir, SCRIPTS);
    process.env['RUNNER_ENABLED'] = 'true';
    await serveHost(dataDir);
    delete process.env['RUNNER_ENABLED'];
    const on = ['--data', dataDir];

    expect(await succeeds('runner', 'scripts', ...on)).toMatch(/greet +main +yes +who \[code\]/);
    const followed = await succeeds('runner', 'run', 'greet', 'who=you', '--follow', ...on);
    expect(followed).toMatch(/^Job \w+: queued\.\n/);
    expect(followed).toContain('red hello you\n');
    expect(followed).toContain('oops\n');
    expect(followed.endsWith('succeeded\n')).toBe(true);
    expect(followed).not.toContain('\u001b');
    const failed = await holdfast('runner', 'run', 'greet', 'who=you', 'code=3', '--follow', ...on);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('failed (exit 3)');

    const keyed = ['runner', 'run', 'wait', '--key', 'one', ...on];
    const [first, again] = [await succeeds(...keyed), await succeeds(...keyed)];
    const id = /Job (\w+)/.exec(first)?.[1] ?? '';
    expect(again).toContain(id);
    expect(await succeeds('jobs', '--limit', '1', ...on)).toContain(id);
    expect(await succeeds('runner', 'cancel', id, ...on)).toMatch(/Canceling|Canceled/);
    expect(await succeeds('job', id, '--follow', ...on)).toMatch(/canceled/);
    const jobs = JSON.parse(await succeeds('jobs', '--status', 'canceled', '--json', ...on)) as {
      jobs: { id: string }[];
    };
    expect(jobs.jobs.map((job) => job.id)).toEqual([id]);
    expect(await refused('runner', 'cancel', id, ...on)).toContain('nothing to cancel');
    expect(await refused('runner', 'run', 'nope', ...on)).toContain('There is no script "nope"');
    expect(await refused('runner', 'run', 'greet', 'who', ...on)).toContain('NAME=VALUE');
    expect(await refused('runner', 'run', 'greet', ...on)).toContain('"who" is missing');
    expect(await refused('job', 'nope', ...on)).toContain('There is no job');
  }, 120_000);

  test('[RU-14] [RU-11] without a host, and with the runner off, the output says that jobs stay queued', async () => {
    const dataDir = tempFolder();
    writeRegistry(dataDir, SCRIPTS);
    const on = ['--data', dataDir];
    expect(await succeeds('runner', 'run', 'wait', ...on)).toContain('No host is running');
    expect(await succeeds('jobs', ...on)).toContain('The runner is off. Jobs stay queued');
    expect(await succeeds('runner', 'scripts', ...on)).toContain('RUNNER_ENABLED=true');
  }, 60_000);
});
