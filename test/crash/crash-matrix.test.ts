// The riskiest cells of `npm run crash-matrix`: in each, real host processes are killed and an outside
// service counts the effects.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameOf, commonPoints, type Cell, type EffectKind } from '#test/crash/matrix/cell.ts';
import { startOutside, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import { runCell } from '#test/crash/matrix/run-cell.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const CELLS: readonly Cell[] = [
  cell('http.post', 'execute:after#1'),
  cell('http.post', 'commit:before#1'),
  cell('http.post', 'prepare:after#1'),
  cell('http.post', 'in_flight:before#1'),
  cell('http.post', 'in_flight:after#1'),
  cell('http.post', 'outside:acted#1'),
  cell('http.post', 'send:after#2'),
  cell('http.post', 'outcome:after#1'),
  cell('http.post', 'commit:before#2'),
  cell('http.post', 'commit:before>store#2'),
  cell('http.post', 'commit:before#4'),
  { ...cell('http.post', 'outside:received#1'), answer: 'retry' },
  { ...cell('http.post', 'outside:received#1', 'send:before#1'), answer: 'retry' },
  { ...cell('http.post', 'outside:acted#2'), answer: 'skip' },
  { ...cell('http.post'), fault: { mode: 'drop', nth: 1 } },
  cell('http.post+reconcile', 'outside:acted#1'),
  cell('http.post+reconcile', 'outside:received#1'),
  cell('http.post+reconcile', 'outside:acted#1', 'reconcile:after#1'),
  cell('http.post+reconcile', 'outside:received#1', 'reconcile:after>store#1'),
  { ...cell('http.post+reconcile', 'outside:acted#1'), isMute: true },
  cell('files.write', 'fs.writeFile:after#1'),
  cell('files.append', 'fs.write:after#1'),
  cell('files.move', 'fs.link:after#1'),
  cell('mail.send', 'outside:acted#1'),
  cell('ask', 'prepare:after#1'),
  cell('webhook>http.post', 'ingress:before#1'),
  cell('webhook>http.post', 'ingress:after#2'),
  cell('webhook>http.post', 'enrich:claimed#1'),
  cell('webhook>http.post', 'enrich:artifacts#1', 'enrich:artifacts#1'),
  cell('webhook>http.post', 'execute_input:before#1'),
  cell('webhook>http.post', 'execute_input:after#1'),
  cell('webhook>http.post', 'completion:artifact#1'),
  cell('webhook>http.post', 'outside:acted#1'),
];

describe('a killed host', () => {
  let outside: Outside;
  beforeAll(async () => {
    outside = await startOutside();
  });
  afterAll(() => outside.close());

  it.each(CELLS.map((one) => [nameOf(one), one] as const))(
    '[CM-1] [CM-3] nothing is lost, duplicated or stuck: %s',
    async (_, one) => {
      const { duplicates, lost, stuck, unsound } = await runCell(one, outside, tempFolder());
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

describe('kill points', () => {
  it('[CM-1] are those that both rehearsals passed, as often as both did', () => {
    const points = commonPoints(
      { passed: { 'store:after': 64, 'in_flight:after': 2 }, commitsAt: { 'prepare:after#1': 9 } },
      { passed: { 'store:after': 61, 'prepare:after': 2 }, commitsAt: { 'prepare:after#1': 8 } },
    );
    expect(points).toEqual({ passed: { 'store:after': 61 }, commitsAt: { 'prepare:after#1': 8 } });
  });
});

/** Kills are `point#nth`, one for each host process that dies. */
function cell(effect: EffectKind, ...kills: readonly string[]): Cell {
  return {
    effect,
    answer: 'truth',
    kills: kills.map((kill) => {
      const [point = '', nth] = kill.split('#');
      return { point, nth: Number(nth) };
    }),
  };
}
