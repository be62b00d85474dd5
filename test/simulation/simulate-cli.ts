// `npm run simulate -- --seeds N [--from S] [--seed S] [--faults KINDS] [--json]`: simulates several devices and checks
// the promises. The plan of a failing seed is shrunk and printed.
import { parseArgs } from 'node:util';
import { FAULT_KINDS, planOf, type FaultKind } from '#test/simulation/plan.ts';
import { shrink } from '#test/simulation/shrink.ts';
import { simulate } from '#test/simulation/simulate.ts';
import { NO_TOTALS, sumOf, type Totals } from '#test/simulation/totals.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '200' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    faults: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stderr.write(`${line}\n`);

const seeds =
  values.seed === undefined
    ? Array.from(
        { length: wholeNumber(values.seeds) },
        (_, index) => wholeNumber(values.from) + index,
      )
    : [wholeNumber(values.seed)];
const kinds = kindsOf(values.faults);
let totals: Totals = NO_TOTALS;
const failed: number[] = [];
for (const [index, seed] of seeds.entries()) {
  const result = await simulate(planOf(seed, kinds));
  totals = sumOf(totals, result.totals);
  if (result.problems.length > 0) {
    failed.push(seed);
    await explain(seed, result.problems);
  }
  if ((index + 1) % 100 === 0)
    say(`${index + 1} of ${seeds.length} seeds, ${failed.length} failed`);
}
const ok = failed.length === 0;
const report = {
  name: 'simulate',
  ok,
  figures: [],
  totals: { seeds: seeds.length, failed: failed.length, ...totals },
};
if (values.json) process.stdout.write(`${JSON.stringify(report)}\n`);
else {
  for (const [name, count] of Object.entries(report.totals)) say(`${name.padEnd(20)}${count}`);
  say(ok ? 'No seed failed.' : `Failed seeds: ${failed.join(', ')}`);
}
process.exit(ok ? 0 : 1);

async function explain(seed: number, problems: readonly string[]): Promise<void> {
  say(`\nseed ${seed}:`);
  for (const problem of problems.slice(0, 10)) say(`  ${problem}`);
  const short = await shrink(
    planOf(seed, kinds),
    async (plan) => (await simulate(plan)).problems.length > 0,
  );
  say(`  it still fails with ${short.devices} devices and these steps:`);
  for (const step of short.steps) say(`    ${JSON.stringify(step)}`);
  for (const problem of (await simulate(short)).problems.slice(0, 5)) say(`  ${problem}`);
}

function wholeNumber(text: string | undefined): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  say(`"${text}" is not a whole number. Nothing was simulated.`);
  process.exit(2);
}

/** `power,sleep`; an empty text: none. */
function kindsOf(text: string | undefined): readonly FaultKind[] {
  if (text === undefined) return FAULT_KINDS;
  const names = text.split(',').filter((name) => name !== '');
  const unknown = names.find((name) => !(FAULT_KINDS as readonly string[]).includes(name));
  if (unknown === undefined) return names as FaultKind[];
  say(
    `"${unknown}" is not a kind of fault. Nothing was simulated. Kinds: ${FAULT_KINDS.join(', ')}.`,
  );
  process.exit(2);
}
