// A copy of the repository in which one mutant at a time is made and tested. The copy has its own
// folder for temporary files, so that whatever a mutant leaves behind is found there.

import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { inRepo } from './paths.mjs';

/**
 * @typedef {object} Run
 * @property {boolean} passed
 * @property {boolean} timedOut
 * @property {string | null} failed the title of the first test that failed
 * @property {ReadonlySet<string>} failedFiles
 * @property {ReadonlyMap<string, number>} times milliseconds by test file
 * @property {string} output
 */

const COPIED = [
  'bin',
  'docs',
  'examples',
  'migrations',
  'package.json',
  'package-lock.json',
  'scripts',
  'src-main',
  'src-renderer',
  'src-shared',
  'test',
  'tsconfig.json',
  'vitest.config.ts',
];

export class MutantCopy {
  /** @type {string} */
  #root;
  /** @type {number} */
  #testWorkers;

  /**
   * @param {string} root a folder that doesn't exist yet
   * @param {number} testWorkers how many test files run at the same time
   */
  constructor(root, testWorkers) {
    this.#root = root;
    this.#testWorkers = testWorkers;
    mkdirSync(path.join(root, 'tmp'), { recursive: true });
    for (const name of COPIED) cpSync(inRepo(name), path.join(root, name), { recursive: true });
    symlinkSync(inRepo('node_modules'), path.join(root, 'node_modules'));
    leaveOutBuilds(root);
  }

  /**
   * @param {string} file
   * @param {(text: string) => string} change
   * @param {() => Promise<Result>} work runs while the file is changed
   * @returns {Promise<Result>}
   * @template Result
   */
  async withChange(file, change, work) {
    const target = path.join(this.#root, file);
    const original = readFileSync(target, 'utf8');
    writeFileSync(target, change(original));
    try {
      return await work();
    } finally {
      writeFileSync(target, original);
    }
  }

  /**
   * @param {readonly string[]} tests files or folders
   * @param {number} limitMs
   * @param {'until one fails' | 'all'} how
   * @returns {Promise<Run>}
   */
  async run(tests, limitMs, how = 'until one fails') {
    const report = path.join(this.#root, 'results.json');
    rmSync(report, { force: true });
    const child = spawn(
      process.execPath,
      [
        path.join(this.#root, 'node_modules/vitest/vitest.mjs'),
        'run',
        `--bail=${how === 'all' ? 0 : 1}`,
        `--maxWorkers=${this.#testWorkers}`,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...tests,
      ],
      {
        cwd: this.#root,
        env: { ...process.env, TMPDIR: path.join(this.#root, 'tmp'), HOLDFAST_CACHE: '' },
        // A process group of its own, so that all its children can be killed.
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    child.stdout.on('data', (text) => (output += text));
    child.stderr.on('data', (text) => (output += text));
    let timedOut = false;
    const limit = setTimeout(() => {
      timedOut = true;
      killGroup(child.pid);
    }, limitMs);
    const code = await new Promise((resolve) => child.once('close', resolve));
    clearTimeout(limit);
    killGroup(child.pid);
    this.#cleanUp();
    const files = readReport(report);
    // Without a report no test ran, which proves nothing about a mutant.
    if (files === null && !timedOut) throw new Error(`vitest did not run:\n${output}`);
    const ran = files ?? [];
    const nameOf = (/** @type {TestFile} */ { name }) => path.relative(this.#root, name);
    const times = new Map(ran.map((file) => [nameOf(file), file.endTime - file.startTime]));
    const failed = ran.filter(({ status }) => status === 'failed');
    return {
      passed: code === 0,
      timedOut,
      failed: firstFailed(failed),
      failedFiles: new Set(failed.map(nameOf)),
      times,
      output,
    };
  }

  remove() {
    this.#cleanUp();
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Ends the processes that work in the copy, and removes its temporary files. */
  #cleanUp() {
    for (const pid of pidsBelow(this.#root)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    }
    for (const name of readdirSync(path.join(this.#root, 'tmp'))) {
      rmSync(path.join(this.#root, 'tmp', name), { recursive: true, force: true });
    }
  }
}

/**
 * A host would build the window again for each mutant, and no mutant is in the window.
 *
 * @param {string} root
 */
function leaveOutBuilds(root) {
  const file = path.join(root, 'scripts/lib/build.mjs');
  const text = readFileSync(file, 'utf8');
  const built = text.replace('if (readOrNull(stamp) === hash) return;', 'return;');
  if (built === text) throw new Error(`${file} has changed: mutants would build the window.`);
  writeFileSync(file, built);
}

/** @param {number | undefined} pid */
function killGroup(pid) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}

/**
 * Processes whose working folder is in this folder. Only Linux tells.
 *
 * @param {string} folder
 */
function pidsBelow(folder) {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => cwdOf(pid).startsWith(`${folder}/`))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

/** @param {string} pid */
function cwdOf(pid) {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

/**
 * @typedef {object} TestFile
 * @property {string} name
 * @property {string} status
 * @property {number} startTime
 * @property {number} endTime
 * @property {{ status: string, fullName: string }[]} assertionResults
 */

/**
 * @param {string} report of vitest's JSON reporter
 * @returns {TestFile[] | null}
 */
function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    // The run was killed before it wrote its report, or never began.
    return null;
  }
}

/** @param {TestFile[]} failed */
function firstFailed([file, ...others]) {
  if (!file) return null;
  const test = [file, ...others]
    .flatMap(({ assertionResults }) => assertionResults)
    .find(({ status }) => status === 'failed');
  return test?.fullName ?? path.basename(file.name);
}
