// `npm run crash-matrix [-- --json] [--only TEXT] [--jobs N] [--power] [--kills]`: runs every cell, prints
// a table with totals, and exits 1 if an effect happened twice or was lost, or a run did not end.
// `--power`: only the power cuts and the failing disks.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nameOf, commonPoints, type Cell } from '#test/crash/matrix/cell.ts';
import { plans, type Plan } from '#test/crash/matrix/plans.ts';
import { startOutside } from '#test/crash/matrix/matrix-processes.ts';
import { killAtRandom } from '#test/crash/matrix/random-kills.ts';
import { runCell, type Verdict } from '#test/crash/matrix/run-cell.ts';
import { diskFaultCells, runFaultCell } from '#test/crash/power/disk-fault-cell.ts';
import { canRecordDisk, whyNoDisk } from '#test/crash/power/disk-recorder.ts';
import { cutsOf, powerSituations, runPowerCell } from '#test/crash/power/power-cells.ts';
import { recordRun } from '#test/crash/power/record-run.ts';
import {
  killsReport,
  matrixReport,
  print,
  row,
  type CellResult,
} from '#test/crash/matrix/report.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    jobs: { type: 'string', default: '3' },
    kills: { type: 'boolean', default: false },
    power: { type: 'boolean', default: false },
  },
});

/** Group commit makes the number of commits vary, so hosts are killed only at points that every
 * rehearsal passed. */
const REHEARSALS = 3;

const root = mkdtempSync(join(tmpdir(), 'holdfast-crash-'));
const outside = await startOutside();
try {
  const report = values.kills
    ? killsReport(await killAtRandom({ runs: 2000, kills: 50 }, outside, root, print))
    : matrixReport([...(values.power ? [] : await runMatrix()), ...(await cutPower())]);
  if (values.json) print(JSON.stringify(report));
  process.exitCode = report.ok ? 0 : 1;
} finally {
  outside.close();
  rmSync(root, { recursive: true, force: true });
}

async function runMatrix(): Promise<CellResult[]> {
  const run = async (cell: Cell): Promise<CellResult> => {
    const verdict: Verdict = await runCell(cell, outside, root);
    const result = { cell, verdict };
    print(row(result));
    return result;
  };
  const results = new Map<string, CellResult>();
  const wanted = plans().filter(({ situation }) => mayMatch(situation));
  const situations = unique(wanted.map(({ situation }) => situation));
  for (let rehearsal = 0; rehearsal < REHEARSALS; rehearsal += 1) {
    for (const one of await inParallel(situations, run)) {
      const before = results.get(nameOf(one.cell));
      results.set(nameOf(one.cell), before ? combine(before, one) : one);
    }
  }
  const cells = unique(wanted.flatMap((plan) => cellsOf(plan, results)))
    .filter((cell) => !results.has(nameOf(cell)))
    .filter((cell) => nameOf(cell).includes(values.only));
  for (const one of await inParallel(cells, run)) results.set(nameOf(one.cell), one);
  return [...results.values()];
}

/** Each situation is recorded once, and the power cut at each of its commits. */
async function cutPower(): Promise<CellResult[]> {
  if (!canRecordDisk) {
    print(`power cuts${whyNoDisk}`);
    return [];
  }
  const wanted = powerSituations().filter(({ situation }) => mayMatch(situation));
  const results = await inParallel(wanted, async (one) => {
    const recorded = await recordRun(one.situation, one.hasCheckpoints, outside, root);
    const cells: CellResult[] = [];
    for (const cell of cutsOf(one, recorded)) {
      if (!nameOf(cell).includes(values.only)) continue;
      const result = { cell, verdict: await runPowerCell(cell, recorded, outside) };
      print(row(result));
      cells.push(result);
    }
    return cells;
  });
  const faults = diskFaultCells().filter((cell) => nameOf(cell).includes(values.only));
  const failed = await inParallel(faults, async (cell) => {
    const result = { cell, verdict: await runFaultCell(cell, outside, root) };
    print(row(result));
    return result;
  });
  return [...results.flat(), ...failed];
}

/** Two rehearsals of one cell: the problems of either, and the points that both passed. */
function combine({ cell, verdict: one }: CellResult, { verdict: other }: CellResult): CellResult {
  const verdict = {
    duplicates: [...one.duplicates, ...other.duplicates],
    lost: [...one.lost, ...other.lost],
    stuck: [...one.stuck, ...other.stuck],
    unsound: [...one.unsound, ...other.unsound],
    ms: one.ms + other.ms,
    points: commonPoints(one.points, other.points),
  };
  return { cell, verdict };
}

/** With a filter that starts with an effect, the rehearsals of other effects are skipped. */
function mayMatch({ effect }: Cell): boolean {
  const [first = ''] = values.only.split(' | ');
  return effect === first || !plans().some(({ situation }) => situation.effect === first);
}

function cellsOf({ situation, killsAt }: Plan, results: ReadonlyMap<string, CellResult>): Cell[] {
  const points = results.get(nameOf(situation))?.verdict.points;
  if (!points) return [];
  return killsAt(points).map((kill) => ({ ...situation, kills: [...situation.kills, kill] }));
}

function unique(cells: readonly Cell[]): Cell[] {
  return [...new Map(cells.map((cell) => [nameOf(cell), cell])).values()];
}

/** Runs `--jobs` at a time; each cell is two or three processes. */
async function inParallel<Item, Result>(
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
