// The power cuts of the matrix: at each commit of each situation, with and without a checkpoint under
// way, and with different parts of what no fsync covered.
import { sha256Hex } from '#shared/ids.ts';
import { nameOf, type Cell, type PowerCut } from '#test/crash/matrix/cell.ts';
import type { Outside } from '#test/crash/matrix/matrix-processes.ts';
import { plans } from '#test/crash/matrix/plans.ts';
import type { Verdict } from '#test/crash/matrix/run-cell.ts';
import { auditCut, goOnAfterCut } from '#test/crash/power/cut-run.ts';
import { SURVIVALS } from '#test/crash/power/disk-image.ts';
import type { RecordedRun } from '#test/crash/power/record-run.ts';
import { createRandom } from '#test/support/seeded-random.ts';

/** Images that are only audited, beside the one with which a host goes on. */
const AUDITED = 10;

export interface PowerSituation {
  readonly situation: Cell;
  readonly hasCheckpoints: boolean;
}

export function powerSituations(): PowerSituation[] {
  const alone = plans()
    .map(({ situation }) => situation)
    .filter(({ kills, answer }) => kills.length === 0 && answer === 'truth');
  const unique = [...new Map(alone.map((cell) => [nameOf(cell), cell])).values()];
  return unique.flatMap((situation) =>
    [false, true].map((hasCheckpoints) => ({ situation, hasCheckpoints })),
  );
}

export type CutCell = Cell & { readonly cut: PowerCut };

/**
 * A cell for each commit, and for each step around an effect. The commits before the first event are
 * the same in all situations, so one has them.
 */
export function cutsOf({ situation, hasCheckpoints }: PowerSituation, run: RecordedRun): CutCell[] {
  const marks = run.operations.flatMap((one) => (one.kind === 'mark' ? [one.name] : []));
  const isFirst = nameOf(situation) === 'http.post | no kill';
  const from = isFirst ? 0 : marks.findIndex((name) => /^(?:ingress|prepare):/.test(name));
  return marks
    .slice(from)
    .filter((name) => /^(?:store:after|(?:in_flight|send|outcome):(?:before|after))#/.test(name))
    .map((name, index) => {
      const [point = '', nth] = name.split('#');
      const survival = SURVIVALS[index % SURVIVALS.length] ?? 'nothing';
      const cut: PowerCut = { point, nth: Number(nth), survival, hasCheckpoints };
      return { ...situation, cut };
    });
}

/** The cut comes at the point itself, or at any moment since the one before it. */
export async function runPowerCell(
  cell: CutCell,
  run: RecordedRun,
  outside: Outside,
): Promise<Verdict> {
  const startedAt = performance.now();
  const { operations } = run;
  const { point, nth, survival } = cell.cut;
  const end = operations.findIndex((one) => one.kind === 'mark' && one.name === `${point}#${nth}`);
  const begin = operations.findLastIndex((one, at) => one.kind === 'mark' && at < end);
  const random = createRandom(Buffer.from(sha256Hex(nameOf(cell)), 'hex').readUInt32LE());
  const moment = (): number => end - (random.chance(50) ? 0 : random.int(Math.max(1, end - begin)));
  const unsound: string[] = [];
  for (let n = 0; n < AUDITED; n += 1) {
    const cut = {
      end: moment(),
      survival: SURVIVALS[n % SURVIVALS.length] ?? 'nothing',
      seed: random.int(2 ** 31),
    };
    const problems = auditCut(run, cut);
    unsound.push(...problems.map((problem) => `${problem} (${JSON.stringify(cut)})`));
  }
  const judged = await goOnAfterCut(
    cell,
    run,
    { end: moment(), survival, seed: random.int(2 ** 31) },
    outside,
  );
  return {
    ...judged,
    unsound: [...unsound, ...judged.unsound],
    ms: Math.round(performance.now() - startedAt),
    points: { passed: {}, commitsAt: {} },
  };
}
