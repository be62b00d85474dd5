// The npm package without npm: the files that it would contain, copied into another node_modules.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { compileAsAuthor, createAuthorProject } from '#scripts/lib/author-project.mjs';
import { bundleSources } from '#scripts/crsqlite/sources.mjs';
import { ensureBuilt } from '#scripts/lib/build.mjs';
import { ensureTypes } from '#scripts/lib/bundle-types.mjs';
import { firstLine, runProgram } from '#test/support/child-processes.ts';
import { startProgram } from '#test/package/start-program.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

let files: string[];

beforeAll(async () => {
  await ensureBuilt({ say: () => undefined });
  await ensureTypes({ say: () => undefined });
  bundleSources();
  const listed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    encoding: 'utf8',
  });
  const [packed] = JSON.parse(listed) as [{ files: { path: string }[] }];
  files = packed.files.map(({ path }) => path);
}, 300_000);

/** Copies the files of the package; its dependencies are symbolic links. */
function install(): string {
  const root = join(tempFolder(), 'node_modules');
  for (const file of files) {
    const target = join(root, 'holdfast', file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
  }
  for (const name of readdirSync('node_modules')) {
    if (name === 'holdfast' || name.startsWith('.')) continue;
    symlinkSync(join(process.cwd(), 'node_modules', name), join(root, name));
  }
  return join(root, 'holdfast');
}

describe('the npm package', () => {
  it('[PK-1] contains the build, the sources of cr-sqlite and the scripts to build it, and no sources of ours', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'bin/holdfast.mjs',
        'examples/practice.ts',
        'migrations/0001_settings.sql',
        'out/crsqlite/LICENSE',
        'out/crsqlite/rs/core/src/lib.rs',
        'out/crsqlite/src/crsqlite.c',
        'out/crsqlite/src/sqlite/sqlite3ext.h',
        'out/main/cli.js',
        'out/renderer/licences.txt',
        'out/main/sandbox-worker.js',
        'out/main/upkeep-worker.js',
        'out/main/workflow.js',
        'out/renderer/index.html',
        'out/types/testing.d.ts',
        'out/types/workflow.d.ts',
        'package.json',
        'scripts/setup-crsqlite.mjs',
      ]),
    );
    const folders = new Set(files.map((file) => file.split('/')[0]));
    for (const folder of [
      'src-main',
      'src-shared',
      'src-renderer',
      'test',
      'bench',
      '.cache',
      'dist',
    ]) {
      expect(folders).not.toContain(folder);
    }
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([]);
    expect(files).not.toContain('out/crsqlite/src/sqlite/sqlite3.c');
  });

  it('[PK-1] runs help, add, validate and backup, and serves the script of the window', async () => {
    const root = install();
    const bin = join(root, 'bin', 'holdfast.mjs');
    const data = ['--data', tempFolder()];
    const holdfast = async (...args: string[]): Promise<string> => {
      const ended = await runProgram(process.execPath, [bin, ...args], root);
      expect(ended, args.join(' ')).toMatchObject({ code: 0 });
      return ended.stdout;
    };
    expect(await holdfast('--help')).toContain('restore');
    expect(await holdfast('add', join(root, 'examples/tidy-downloads.ts'), ...data)).toMatch(
      /activated/,
    );
    const host = startProgram(process.execPath, [bin, 'serve', '--json', ...data], root);
    const { url } = JSON.parse(await firstLine(host.stdout)) as { url: string };
    const page = await (await fetch(url)).text();
    const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
    expect((await fetch(new URL(script, url))).status).toBe(200);
    // Both worker threads: the sandbox reads the file, the upkeep worker copies the backup.
    expect(await holdfast('validate', join(root, 'examples/practice.ts'))).toMatch(/is valid/);
    expect(await holdfast('backup', ...data)).toMatch(/verified/);
  }, 120_000);

  it('[PK-3] has types that compile an author’s code in strict mode and reject wrong code', async () => {
    const root = install();
    const author = createAuthorProject(join(root, '../..'));
    expect(await compileAsAuthor(author)).toMatchObject({ ok: true, output: '' });
  }, 120_000);
});
