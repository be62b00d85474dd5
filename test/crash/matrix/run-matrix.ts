// `npm run crash-matrix [-- --json] [--only TEXT] [--jobs N] [--kills]`: lives every cell, prints a
// table and its totals, and exits 1 when anything happened twice, got lost or did not end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nameOf, whereBothCame, type Cell } from '#test/crash/matrix/cell.ts';
import { plans, type Plan } from '#test/crash/matrix/plans.ts';
import { startOutside } from '#test/crash/matrix/matrix-processes.ts';
import { killAtRandom } from '#test/crash/matrix/random-kills.ts';
import { runCell, type Verdict } from '#test/crash/matrix/run-cell.ts';
import { killsReport, matrixReport, print, row, type Lived } from '#test/crash/matrix/report.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '3' },
    kills: { type: 'boolean', default: false },
  },
});

/** What is ready together shares a commit, so one life has some more of them than another: the plug is
 * pulled only where every rehearsal came by. */
const REHEARSALS = 3;

const root = mkdtempSync(join(tmpdir(), 'holdfast-crash-'));
const outside = await startOutside();
try {
  const report = values.kills
    ? killsReport(await killAtRandom({ runs: 2000, kills: 50 }, outside, root, print))
    : matrixReport(await liveMatrix());
  if (values.json) print(JSON.stringify(report));
  process.exitCode = report.ok ? 0 : 1;
} finally {
  outside.close();
  rmSync(root, { recursive: true, force: true });
}

async function liveMatrix(): Promise<Lived[]> {
  const live = async (cell: Cell): Promise<Lived> => {
    const verdict: Verdict = await runCell(cell, outside, root);
    const lived = { cell, verdict };
    print(row(lived));
    return lived;
  };
  const lived = new Map<string, Lived>();
  const wanted = plans().filter(({ situation }) => mayMatch(situation));
  const situations = unique(wanted.map(({ situation }) => situation));
  for (let rehearsal = 0; rehearsal < REHEARSALS; rehearsal += 1) {
    for (const one of await inTurn(situations, live)) {
      const before = lived.get(nameOf(one.cell));
      lived.set(nameOf(one.cell), before ? asOne(before, one) : one);
    }
  }
  const cells = unique(wanted.flatMap((plan) => cellsOf(plan, lived)))
    .filter((cell) => !lived.has(nameOf(cell)))
    .filter((cell) => nameOf(cell).includes(values.only));
  for (const one of await inTurn(cells, live)) lived.set(nameOf(one.cell), one);
  return [...lived.values()];
}

/** Two lives of one cell: what is wrong with either, and where both came by. */
function asOne({ cell, verdict: one }: Lived, { verdict: other }: Lived): Lived {
  const verdict = {
    duplicates: [...one.duplicates, ...other.duplicates],
    lost: [...one.lost, ...other.lost],
    stuck: [...one.stuck, ...other.stuck],
    unsound: [...one.unsound, ...other.unsound],
    ms: one.ms + other.ms,
    came: whereBothCame(one.came, other.came),
  };
  return { cell, verdict };
}

/** A filter that begins with an effect saves the rehearsals of the others. */
function mayMatch({ effect }: Cell): boolean {
  const [first = ''] = values.only.split(' | ');
  return effect === first || !plans().some(({ situation }) => situation.effect === first);
}

function cellsOf({ situation, killsAt }: Plan, lived: ReadonlyMap<string, Lived>): Cell[] {
  const came = lived.get(nameOf(situation))?.verdict.came;
  if (!came) return [];
  return killsAt(came).map((kill) => ({ ...situation, kills: [...situation.kills, kill] }));
}

function unique(cells: readonly Cell[]): Cell[] {
  return [...new Map(cells.map((cell) => [nameOf(cell), cell])).values()];
}

/** A few at a time: each is two or three processes. */
async function inTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      results.push(await work(item));
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) || 1 }, worker));
  return results;
}
