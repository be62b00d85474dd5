// Installs a deb with dpkg into a folder. Its postinst script would change this machine (links, desktop
// caches), so its syntax is checked and it is not run.

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { capture } from '../lib/processes.mjs';
import { expectThat } from '../lib/smoke-steps.mjs';

/** Files for the menu, deep links and file types, and files that must be outside the asar archive. */
const EXPECTED_FILES = [
  'opt/Holdfast/holdfast',
  'opt/Holdfast/resources/app.asar',
  'opt/Holdfast/resources/crsqlite/crsqlite.so',
  'opt/Holdfast/resources/app.asar.unpacked/node_modules/better-sqlite3/package.json',
  'usr/share/applications/holdfast.desktop',
  'usr/share/icons/hicolor/512x512/apps/holdfast.png',
  'usr/share/mime/packages/holdfast.xml',
];

/**
 * @param {string} output the folder that contains the deb
 * @param {string} base a temporary folder
 * @returns {Promise<string>} the installed program
 */
export async function installDeb(output, base) {
  const name = readdirSync(output).find((file) => file.endsWith('.deb'));
  if (name === undefined) throw new Error(`${output} contains no deb.`);
  const deb = path.join(output, name);

  const fields = await run('dpkg-deb', ['--field', deb]);
  expectThat(/^Package: holdfast$/m.test(fields), 'the package name is holdfast');
  expectThat(/^Depends: .*libgtk-3-0/m.test(fields), 'it depends on libgtk-3-0');
  const listed = await run('dpkg-deb', ['--contents', deb]);
  for (const file of EXPECTED_FILES)
    expectThat(listed.includes(` ./${file}\n`), `it contains ${file}`);
  const notRoot = listed
    .split('\n')
    .filter((line) => line !== '' && !/^\S+ root\/root /.test(line));
  expectThat(notRoot.length === 0, 'root owns every file');

  const machine = path.join(base, 'machine');
  const info = path.join(machine, 'var/lib/dpkg');
  mkdirSync(path.join(info, 'updates'), { recursive: true });
  mkdirSync(path.join(info, 'info'));
  writeFileSync(path.join(info, 'status'), '');
  // --unpack runs no postinst; the folder does not contain the dependencies.
  await run('dpkg', [`--root=${machine}`, '--force-depends', '--force-not-root', '--unpack', deb]);
  const status = await run('dpkg-query', [
    `--admindir=${info}`,
    '--show',
    '-f=${Status}',
    'holdfast',
  ]);
  expectThat(status === 'install ok unpacked', 'dpkg lists it as unpacked');
  const script = path.join(info, 'info/holdfast.postinst');
  await run('bash', ['-n', script]);

  const desktop = await run('cat', [path.join(machine, 'usr/share/applications/holdfast.desktop')]);
  expectThat(
    /^Exec=\/opt\/Holdfast\/holdfast %U$/m.test(desktop),
    'the menu entry starts it without --no-sandbox',
  );
  expectThat(/x-scheme-handler\/holdfast;/.test(desktop), 'it handles holdfast:// links');
  const program = path.join(machine, 'opt/Holdfast/holdfast');
  expectThat((statSync(program).mode & 0o111) === 0o111, 'everyone may execute it');
  return program;
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function run(program, args) {
  const { ok, stdout, output } = await capture(program, args);
  if (!ok) throw new Error(`${program} ${args.join(' ')} failed:\n${output}`);
  return stdout;
}
