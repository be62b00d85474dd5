// A real host process whose disk fails at a commit of the ledger: full, or with EIO.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOf } from '#test/crash/matrix/cell.ts';
import { startOutside, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import { diskFaultCells, runFaultCell } from '#test/crash/power/disk-fault-cell.ts';
import { canRecordDisk, whyNoDisk } from '#test/crash/power/disk-recorder.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

/** The matrix has all of them. */
const CELLS = diskFaultCells().filter(({ diskFault: { kind, point } }) =>
  ['disk full outcome:before', 'fsync error in_flight:before'].includes(`${kind} ${point}`),
);

describe.skipIf(!canRecordDisk)(`a host whose disk fails${whyNoDisk}`, () => {
  let outside: Outside;
  beforeAll(async () => {
    outside = await startOutside();
  });
  afterAll(() => outside.close());

  it.each(CELLS.map((one) => [nameOf(one), one] as const))(
    '[CM-5] [DB-13] goes on when the disk works again, and a power cut finds a true ledger: %s',
    async (_, one) => {
      const { duplicates, lost, stuck, unsound } = await runFaultCell(one, outside, tempFolder());
      expect({ duplicates, lost, stuck, unsound }).toEqual({
        duplicates: [],
        lost: [],
        stuck: [],
        unsound: [],
      });
    },
    90_000,
  );
});
