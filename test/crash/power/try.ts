import { startOutside } from '#test/crash/matrix/matrix-processes.ts';
import { recordRun } from '#test/crash/power/record-run.ts';
import { imageAfterCut } from '#test/crash/power/disk-image.ts';
import { readFolder } from '#test/crash/power/folder-image.ts';
import { createRandom } from '#test/support/seeded-random.ts';
import { mkdtempSync } from 'node:fs';
const outside = await startOutside();
const root = mkdtempSync('/tmp/power-try-');
for (const effect of process.argv.slice(2)) for (const ck of [false, true]) {
  const t = performance.now();
  const run = await recordRun({ effect: effect as never, kills: [], answer: 'truth' }, ck, outside, root);
  const t2 = performance.now();
  const { operations } = run;
  const image = imageAfterCut(run.before, operations, { end: operations.length, survival: 'everything', random: createRandom(1) });
  const t3 = performance.now();
  const real = readFolder(run.home);
  const diff = [...new Set([...image.keys(), ...real.keys()])].filter((p) => { const a = image.get(p), b = real.get(p); return !a || !b || !a.equals(b); });
  console.log(effect, ck, Math.round(t2 - t), 'ms', Math.round(t3 - t2), operations.length, 'ops', operations.filter(o => o.kind === 'sync').length, 'syncs', operations.filter(o=>o.kind==='mark'&&o.name.startsWith('store:after')).length, 'commits', run.effects.length, diff.map(p => [p.slice(run.home.length), image.get(p)?.length, real.get(p)?.length]));
}
outside.close();
process.exit(0);
