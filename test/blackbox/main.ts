// `npm run blackbox [-- --only TEXT] [--at-once N] [--json]`: runs scenarios against real hosts from
// outside: command line, HTTP, webhooks, kills. Exits with 1 on an unexpected failure.
import { parseArgs } from 'node:util';
import { runSuite, type Result, type Verdict } from '#test/blackbox/harness/run-suite.ts';
import { KNOWN_FAILURES } from '#test/blackbox/known-failures.ts';
import { SCENARIOS } from '#test/blackbox/scenarios/all.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    'at-once': { type: 'string', default: '4' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const WORDS: { readonly [verdict in Verdict]: string } = {
  passed: 'ok',
  failed: 'FAILED',
  known: 'known failure',
  fixed: 'FIXED',
  skipped: 'not run',
};

const only = values.only?.toLowerCase();
const chosen = SCENARIOS.filter(
  ({ name, theme }) => only === undefined || `${theme}: ${name}`.toLowerCase().includes(only),
);
const atOnce = Number(values['at-once']);
if (chosen.length === 0 || !Number.isSafeInteger(atOnce) || atOnce < 1) {
  say('No scenario matches --only, or --at-once is not a positive whole number.');
  process.exit(2);
}

const startedAt = performance.now();
const results = await runSuite({
  scenarios: chosen,
  known: KNOWN_FAILURES,
  atOnce,
  onResult: tell,
});
const problems = [
  ...results.filter(({ verdict }) => verdict === 'failed' || verdict === 'fixed').map(describe),
  ...unknownNames().map((name) => `known-failures.ts names no scenario: ${name}`),
];
const ok = problems.length === 0;
const totals = {
  scenarios: results.length,
  passed: count('passed'),
  failed: count('failed'),
  known: count('known'),
  fixed: count('fixed'),
  skipped: count('skipped'),
  seconds: Math.round((performance.now() - startedAt) / 1000),
};
say('');
for (const problem of problems) say(problem);
say(
  Object.entries(totals)
    .map(([name, value]) => `${value} ${name}`)
    .join(', '),
);
if (values.json) {
  process.stdout.write(`${JSON.stringify({ name: 'blackbox', ok, figures: [], totals })}\n`);
}
process.exit(ok ? 0 : 1);

function tell(result: Result): void {
  const { scenario, verdict, seconds, says } = result;
  const line = `${WORDS[verdict].padEnd(14)}${scenario.theme}: ${scenario.name} (${seconds.toFixed(1)} s)`;
  const why =
    verdict === 'known' || verdict === 'skipped' ? `\n${' '.repeat(16)}${says.split('\n')[0]}` : '';
  say(`${line}${verdict === 'failed' ? `\n${indented(says)}` : why}`);
}

function describe({ scenario, verdict, says }: Result): string {
  const first = says.split('\n')[0] ?? '';
  return `${WORDS[verdict]}: ${scenario.theme}: ${scenario.name}\n  ${first}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

function count(verdict: Verdict): number {
  return results.filter((result) => result.verdict === verdict).length;
}

function unknownNames(): readonly string[] {
  const names = new Set(SCENARIOS.map(({ name }) => name));
  return Object.keys(KNOWN_FAILURES).filter((name) => !names.has(name));
}
