// `npm run mutants [-- --list NAME] [--only TEXT] [--named-only] [--workers N] [--json]`: makes each mutant of
// test/mutants in a copy of the repository and runs the tests there: first the files that the mutant
// names, then, if it survives, the stages. Exits 1 when a mutant survives, or before any test when the
// pattern of a mutant no longer matches the code.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { MutantCopy } from './lib/mutant-copy.mjs';
import { inRepo } from './lib/paths.mjs';
import { lastLines, sayOnStderr as say } from './lib/processes.mjs';
import { useRightNode } from './lib/right-node.mjs';
import { prepareCrsqlite } from './lib/run-script.mjs';

/** @typedef {import('../test/mutants/mutant.ts').Mutant} Mutant */
/** @typedef {import('../test/mutants/mutant.ts').MutantList} MutantList */
/** @typedef {{ list: string, mutant: Mutant, tests: readonly string[] }} Trial */
/** @typedef {(stage: { name: string, tests: string[] }) => Promise<boolean>} StagePasses */
/** @typedef {{ type: 'killed', by: string } | { type: 'survived' } | { type: 'untried' }} Outcome */
/** @typedef {{ trial: Trial, outcome: Outcome, seconds: number }} Verdict */

// Only for mutants that survive the tests they name. The fastest first.
const STAGES = [
  { name: 'store', tests: ['test/mutants', 'test/shared', 'test/store'] },
  { name: 'engine', tests: ['test/engine', 'test/inputs', 'test/runner', 'test/sync'] },
  { name: 'crash', tests: ['test/crash/crash-matrix', 'test/crash/random-kills'] },
];

// A mutant that makes the tests hang counts as killed.
const NAMED_LIMIT_MS = 30_000;
const NAMED_LIMIT_FACTOR = 5;
const STAGE_LIMIT_MS = 15 * 60_000;

await useRightNode(import.meta.url);
process.exitCode = await mutants();

/** @returns {Promise<number>} exit code */
async function mutants() {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      list: { type: 'string' },
      'named-only': { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [''] },
      workers: { type: 'string', default: String(os.availableParallelism()) },
    },
  });
  if (!(await prepareCrsqlite())) return 1;
  const { LISTS } = await import('../test/mutants/lists.ts');
  const { missingTests, stalePatterns } = await import('../test/mutants/mutant.ts');
  const all = LISTS.flatMap((list) => list.mutants);
  const stale = [...stalePatterns(all, inRepo()), ...missingTests(LISTS, inRepo())];
  if (stale.length > 0) {
    say('these mutants no longer match the code, so they would test nothing; no test was run:');
    for (const problem of stale) say(`  ${problem}`);
    say('update `file`, `find` and `tests` in test/mutants');
    return 1;
  }
  const trials = trialsOf(LISTS, values.list, values.only);
  if (trials.length === 0) {
    say(`no mutant has "${values.only.join('" or "')}" in its name or file; no test was run`);
    say(`lists: ${LISTS.map(({ name }) => name).join(', ')}`);
    return 1;
  }
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'hf-mutants-')));
  try {
    const workers = Math.max(1, Math.min(Number(values.workers) || 1, trials.length));
    const verdicts = await tryAll(root, trials, workers, !values['named-only']);
    return close(verdicts, values.json);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * @param {string} root an empty folder
 * @param {Trial[]} trials
 * @param {number} workers
 * @param {boolean} usesStages
 * @returns {Promise<Verdict[]>}
 */
async function tryAll(root, trials, workers, usesStages) {
  const { mutated } = await import('../test/mutants/mutant.ts');
  const testWorkers = Math.max(1, Math.floor(os.availableParallelism() / workers));
  const copyIn = (/** @type {string} */ name) => new MutantCopy(path.join(root, name), testWorkers);
  const copies = Array.from({ length: workers }, (_, place) => copyIn(String(place)));
  const named = [...new Set(trials.flatMap(({ tests }) => tests))];
  const unchanged = await runUnchanged(/** @type {MutantCopy} */ (copies[0]), named);
  const limitOf = (/** @type {readonly string[]} */ tests) =>
    NAMED_LIMIT_MS +
    NAMED_LIMIT_FACTOR * tests.reduce((sum, file) => sum + (unchanged.times.get(file) ?? 0), 0);
  const passesUnchanged = stagesOnUnchangedCode(() => copyIn('unchanged'));
  /** @type {Verdict[]} */
  const verdicts = [];
  const queue = [...trials];
  const work = async (/** @type {MutantCopy} */ copy) => {
    for (let trial = queue.shift(); trial !== undefined; trial = queue.shift()) {
      const started = performance.now();
      const { mutant, tests } = trial;
      const mayUseStages = usesStages && mutant.survives === undefined;
      const outcome = tests.some((file) => unchanged.failedFiles.has(file))
        ? { type: /** @type {const} */ ('untried') }
        : await copy.withChange(
            mutant.file,
            (text) => mutated(text, mutant),
            () => tryTests(copy, tests, limitOf(tests), mayUseStages ? passesUnchanged : null),
          );
      const verdict = { trial, outcome, seconds: (performance.now() - started) / 1000 };
      verdicts.push(verdict);
      print(lineOf(verdict));
    }
  };
  await Promise.all(copies.map(work));
  return verdicts;
}

/**
 * @param {readonly MutantList[]} lists
 * @param {string | undefined} wanted the name of one list
 * @param {string[]} texts parts of names or files
 * @returns {Trial[]}
 */
function trialsOf(lists, wanted, texts) {
  return lists
    .filter(({ name }) => wanted === undefined || name === wanted)
    .flatMap(({ name, tests, mutants: made }) =>
      made.map((mutant) => ({ list: name, mutant, tests: mutant.tests ?? tests })),
    )
    .filter(({ mutant: { name, file } }) =>
      texts.some((text) => name.includes(text) || file.includes(text)),
    );
}

/**
 * Tests that fail without a mutant would seem to kill every mutant.
 *
 * @param {MutantCopy} copy
 * @param {readonly string[]} tests
 */
async function runUnchanged(copy, tests) {
  const run = await copy.run(tests, STAGE_LIMIT_MS, 'all');
  if (!run.passed) {
    say(`these tests fail on unchanged code:\n${lastLines(run.output, 40)}`);
    for (const file of run.failedFiles) say(`  ${file}`);
  }
  return run;
}

/**
 * Tells whether a stage passes on unchanged code; each is run there before it is first used.
 *
 * @param {() => MutantCopy} makeCopy
 * @returns {StagePasses}
 */
function stagesOnUnchangedCode(makeCopy) {
  /** @type {MutantCopy | undefined} */
  let copy;
  /** @type {Map<string, Promise<import('./lib/mutant-copy.mjs').Run>>} */
  const passes = new Map();
  return async ({ name, tests }) => {
    copy ??= makeCopy();
    const known = passes.get(name) ?? runUnchanged(copy, tests);
    passes.set(name, known);
    return (await known).passed;
  };
}

/**
 * @param {MutantCopy} copy
 * @param {readonly string[]} tests
 * @param {number} limitMs
 * @param {StagePasses | null} passesUnchanged null to run only the named tests
 * @returns {Promise<Outcome>}
 */
async function tryTests(copy, tests, limitMs, passesUnchanged) {
  const named = await copy.run(tests, limitMs);
  if (!named.passed) return { type: 'killed', by: reasonOf(named) };
  for (const stage of passesUnchanged === null ? [] : STAGES) {
    if (!(await passesUnchanged?.(stage))) continue;
    const run = await copy.run(stage.tests, STAGE_LIMIT_MS);
    if (!run.passed) return { type: 'killed', by: `stage ${stage.name}: ${reasonOf(run)}` };
  }
  return { type: 'survived' };
}

/** @param {import('./lib/mutant-copy.mjs').Run} run */
function reasonOf({ timedOut, failed }) {
  return timedOut ? 'hung' : (failed ?? 'failed');
}

/** @param {Verdict} verdict */
function lineOf({ trial: { list, mutant }, outcome, seconds }) {
  const how = `${seconds.toFixed(1).padStart(6)} s  ${list}: ${mutant.name}`;
  const note = (/** @type {string} */ text) => `\n            ${text}`;
  if (outcome.type === 'untried') {
    return `NOT TRIED${how}${note('its tests fail on unchanged code')}`;
  }
  if (outcome.type === 'survived') {
    return mutant.survives === undefined
      ? `SURVIVED ${how}`
      : `excused  ${how}${note(mutant.survives)}`;
  }
  const by = note(`by ${outcome.by}`);
  return mutant.survives === undefined
    ? `killed   ${how}${by}`
    : `KILLED   ${how}${by}${note(`remove its reason to survive: ${mutant.survives}`)}`;
}

/**
 * @param {Verdict[]} verdicts
 * @param {boolean} json
 * @returns {number} exit code
 */
function close(verdicts, json) {
  const wrong = verdicts.filter(isWrong);
  for (const { trial } of wrong) print(`not as expected: ${trial.list}: ${trial.mutant.name}`);
  const names = [...new Set(verdicts.map(({ trial }) => trial.list))];
  const byList = names.map((name) => ({
    name,
    ...countsOf(verdicts.filter(({ trial }) => trial.list === name)),
  }));
  const total = countsOf(verdicts);
  const parts = byList.map(({ name, mutants: count, killed }) => `${name} ${killed}/${count}`);
  print(
    `${total.mutants} mutants, ${total.killed} killed, ${total.excused} excused, ` +
      `${total.survived} survived, ${total.untried} not tried (killed by list: ${parts.join(', ')})`,
  );
  const ok = wrong.length === 0;
  if (json) {
    const lists = byList.flatMap(({ name, ...counts }) =>
      Object.entries(counts).map(([what, count]) => [`${name}.${what}`, count]),
    );
    const totals = { ...total, ...Object.fromEntries(lists) };
    print(JSON.stringify({ name: 'mutants', ok, figures: [], totals }));
  }
  return ok ? 0 : 1;
}

/** @param {Verdict[]} verdicts */
function countsOf(verdicts) {
  const count = (/** @type {(verdict: Verdict) => boolean} */ is) => verdicts.filter(is).length;
  const isExcused = (/** @type {Verdict} */ { trial }) => trial.mutant.survives !== undefined;
  return {
    mutants: verdicts.length,
    killed: count(({ outcome }) => outcome.type === 'killed'),
    excused: count((verdict) => verdict.outcome.type === 'survived' && isExcused(verdict)),
    survived: count((verdict) => verdict.outcome.type === 'survived' && !isExcused(verdict)),
    untried: count(({ outcome }) => outcome.type === 'untried'),
  };
}

/**
 * A mutant with a reason to survive that is killed has a wrong reason.
 *
 * @param {Verdict} verdict
 */
function isWrong({ trial, outcome }) {
  return outcome.type !== (trial.mutant.survives === undefined ? 'killed' : 'survived');
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
