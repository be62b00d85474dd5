// Power cuts of real host processes: their writes and fsyncs are recorded, and the disk is rebuilt as a
// cut leaves it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOf } from '#test/crash/matrix/cell.ts';
import { startOutside, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import { imageAfterCut, SURVIVALS } from '#test/crash/power/disk-image.ts';
import { canRecordDisk, whyNoDisk } from '#test/crash/power/disk-recorder.ts';
import { auditCut } from '#test/crash/power/cut-run.ts';
import { readFolder } from '#test/crash/power/folder-image.ts';
import { cutsOf, runPowerCell, type PowerSituation } from '#test/crash/power/power-cells.ts';
import { recordRun } from '#test/crash/power/record-run.ts';
import { createRandom } from '#test/support/seeded-random.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** Cells of the matrix in which a real host goes on; they are spread over the run. */
const CELLS = 2;
const SITUATIONS: readonly PowerSituation[] = [
  { situation: { effect: 'http.post', kills: [], answer: 'truth' }, hasCheckpoints: true },
  { situation: { effect: 'files.append', kills: [], answer: 'truth' }, hasCheckpoints: false },
  { situation: { effect: 'webhook>http.post', kills: [], answer: 'truth' }, hasCheckpoints: false },
];

describe.skipIf(!canRecordDisk)(`a host that loses power${whyNoDisk}`, () => {
  let outside: Outside;
  beforeAll(async () => {
    outside = await startOutside();
  });
  afterAll(() => outside.close());

  it.each(SITUATIONS.map((one) => [nameOf(one.situation), one] as const))(
    '[CM-4] nothing is lost, duplicated or stuck: %s',
    async (_, one) => {
      const run = await recordRun(one.situation, one.hasCheckpoints, outside, tempFolder());
      // Otherwise a write escaped the recorder.
      const everything = imageAfterCut(run.before, run.operations, {
        end: run.operations.length,
        survival: 'everything',
        random: createRandom(1),
      });
      expect(everything).toEqual(readFolder(run.home));

      const begin = run.operations.findIndex(({ kind }) => kind === 'mark');
      const problems: string[] = [];
      for (let end = begin; end < run.operations.length; end += 60) {
        const survival = SURVIVALS[end % SURVIVALS.length] ?? 'nothing';
        problems.push(...auditCut(run, { end, survival, seed: end }));
      }
      expect(problems).toEqual([]);

      const all = cutsOf(one, run);
      const step = Math.floor(all.length / CELLS);
      const cells = all.filter((_cell, index) => index % step === step - 1);
      expect(cells.length).toBeGreaterThanOrEqual(CELLS);
      for (const cell of cells) {
        const { duplicates, lost, stuck, unsound } = await runPowerCell(cell, run, outside);
        expect({ cell: nameOf(cell), duplicates, lost, stuck, unsound }).toEqual({
          cell: nameOf(cell),
          duplicates: [],
          lost: [],
          stuck: [],
          unsound: [],
        });
      }
    },
    120_000,
  );
});
