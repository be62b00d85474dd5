// A host whose disk fails at a commit: it goes on when the disk works again, or stops with a message
// and the next one goes on.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import type { Cell, DiskFault } from '#test/crash/matrix/cell.ts';
import { watchFileWorkspace } from '#test/crash/matrix/file-workspace.ts';
import { judge } from '#test/crash/matrix/judge.ts';
import { runHost, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import type { Verdict } from '#test/crash/matrix/run-cell.ts';
import { auditCut } from '#test/crash/power/cut-run.ts';
import { createFaultControl, DISK_FAULTS } from '#test/crash/power/disk-faults.ts';
import { SURVIVALS } from '#test/crash/power/disk-image.ts';
import { readDiskLog } from '#test/crash/power/disk-log.ts';
import { recorderEnv } from '#test/crash/power/disk-recorder.ts';
import { prepareRun } from '#test/crash/power/record-run.ts';

/** The commits of a run: checkpoint, in flight, outcome, end; and a person's decision. */
const COMMITS: readonly Omit<DiskFault, 'kind'>[] = [
  { point: 'prepare:before', nth: 1 },
  { point: 'in_flight:before', nth: 1 },
  { point: 'send:before', nth: 1 },
  { point: 'outcome:before', nth: 1 },
  { point: 'commit:before', nth: 2 },
];

export type FaultCell = Cell & { readonly diskFault: DiskFault };

export function diskFaultCells(): FaultCell[] {
  return DISK_FAULTS.flatMap((kind) => [
    ...COMMITS.map((commit) => ({ ...plain, diskFault: { ...commit, kind } })),
    {
      ...plain,
      fault: { mode: 'drop' as const, nth: 1 },
      diskFault: { point: 'person:answers', nth: 1, kind },
    },
  ]);
}

const plain: Cell = { effect: 'http.post', kills: [], answer: 'truth' };

export async function runFaultCell(
  cell: FaultCell,
  outside: Outside,
  root: string,
): Promise<Verdict> {
  const startedAt = performance.now();
  const { job, home, cellId, before, log } = prepareRun(cell, outside, root);
  const files = watchFileWorkspace(job.folder, cell.effect);
  const unsound: string[] = [];
  try {
    const control = join(root, `${cellId}.fault`);
    createFaultControl(control);
    const end = await runHost(
      { ...job, mayJump: true, diskLog: log, diskFault: { ...cell.diskFault, control } },
      recorderEnv({ folder: home, log, faults: control }),
    );
    const stuck = end.type === 'ended' ? end.stuck : null;
    if (stuck !== null) unsound.push(`did not go on when the disk worked again: ${stuck}`);
    if (end.type !== 'ended') unsound.push(`the host stopped: ${JSON.stringify(end)}`);

    // What failed is not on disk, and nothing was sent that relied on it.
    const operations = readDiskLog(log);
    const effects = await effectsOf(outside.url, cellId);
    const run = { home, cellId, job, before, operations, effects, kept: new Map() };
    const begin = operations.findIndex(
      (one) => one.kind === 'mark' && one.name === `${cell.diskFault.point}#${cell.diskFault.nth}`,
    );
    if (begin === -1) unsound.push('never reached the fault');
    for (let at = Math.max(0, begin), n = 0; at < operations.length; at += 20, n += 1) {
      const cut = { end: at, survival: SURVIVALS[n % SURVIVALS.length] ?? 'nothing', seed: n };
      unsound.push(...auditCut(run, cut).map((problem) => `${problem} (${JSON.stringify(cut)})`));
    }
    const judged = await judge(cell, { dataDir: job.dataDir, effects, files });
    return {
      ...judged,
      unsound: [...unsound, ...judged.unsound],
      ms: Math.round(performance.now() - startedAt),
      points: { passed: {}, commitsAt: {} },
    };
  } finally {
    files.close();
    if (process.env['HOLDFAST_KEEP_CELLS'] === undefined) rmSync(home, { recursive: true });
  }
}
