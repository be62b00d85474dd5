#!/usr/bin/env node
// Replaces fpm for electron-builder (CUSTOM_FPM_PATH in ../package.mjs): takes fpm's options and builds
// the .deb with dpkg-deb, so that no Ruby has to be downloaded. An unknown option is an error, so that
// no setting is silently ignored.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const text = /** @type {const} */ ({ type: 'string' });
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    source: { ...text, short: 's' },
    target: { ...text, short: 't' },
    depends: { ...text, short: 'd', multiple: true },
    'deb-recommends': { ...text, multiple: true },
    'deb-compression': text,
    'deb-priority': text,
    'after-install': text,
    'after-remove': text,
    architecture: text,
    category: text,
    description: text,
    force: { type: 'boolean' },
    iteration: text,
    license: text,
    maintainer: text,
    name: text,
    package: text,
    url: text,
    vendor: text,
    version: text,
  },
});

const root = mkdtempSync(path.join(os.tmpdir(), 'holdfast-deb-'));
try {
  makeDeb();
} finally {
  rmSync(root, { recursive: true, force: true });
}

function makeDeb() {
  if (values.source !== 'dir' || values.target !== 'deb')
    throw new Error('Only --source dir and --target deb are supported.');
  for (const pair of positionals) copyInto(pair);
  const files = filesUnder(root);
  const control = path.join(root, 'DEBIAN');
  mkdirSync(control);
  writeFileSync(path.join(control, 'control'), controlOf(files));
  writeFileSync(path.join(control, 'md5sums'), files.map(md5Line).join(''));
  for (const [name, from] of [
    ['postinst', values['after-install']],
    ['postrm', values['after-remove']],
  ]) {
    const script = path.join(control, /** @type {string} */ (name));
    if (from !== undefined) writeFileSync(script, readFileSync(from), { mode: 0o755 });
  }
  for (const folder of foldersUnder(root)) chmodSync(folder, 0o755);
  execFileSync(
    'dpkg-deb',
    [
      '--root-owner-group',
      `-Z${values['deb-compression'] === 'gz' ? 'gzip' : (values['deb-compression'] ?? 'xz')}`,
      '--build',
      root,
      required('package'),
    ],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
}

/** @param {string} pair `FROM=TO`; of a folder that ends with a slash, the contents are copied */
function copyInto(pair) {
  const at = pair.indexOf('=');
  const target = path.join(root, pair.slice(at + 1));
  mkdirSync(path.dirname(target), { recursive: true });
  cpSync(pair.slice(0, at), target, { recursive: true, verbatimSymlinks: true });
}

/** @param {string[]} files */
function controlOf(files) {
  const bytes = files.reduce((sum, file) => sum + lstatSync(path.join(root, file)).size, 0);
  const [synopsis = '', ...more] = required('description').trim().split('\n');
  const fields = {
    Package: required('name'),
    Version: [required('version'), values.iteration].filter(Boolean).join('-'),
    Architecture: required('architecture'),
    Maintainer: required('maintainer'),
    'Installed-Size': String(Math.ceil(bytes / 1024)),
    Depends: (values.depends ?? []).join(', '),
    Recommends: (values['deb-recommends'] ?? []).join(', '),
    Section: values.category ?? 'utils',
    Priority: values['deb-priority'] ?? 'optional',
    Homepage: required('url'),
    Description: [synopsis, ...more.map((line) => ` ${line.trim() || '.'}`)].join('\n'),
  };
  const lines = Object.entries(fields).filter(([, value]) => value !== '');
  return lines.map(([name, value]) => `${name}: ${value}\n`).join('');
}

/**
 * @param {'architecture' | 'description' | 'maintainer' | 'name' | 'package' | 'url' | 'version'} name
 * @returns {string}
 */
function required(name) {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing.`);
  return value;
}

/** @param {string} file */
function md5Line(file) {
  if (!lstatSync(path.join(root, file)).isFile()) return '';
  const sum = createHash('md5').update(readFileSync(path.join(root, file)));
  return `${sum.digest('hex')}  ${file}\n`;
}

/**
 * @param {string} folder
 * @returns {string[]} relative to the folder, without folders
 */
function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .toSorted();
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function foldersUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name));
}
