// The registry: which scripts, arguments, paths and programs are allowed.
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHost } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { buildCommand } from '#main/runner/build-command.ts';
import { isRefusal } from '#main/runner/refusal.ts';
import { RegistryFile } from '#main/runner/registry-file.ts';
import type { Json } from '#shared/json.ts';
import type { Registry } from '#shared/runner/registry.ts';
import { startRunner, type RunnerSetUp } from '#test/support/start-runner.ts';
import { writeRegistry } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const ARGS = {
  env: { type: 'string', choices: ['test', 'live'], flag: '--env' },
  count: { type: 'integer', min: 1, max: 9, flag: '-n' },
  ratio: { type: 'number', flag: '--ratio', style: 'joined' },
  force: { type: 'boolean', flag: '--force' },
  file: { type: 'path' },
  note: { type: 'string', pattern: '[a-z -]+', maxLength: 20 },
  shift: { type: 'integer', flag: '--shift' },
  color: { type: 'string', pattern: 'red|blue', flag: '--color' },
};

function setUp(scripts: RunnerSetUp['scripts'] = { tool: { sh: '', args: ARGS } }) {
  const dataDir = tempFolder();
  const { repo, registryPath } = writeRegistry(dataDir, scripts);
  const file = new RegistryFile(registryPath, () => undefined);
  const build = (args: { [name: string]: Json }, scriptKey = 'tool', repoKey = 'main') =>
    buildCommand(file.require() as Registry, { repoKey, scriptKey, args });
  const refusal = (...asked: Parameters<typeof build>) => {
    const answer = build(...asked);
    if (!isRefusal(answer)) throw new Error(`It was allowed: ${answer.argv.join(' ')}`);
    return answer;
  };
  const argv = (...asked: Parameters<typeof build>) => {
    const answer = build(...asked);
    if (isRefusal(answer)) throw new Error(answer.message);
    return answer.argv;
  };
  return { dataDir, repo, registryPath, file, build, refusal, argv };
}

describe('arguments', () => {
  test('[RU-2] arguments become argv words in the order of the registry', () => {
    const { argv, repo } = setUp();
    expect(
      argv({ note: 'hello there', force: true, env: 'live', count: 3, ratio: 0.5, file: 'a/b' }),
    ).toEqual([
      '--env',
      'live',
      '-n',
      '3',
      '--ratio=0.5',
      '--force',
      join(repo, 'a/b'),
      'hello there',
    ]);
    expect(argv({})).toEqual([]);
    expect(argv({ force: false })).toEqual([]);
  });

  test('[RU-1] the limits of an argument belong to its range', () => {
    const { argv } = setUp();
    expect(argv({ count: 1 })).toEqual(['-n', '1']);
    expect(argv({ count: 9 })).toEqual(['-n', '9']);
    expect(argv({ note: 'a'.repeat(20) })).toEqual(['a'.repeat(20)]);
    expect(argv({ color: 'blue' })).toEqual(['--color', 'blue']);
  });

  test.each([
    [{ env: 'other' }, 'env', 'must be one of test, live'],
    [{ env: 1 }, 'env', 'must be a string'],
    [{ count: 1.5 }, 'count', 'must be a whole number'],
    [{ count: '1' }, 'count', 'must be a whole number'],
    [{ count: 10 }, 'count', 'must be at most 9'],
    [{ count: 0 }, 'count', 'must be at least 1'],
    [{ force: 'yes' }, 'force', 'must be a boolean'],
    [{ note: 'UPPER' }, 'note', "doesn't match the pattern"],
    [{ note: 'ok\n' }, 'note', "doesn't match the pattern"],
    [{ note: '-rf' }, 'note', 'must not begin with "-"'],
    [{ note: 'a'.repeat(21) }, 'note', 'is longer than 20'],
    [{ note: '' }, 'note', 'must not be empty'],
    [{ file: 'a\0b' }, 'file', 'NUL'],
    [{ file: 'a\ud800' }, 'file', 'contains invalid Unicode'],
    [{ shift: -1 }, 'shift', 'must not begin with "-"'],
    [{ color: 'reddish' }, 'color', "doesn't match the pattern"],
    [{ color: 'dark blue' }, 'color', "doesn't match the pattern"],
    [{ nonsense: 1 }, 'nonsense', 'is not allowed'],
    [{ constructor: 1 }, 'constructor', 'is not allowed'],
  ] as const)('[RU-1] %j is refused with the name of the argument', (args, name, why) => {
    const { refusal } = setUp();
    const refused = refusal(args);
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.message).toContain(`"${name}"`);
    expect(refused.message).toContain(why);
  });

  test('[RU-1] unknown scripts and repos are refused', () => {
    const { refusal } = setUp({
      tool: { sh: '' },
      elsewhere: { sh: '', repos: ['main'] },
    });
    expect(refusal({}, 'nope')).toMatchObject({ status: 404, code: 'unknown_script' });
    expect(refusal({}, '__proto__')).toMatchObject({ status: 404, code: 'unknown_script' });
    expect(refusal({}, 'tool', 'nope')).toMatchObject({ status: 404, code: 'unknown_repo' });
    expect(refusal({}, 'tool', 'constructor')).toMatchObject({ code: 'unknown_repo' });
  });

  test('[RU-1] a script that lists its repos runs in no other', () => {
    const { registryPath, repo, argv, refusal } = setUp({ tool: { sh: '', repos: ['main'] } });
    const registry = JSON.parse(readFileSync(registryPath, 'utf8')) as Registry;
    const repos = { ...registry.repos, other: { path: repo } };
    writeFileSync(registryPath, JSON.stringify({ ...registry, repos }));
    expect(argv({}, 'tool', 'main')).toEqual([]);
    const refused = refusal({}, 'tool', 'other');
    expect(refused).toMatchObject({ status: 422, code: 'script_not_allowed' });
    expect(refused.message).toContain('is not allowed in the repo "other"');
  });

  test('[RU-1] a missing required argument is refused; a missing optional one gets its default', () => {
    const args = {
      must: { type: 'string', required: true },
      may: { type: 'string', default: 'usual' },
    };
    const { refusal, argv } = setUp({ tool: { sh: '', args } });
    expect(refusal({}).message).toContain('"must" is missing');
    expect(argv({ must: 'x' })).toEqual(['x', 'usual']);
  });

  test('[RU-1] what is refused is not queued: no job, no history, no process', async () => {
    const runner = startRunner({
      scripts: { tool: { sh: 'touch ran', args: ARGS } },
    });
    const refusals = [
      runner.ask('nope'),
      runner.ask('tool', { repoKey: 'nope' }),
      runner.ask('tool', { args: { env: 'other' } }),
      runner.ask('tool', { args: { count: '1' } }),
      runner.ask('tool', { args: { note: 'UPPER' } }),
      runner.ask('tool', { args: { nonsense: 1 } }),
      runner.ask('tool', { args: { file: '../x' } }),
    ];
    const codes = refusals.map((answer) => (isRefusal(answer) ? answer.code : 'queued'));
    expect(codes).toEqual([
      'unknown_script',
      'unknown_repo',
      'arg_not_allowed',
      'arg_not_allowed',
      'arg_not_allowed',
      'arg_not_allowed',
      'path_escape',
    ]);
    const { db } = runner.host.folder;
    for (const table of ['runner_jobs', 'runner_job_events']) {
      expect(db.value(`SELECT count(*) FROM ${table}`), table).toBe(0);
    }
    // A job that is allowed is queued behind them, and is the first that runs.
    const job = await runner.outcome('tool');
    expect(job.state.status).toBe('succeeded');
    expect(db.value('SELECT count(*) FROM runner_jobs')).toBe(1);
  });

  test('[RU-2] the script receives every value as exactly one unchanged word', async () => {
    const runner = startRunner({
      scripts: {
        show: {
          sh: `printf '<%s>' "$#" "$@"`,
          args: { word: { type: 'string', maxLength: 200, flag: '--word', style: 'joined' } },
        },
      },
    });
    const nasty = [
      '$(touch pwned)',
      '`id`',
      '; rm -rf .',
      '\' " \\ \n',
      '--help',
      '*',
      '$HOME',
      'ä €😀',
    ];
    const words = [
      ...nasty,
      ...fc.sample(fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }), 10),
    ].filter((word) => !word.includes('\0') && word.isWellFormed());
    for (const word of words) {
      const job = await runner.outcome('show', { args: { word } });
      expect(runner.output(job)).toBe(`<1><--word=${word}>`);
    }
  }, 60_000);
});

describe('paths', () => {
  test.each([
    '../x',
    '../repo-2/x',
    '/etc/passwd',
    'a/../../x',
    'out/x',
    'out',
    'loop/x',
    'dangling',
  ])('[RU-3] the path %s is refused as outside the repo', (file) => {
    const { refusal, repo } = setUp();
    symlinkSync('/etc', join(repo, 'out'));
    symlinkSync(join(repo, 'loop'), join(repo, 'loop'));
    symlinkSync('/nowhere/at/all', join(repo, 'dangling'));
    expect(refusal({ file })).toMatchObject({ status: 422, code: 'path_escape' });
    expect(refusal({ file }).problems).toEqual(['args.file: is a path outside the repo']);
  });

  test('[RU-3] a path inside the repo is passed as an absolute path without symlinks', () => {
    const { argv, repo } = setUp();
    mkdirSync(join(repo, 'deep/er'), { recursive: true });
    symlinkSync(join(repo, 'deep'), join(repo, 'short'));
    expect(argv({ file: 'short/er/new.txt' })).toEqual([join(repo, 'deep/er/new.txt')]);
    expect(argv({ file: './a/../b' })).toEqual([join(repo, 'b')]);
    expect(argv({ file: join(repo, 'c') })).toEqual([join(repo, 'c')]);
    expect(argv({ file: '..hidden' })).toEqual([join(repo, '..hidden')]);
  });

  test('[RU-3] a program must resolve to an executable file in its folder', () => {
    const scripts = {
      linked: { sh: '', executable: 'link' },
      up: { sh: '', executable: '../outside.sh' },
      folder: { sh: '', executable: 'sub' },
      plain: { sh: '', executable: 'plain.txt' },
      system: { sh: '', executable: '/bin/true' },
      elsewhere: { sh: '', executable: '/bin/true', executableWithin: '/etc' },
      widened: { sh: '', executable: 'link', executableWithin: '/' },
    };
    const { build, refusal, repo, dataDir } = setUp(scripts);
    symlinkSync('/bin/true', join(repo, 'link'));
    writeFileSync(join(dataDir, 'outside.sh'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(repo, 'plain.txt'), 'no program');
    mkdirSync(join(repo, 'sub'));
    for (const key of ['linked', 'up', 'folder', 'plain', 'elsewhere']) {
      expect(refusal({}, key), key).toMatchObject({ status: 422, code: 'script_not_allowed' });
    }
    expect(build({}, 'system')).toMatchObject({ executable: expect.stringMatching(/\/true$/) });
    expect(build({}, 'widened')).toMatchObject({ executable: expect.stringMatching(/\/true$/) });
  });

  test('[RU-3] a program replaced by a symlink after queueing does not run', async () => {
    const runner = startRunner({ scripts: { tool: { sh: '' } }, config: { isEnabled: false } });
    const job = runner.run('tool');
    const { dir } = runner.host.folder;
    await runner.host.close();
    rmSync(join(runner.repo, 'tool.sh'));
    symlinkSync('/bin/true', join(runner.repo, 'tool.sh'));
    const host = createHost({
      dataDir: dir,
      createLog: createSilentLog,
      runner: { isEnabled: true },
    });
    onTestFinished(() => host.close());
    const ended = await host.runner.queue.whenEnded(job.id, new AbortController().signal);
    expect(ended).toMatchObject({
      state: { status: 'failed', reason: 'not_allowed' },
      spawn: null,
    });
  });
});

describe('registry file', () => {
  test.each([
    ['{', 'not valid JSON'],
    ['[]', 'registry:'],
    ['{"repos":{},"scripts":{},"more":1}', 'more'],
    ['{"repos":{"a":{"path":"relative"}},"scripts":{}}', 'repos.a.path: must be a full path'],
    [
      '{"repos":{},"scripts":{"x":{"title":"X","executable":"x","args":{"a":{"type":"boolean"}}}}}',
      'scripts.x.args.a.flag',
    ],
    [
      '{"repos":{},"scripts":{"x":{"title":"X","executable":"x","args":{"a":{"type":"string","pattern":"("}}}}}',
      'scripts.x.args.a.pattern',
    ],
    [
      '{"repos":{},"scripts":{"x":{"title":"X","executable":"x","repos":["b"]}}}',
      'unknown repo "b"',
    ],
    [
      '{"repos":{},"scripts":{"x":{"title":"X","executable":"x","env":{"set":{"HOLDFAST_RUNNER_JOB":"y"}}}}}',
      'env.set.HOLDFAST_RUNNER_JOB',
    ],
    ['{"repos":{},"scripts":{"X Y":{"title":"X","executable":"x"}}}', 'scripts'],
  ])('[RU-4] the invalid registry %s allows nothing and names the problem', (text, why) => {
    const { file, registryPath } = setUp();
    expect(isRefusal(file.require())).toBe(false);
    writeFileSync(registryPath, text);
    const refused = file.require();
    expect(refused).toMatchObject({ status: 409, code: 'registry_broken' });
    expect(isRefusal(refused) && refused.problems.join()).toContain(why);
    expect(file.require()).toEqual(refused);
    expect(file.save(text).problems).not.toEqual([]);
  });

  test('[RU-4] save writes only a valid registry, which takes effect immediately', () => {
    const { file, build, refusal } = setUp();
    expect(isRefusal(build({}))).toBe(false);
    const before = file.read().text;
    expect(file.save('{"repos":1}').registry).toBeNull();
    expect(file.read().text).toBe(before);
    expect(file.save('{"repos":{},"scripts":{}}').problems).toEqual([]);
    expect(refusal({})).toMatchObject({ code: 'unknown_script' });
  });

  test('[RU-4] a change that leaves the size of the file takes effect', () => {
    const { file, registryPath } = setUp();
    const before = file.read();
    expect(before.registry?.scripts['tool']).toBeDefined();
    writeFileSync(registryPath, before.text.replace('"tool":', '"took":'));
    expect(Object.keys(file.read().registry?.scripts ?? {})).toEqual(['took']);
  });

  test('[RU-4] a file that cannot be read is a broken registry, not an empty one', () => {
    const folder = tempFolder();
    expect(new RegistryFile(folder, () => undefined).require()).toMatchObject({
      code: 'registry_broken',
      problems: [expect.stringContaining('EISDIR')],
    });
  });

  test('[RU-4] a missing file is an empty registry', () => {
    const file = new RegistryFile(join(tempFolder(), 'none.json'), () => undefined);
    expect(file.require()).toEqual({ repos: {}, scripts: {} });
  });
});
