// The last line that benches, the crash matrix, the simulator and the mutation tests print with --json.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { amount, medianOf, perSecond } from '../../bench/harness.ts';
import { runProgram, type Ended } from '#test/support/child-processes.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

const BOUND_MS = 120_000;

const number = z.number().nullable();
const reportSchema = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  figures: z.array(
    z.strictObject({
      name: z.string(),
      value: number,
      unit: z.string(),
      baseline: number,
      ratio: number,
      bar: number,
      ok: z.boolean(),
      barIs: z.enum(['min', 'max']).optional(),
      note: z.string().optional(),
    }),
  ),
  totals: z.record(z.string(), z.number()),
});

const lastLine = ({ stdout }: Ended): z.infer<typeof reportSchema> =>
  reportSchema.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));

/** A bench whose figures are given. */
function reportOf(figures: string, ...args: string[]): Promise<Ended> {
  const file = join(tempFolder(), 'bench.ts');
  const harness = pathToFileURL(resolve('bench/harness.ts')).href;
  writeFileSync(
    file,
    `import { amount, perSecond, report } from ${JSON.stringify(harness)};
     console.log('before it');
     report('trial', [${figures}]);`,
  );
  return runProgram(process.execPath, [file, ...args], resolve('.'));
}

const npmRun = (...args: string[]): Promise<Ended> =>
  runProgram('npm', ['run', '--silent', ...args], resolve('.'));

describe('the report of a bench', () => {
  it('[BN-1] --json prints one object as the last line', async () => {
    const ended = await reportOf(
      `amount('time', 2, 'ms', 3), perSecond('rate', 50, 100, 0.5), amount('plain', 1, 'MB', null)`,
      '--json',
    );
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(lastLine(ended)).toMatchObject({
      name: 'trial',
      ok: true,
      figures: [
        { name: 'time', value: 2, unit: 'ms', baseline: null, ratio: null, bar: 3, ok: true },
        { name: 'rate', value: 50, unit: '1/s', baseline: 100, ratio: 0.5, bar: 0.5, ok: true },
        { name: 'plain', bar: null, ok: true },
      ],
      totals: { figures: 3, bars: 2, missed: 0 },
    });
  });

  it.each([
    ['a value above its bar', `amount('time', 4, 'ms', 3)`],
    ['a ratio below its bar', `perSecond('rate', 49, 100, 0.5)`],
  ])('[BN-1] exit code 1 for %s, with --json and without', async (_, figure) => {
    const ended = await reportOf(figure, '--json');
    expect(ended.code).toBe(1);
    expect(lastLine(ended)).toMatchObject({ ok: false, totals: { missed: 1 } });
    const table = await reportOf(figure);
    expect(table.code).toBe(1);
    expect(table.stdout).toContain('MISSED');
  });

  it('[BN-2] the median of rounds is judged, not a single round', () => {
    const rounds = [1, 9, 2].map((value) => [
      amount('time', value, 'ms', 3),
      perSecond('rate', value * 10, 100, 0.15),
    ]);
    expect(medianOf(rounds)).toMatchObject([
      { name: 'time', value: 2, ratio: null, bar: 3, ok: true },
      { name: 'rate', value: 20, baseline: 100, ratio: 0.2, ok: true },
    ]);
    const slow = [4, 1, 5].map((value) => [amount('time', value, 'ms', 3)]);
    expect(medianOf(slow)).toMatchObject([{ value: 4, ok: false }]);
    const missing = [{ ...amount('time', 1, 'ms', 3), value: null }];
    expect(medianOf([missing, missing, missing])).toMatchObject([{ value: null, ok: false }]);
  });
});

describe('the other long runs', () => {
  it(
    '[BN-1] the crash matrix has the same last line',
    async () => {
      const ended = await npmRun('crash-matrix', '--', '--json', '--only', 'ask | none');
      expect(ended).toMatchObject({ code: 0 });
      const report = lastLine(ended);
      expect(report).toMatchObject({ name: 'crash-matrix', ok: true });
      expect(report.totals).toMatchObject({ duplicates: 0, lost: 0, stuck: 0 });
    },
    BOUND_MS,
  );

  it(
    '[BN-1] so has the simulator',
    async () => {
      const ended = await npmRun('simulate', '--', '--json', '--seed', '1');
      expect(ended).toMatchObject({ code: 0 });
      expect(lastLine(ended)).toMatchObject({
        name: 'simulate',
        ok: true,
        totals: { seeds: 1, failed: 0 },
      });
    },
    BOUND_MS,
  );

  it(
    '[BN-1] so have the mutation tests; a name that no mutant has gives exit code 1',
    async () => {
      const only = ['--named-only', '--only', 'a mark is split after its first byte'];
      const ended = await npmRun('mutants', '--', '--json', ...only);
      expect(ended).toMatchObject({ code: 0 });
      expect(lastLine(ended)).toMatchObject({
        name: 'mutants',
        ok: true,
        totals: { mutants: 1, killed: 1, survived: 0, 'runner.mutants': 1, 'runner.killed': 1 },
      });
      const none = await npmRun('mutants', '--', '--only', 'no mutant has this name');
      expect(none).toMatchObject({ code: 1, stdout: '' });
    },
    BOUND_MS,
  );
});
