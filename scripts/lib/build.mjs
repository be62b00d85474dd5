// Builds the app into out/, unless the inputs of the last build are unchanged.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { inRepo, repoRoot } from './paths.mjs';
import { capture, lastLines, sayOnStderr } from './processes.mjs';

const INPUTS = [
  'electron.vite.config.ts',
  'migrations',
  'package-lock.json',
  'package.json',
  'src-main',
  'src-renderer',
  'src-shared',
];

/** The app could not be built; the message ends with the bundler's last lines. */
export class BuildFailed extends Error {
  /** @override */
  name = 'BuildFailed';
}

/**
 * @param {{ say?: import('./processes.mjs').Say }} [options]
 * @returns {Promise<void>}
 */
export async function ensureBuilt({ say = sayOnStderr } = {}) {
  const stamp = inRepo('out', '.stamp');
  const hash = hashOf(INPUTS);
  if (readOrNull(stamp) === hash) return;

  say('building the app into out/');
  // Removed first, so that an interrupted build does not count as finished.
  rmSync(stamp, { force: true });
  const bundler = inRepo('node_modules/electron-vite/bin/electron-vite.js');
  const outcome = await capture(process.execPath, [bundler, 'build'], {
    cwd: repoRoot,
    env: { ...process.env, NO_COLOR: '1' },
  });
  if (!outcome.ok) {
    throw new BuildFailed(
      `the app could not be built (${outcome.ending}):\n${lastLines(outcome.output, 40)}`,
    );
  }
  writeFileSync(stamp, hash);
}

/** @param {string[]} names files and folders of the repository */
export function hashOf(names) {
  const hash = createHash('sha256');
  for (const file of names.flatMap(filesUnder)) {
    // With name and length, so that moving text between files changes the hash.
    const content = readFileSync(inRepo(file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} name relative to the repository
 * @returns {string[]} sorted
 */
function filesUnder(name) {
  if (!existsSync(inRepo(name))) return [];
  if (!statSync(inRepo(name)).isDirectory()) return [name];
  return readdirSync(inRepo(name))
    .toSorted()
    .flatMap((entry) => filesUnder(path.posix.join(name, entry)));
}

/** @param {string} file */
export function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
