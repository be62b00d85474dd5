// A deb, installed by dpkg into a folder that stands for a machine. Its script for after the install
// would change this machine (links, desktop caches), so it is read and not run.

import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { capture } from '../lib/processes.mjs';
import { expectThat } from '../lib/smoke-steps.mjs';

/** What the menu, the links and the files need, and what must lie outside the archive. */
const CARRIED = [
  'opt/Holdfast/holdfast',
  'opt/Holdfast/resources/app.asar',
  'opt/Holdfast/resources/crsqlite/crsqlite.so',
  'opt/Holdfast/resources/app.asar.unpacked/node_modules/better-sqlite3/package.json',
  'usr/share/applications/holdfast.desktop',
  'usr/share/icons/hicolor/512x512/apps/holdfast.png',
  'usr/share/mime/packages/holdfast.xml',
];

/**
 * @param {string} output where the deb is
 * @param {string} base
 * @returns {Promise<string>} the installed program
 */
export async function installDeb(output, base) {
  const name = readdirSync(output).find((file) => file.endsWith('.deb'));
  if (name === undefined) throw new Error('There is no deb.');
  const deb = path.join(output, name);

  const fields = await done('dpkg-deb', ['--field', deb]);
  expectThat(/^Package: holdfast$/m.test(fields), 'it is named holdfast');
  expectThat(/^Depends: .*libgtk-3-0/m.test(fields), 'it says what it needs');
  const listed = await done('dpkg-deb', ['--contents', deb]);
  for (const file of CARRIED) expectThat(listed.includes(` ./${file}\n`), `it carries ${file}`);
  const ofOthers = listed
    .split('\n')
    .filter((line) => line !== '' && !/^\S+ root\/root /.test(line));
  expectThat(ofOthers.length === 0, 'all of it is root’s');

  const machine = path.join(base, 'machine');
  const info = path.join(machine, 'var/lib/dpkg');
  mkdirSync(path.join(info, 'updates'), { recursive: true });
  mkdirSync(path.join(info, 'info'));
  writeFileSync(path.join(info, 'status'), '');
  // Without its dependencies, which this machine has; not run: what it does after the install.
  await done('dpkg', [`--root=${machine}`, '--force-depends', '--force-not-root', '--unpack', deb]);
  const status = await done('dpkg-query', [
    `--admindir=${info}`,
    '--show',
    '-f=${Status}',
    'holdfast',
  ]);
  expectThat(status === 'install ok unpacked', 'dpkg knows of it');
  const script = path.join(info, 'info/holdfast.postinst');
  await done('bash', ['-n', script]);

  const desktop = await done('cat', [
    path.join(machine, 'usr/share/applications/holdfast.desktop'),
  ]);
  expectThat(/^Exec=\/opt\/Holdfast\/holdfast %U$/m.test(desktop), 'the menu starts it, sandboxed');
  expectThat(/x-scheme-handler\/holdfast;/.test(desktop), 'it answers to holdfast:// links');
  const program = path.join(machine, 'opt/Holdfast/holdfast');
  expectThat((statSync(program).mode & 0o111) === 0o111, 'everyone may start it');
  return program;
}

/**
 * @param {string} program
 * @param {string[]} args
 */
async function done(program, args) {
  const { ok, stdout, output } = await capture(program, args);
  if (!ok) throw new Error(`${program} ${args.join(' ')} failed:\n${output}`);
  return stdout;
}
