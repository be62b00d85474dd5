// `npm run mutants [-- --json] [-- --only TEXT]`: applies each mutant of the ledger to a copy of the
// repository and runs the tests there. Exits 1 when a mutant survives, or before any test when the
// pattern of a mutant no longer matches the code.

import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { prepareCrsqlite } from './lib/run-script.mjs';
import { inRepo } from './lib/paths.mjs';
import { lastLines, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';

/** @typedef {import('../test/mutants/ledger-mutants.ts').Mutant} Mutant */
/** @typedef {{ passed: boolean, timedOut: boolean, output: string }} Run */

const COPIED = [
  'bin',
  'migrations',
  'package.json',
  'scripts',
  'src-main',
  'src-shared',
  'test',
  'tsconfig.json',
  'vitest.config.ts',
];
const LINKED = ['node_modules', '.cache'];

// The fastest stage first: it kills most mutants.
const STAGES = [
  {
    name: 'quick',
    tests: [
      'test/mutants',
      'test/store/database',
      'test/store/table-cache',
      'test/store/mutations',
      'test/store/wal-fsync',
      'test/sandbox/long-code',
    ],
  },
  { name: 'engine', tests: ['test/engine'] },
  { name: 'crash', tests: ['test/crash/crash-matrix', 'test/crash/random-kills'] },
];

// A mutant that makes the tests hang counts as killed.
const STAGE_LIMIT_MS = 15 * 60_000;

await useRightNode(import.meta.url);
process.exitCode = await mutants();

/** @returns {Promise<number>} exit code */
async function mutants() {
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, only: { type: 'string', default: '' } },
  });
  if (!(await prepareCrsqlite())) return 1;
  const { MUTANTS, stalePatterns } = await import('../test/mutants/ledger-mutants.ts');
  const wanted = MUTANTS.filter(({ name }) => name.includes(values.only));
  if (wanted.length === 0) {
    say(`the name of no mutant contains "${values.only}"; no test was run`);
    return 1;
  }
  const stale = stalePatterns(wanted, inRepo());
  if (stale.length > 0) {
    say('these mutants no longer match the code, so they would test nothing; no test was run:');
    for (const problem of stale) say(`  ${problem}`);
    say('update `file` and `find` in test/mutants/ledger-mutants.ts');
    return 1;
  }
  const copy = copyRepository();
  try {
    if (!(await passesUnchanged(copy))) return 1;
    const survived = [];
    for (const mutant of wanted) {
      const killedBy = await tryMutant(copy, mutant);
      print(`${(killedBy ?? 'SURVIVED').padEnd(10)} ${mutant.name}`);
      if (killedBy === null) survived.push(mutant.name);
    }
    return close(wanted.length, survived, values.json ?? false);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** @returns {string} the folder of the copy */
function copyRepository() {
  const copy = mkdtempSync(path.join(os.tmpdir(), 'holdfast-mutants-'));
  for (const name of COPIED) {
    cpSync(inRepo(name), path.join(copy, name), { recursive: true });
  }
  for (const name of LINKED) symlinkSync(inRepo(name), path.join(copy, name));
  return copy;
}

/**
 * Tests that fail without a mutant would seem to kill every mutant.
 *
 * @param {string} copy
 */
async function passesUnchanged(copy) {
  for (const { name, tests } of STAGES) {
    const { passed, output } = await runTests(copy, tests);
    if (passed) continue;
    say(`the tests of stage "${name}" fail on unchanged code:\n${lastLines(output, 40)}`);
    return false;
  }
  return true;
}

/**
 * @param {string} copy
 * @param {Mutant} mutant
 * @returns {Promise<string | null>} the stage that killed it, or null
 */
async function tryMutant(copy, { file, find, replace }) {
  const target = path.join(copy, file);
  const original = readFileSync(target, 'utf8');
  writeFileSync(
    target,
    original.replace(find, () => replace),
  );
  try {
    for (const stage of STAGES) {
      const { passed, timedOut } = await runTests(copy, stage.tests);
      if (!passed) return timedOut ? `${stage.name}: hung` : stage.name;
    }
    return null;
  } finally {
    writeFileSync(target, original);
  }
}

/**
 * @param {string} copy
 * @param {string[]} tests
 * @returns {Promise<Run>}
 */
function runTests(copy, tests) {
  const vitest = path.join(copy, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', '--bail=1', ...tests], {
    cwd: copy,
    // A process group of its own, so that all its children can be killed.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text) => (output += text));
  child.stderr.on('data', (text) => (output += text));
  return new Promise((resolve) => {
    let timedOut = false;
    const limit = setTimeout(() => {
      timedOut = true;
      killGroup(child.pid);
    }, STAGE_LIMIT_MS);
    child.once('close', (code) => {
      clearTimeout(limit);
      killGroup(child.pid);
      resolve({ passed: code === 0, timedOut, output });
    });
  });
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
 * @param {number} count
 * @param {string[]} survived
 * @param {boolean} json
 * @returns {number} exit code
 */
function close(count, survived, json) {
  const ok = survived.length === 0;
  print(`${count} mutants, ${count - survived.length} killed, ${survived.length} survived`);
  const totals = { mutants: count, killed: count - survived.length, survived: survived.length };
  if (json) print(JSON.stringify({ name: 'ledger-mutants', ok, figures: [], totals }));
  return ok ? 0 : 1;
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
