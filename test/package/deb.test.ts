// Builds a deb with the program that replaces fpm for electron-builder, and reads it with dpkg-deb.
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProgram } from '#scripts/lib/processes.mjs';
import { runProgram } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';
import { notRunIf } from '#test/support/not-run.ts';

const BUILDER = 'scripts/packaging/deb.mjs';

function appFolder(): string {
  const folder = join(tempFolder(), 'app');
  mkdirSync(join(folder, 'resources'), { recursive: true });
  writeFileSync(join(folder, 'holdfast'), '#!/bin/sh\n');
  chmodSync(join(folder, 'holdfast'), 0o755);
  writeFileSync(join(folder, 'resources/app.asar'), 'x'.repeat(5000));
  symlinkSync('holdfast', join(folder, 'also'));
  // As with a strict umask; in the package, everyone must be able to enter the folder.
  chmodSync(join(folder, 'resources'), 0o700);
  return folder;
}

/** The options that electron-builder passes to fpm. */
const fpmOptions = (folder: string, deb: string): string[] =>
  Object.entries({
    '-s': 'dir',
    '-t': 'deb',
    '-d': ['libgtk-3-0', 'libnss3'],
    '--deb-recommends': 'libappindicator3-1',
    '--deb-compression': 'gz',
    '--architecture': 'amd64',
    '--after-install': join(folder, 'holdfast'),
    '--description': 'Durable automation\n On your own machines\n\n For good',
    '--version': '1.2.3',
    '--package': deb,
    '--name': 'holdfast',
    '--maintainer': 'Us <us@example.org>',
    '--vendor': 'Us',
    '--url': 'https://example.org',
    '--deb-priority': 'optional',
    '--license': 'MIT',
  })
    .flatMap(([name, values]) => [values].flat().flatMap((value) => [name, value]))
    .concat('--force', `${folder}/=/opt/Holdfast`)
    .concat(`${join(folder, 'holdfast')}=/usr/share/applications/holdfast.desktop`);

async function dpkg(...args: string[]): Promise<string> {
  const ended = await runProgram('dpkg-deb', args, process.cwd());
  expect(ended).toMatchObject({ code: 0 });
  return ended.stdout;
}

const hasDpkg = findProgram('dpkg-deb') !== null;
describe.skipIf(!hasDpkg)(`a deb${notRunIf(!hasDpkg, 'no dpkg-deb')}`, () => {
  it('[PK-5] contains the given files, owned by root, with the given fields and postinst script', async () => {
    const folder = appFolder();
    const deb = join(tempFolder(), 'holdfast.deb');
    const made = await runProgram(
      process.execPath,
      [BUILDER, ...fpmOptions(folder, deb)],
      process.cwd(),
    );
    expect(made).toMatchObject({ code: 0 });

    const field = async (name: string): Promise<string> =>
      (await dpkg('--field', deb, name)).trim();
    expect(await field('Package')).toBe('holdfast');
    expect(await field('Version')).toBe('1.2.3');
    expect(await field('Depends')).toBe('libgtk-3-0, libnss3');
    expect(await field('Recommends')).toBe('libappindicator3-1');
    expect(await field('Installed-Size')).toBe('5');
    expect(await field('Description')).toBe(
      'Durable automation\n On your own machines\n .\n For good',
    );
    const lines = (await dpkg('--contents', deb)).trim().split('\n');
    expect(lines.filter((line) => !/^\S+ root\/root /.test(line))).toEqual([]);
    const modeOf = (path: string): string | undefined =>
      lines.find((line) => line.includes(` ./${path}`))?.slice(0, 10);
    expect(modeOf('opt/Holdfast/holdfast')).toBe('-rwxr-xr-x');
    expect(modeOf('opt/Holdfast/resources/')).toBe('drwxr-xr-x');
    expect(modeOf('opt/Holdfast/also -> holdfast')).toBe('lrwxrwxrwx');
    expect(modeOf('usr/share/applications/holdfast.desktop')).toBeDefined();

    const control = tempFolder();
    await dpkg('--control', deb, control);
    expect(readFileSync(join(control, 'postinst'), 'utf8')).toBe('#!/bin/sh\n');
    expect(readFileSync(join(control, 'md5sums'), 'utf8')).toMatch(
      /^[0-9a-f]{32} {2}opt\/Holdfast\/resources\/app\.asar$/m,
    );
  });

  it('[PK-5] is not built with an unknown option, which the error names', async () => {
    const folder = appFolder();
    const deb = join(tempFolder(), 'holdfast.deb');
    const options = ['--new-option', 'x', ...fpmOptions(folder, deb)];
    const ended = await runProgram(process.execPath, [BUILDER, ...options], process.cwd());
    expect(ended.code).not.toBe(0);
    expect(ended.stderr).toContain('--new-option');
    expect(() => readFileSync(deb)).toThrow('ENOENT');
  });
});
