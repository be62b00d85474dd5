// `npm run spec-coverage`: compares SPEC.md with the results of `npm test` and `npm run test:slow`. Exits
// with 1 if a rule has no test that passed. With `--titles` it reads the files of the tests instead, which
// needs no run and finds only rules that no file cites and citations of rules that do not exist.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inRepo, repoRoot } from '#scripts/lib/paths.mjs';
import { coverageOf, idsIn, type TestReport } from '#scripts/lib/spec-coverage.ts';
import { SUITES, resultsFile } from '#scripts/lib/test-results.mjs';

const rules = idsIn(readFileSync(inRepo('SPEC.md'), 'utf8'));
process.exitCode = process.argv.includes('--titles') ? compareTitles() : compareResults();

function compareTitles(): number {
  const texts = filesUnderTest(/\.(test|suite)\.tsx?$/).map((file) => readFileSync(file, 'utf8'));
  const cited = idsIn(texts.join('\n'));
  const untested = [...rules].filter((id) => !cited.has(id));
  const unknown = [...cited].filter((id) => !rules.has(id));
  say('No test cites these rules', untested);
  say('Tests cite rules that SPEC.md does not have', unknown);
  if (untested.length + unknown.length > 0) return 1;
  console.log(`${rules.size} rules, each cited by a test`);
  return 0;
}

function compareResults(): number {
  const reports: TestReport[] = [];
  for (const suite of SUITES) {
    const problem = problemOf(suite);
    if (problem !== null) {
      console.error(problem);
      return 1;
    }
    reports.push(JSON.parse(readFileSync(resultsFile(suite), 'utf8')) as TestReport);
  }
  const files = filesUnderTest(/\.test\.tsx?$/);
  const found = coverageOf(rules, files, reports);
  const { proven, notHere, gaps, skipped, unknown, filesNotRun } = found;
  for (const [rule, reason] of notHere) console.log(`not proven here: ${rule} (${reason})`);
  for (const [rule, why] of gaps) console.error(`${rule}: ${why}`);
  say('These tests were skipped without a reason in their title', skipped);
  say('Tests cite rules that SPEC.md does not have', unknown);
  say(
    'No suite ran these files',
    filesNotRun.map((file) => file.slice(repoRoot.length + 1)),
  );
  console.log(
    `${rules.size} rules: ${proven} proven, ${notHere.size} not proven here, ${gaps.size} without a test that passed`,
  );
  const problems = gaps.size + skipped.length + unknown.length + filesNotRun.length;
  return problems > 0 ? 1 : 0;
}

/** Results of an older state of the tests prove nothing about this one. */
function problemOf(suite: (typeof SUITES)[number]): string | null {
  const { name, command } = suite;
  const ranAt = statSync(resultsFile(suite), { throwIfNoEntry: false })?.mtimeMs;
  if (ranAt === undefined) return `The ${name} suite has no results. Run: ${command}`;
  const sources = [inRepo('SPEC.md'), ...filesUnderTest(/\.tsx?$/)];
  const changed = sources.find((file) => statSync(file).mtimeMs > ranAt);
  if (changed === undefined) return null;
  return `${changed.slice(repoRoot.length + 1)} changed after the ${name} suite ran. Run: ${command}`;
}

function filesUnderTest(pattern: RegExp): string[] {
  return readdirSync(inRepo('test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => pattern.test(file))
    .map((file) => join(inRepo('test'), file));
}

function say(what: string, names: readonly string[]): void {
  if (names.length > 0) console.error(`${what}: ${names.join(', ')}`);
}
