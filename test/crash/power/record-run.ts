// Records the disk of one host process while it does all the work of a situation. The recording has
// every moment at which the power can be cut.
import { linkSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import type { Cell, HostJob } from '#test/crash/matrix/cell.ts';
import { createFileWorkspace } from '#test/crash/matrix/file-workspace.ts';
import { runHost, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import type { OutsideEffect } from '#test/crash/matrix/outside-ledger.ts';
import { hostJobs } from '#test/crash/matrix/run-cell.ts';
import type { Files } from '#test/crash/power/disk-image.ts';
import { readDiskLog, type DiskOperation } from '#test/crash/power/disk-log.ts';
import { recorderEnv } from '#test/crash/power/disk-recorder.ts';
import { readFolder } from '#test/crash/power/folder-image.ts';

export interface RecordedRun {
  readonly home: string;
  readonly cellId: string;
  /** For the host process that goes on after a cut. */
  readonly job: HostJob;
  readonly before: Files;
  readonly operations: readonly DiskOperation[];
  readonly effects: readonly OutsideEffect[];
  /** Other names of files whose inode matters. */
  readonly kept: ReadonlyMap<string, string>;
}

let made = 0;

/** The folder of a run before its host starts. */
export function prepareRun(
  situation: Cell,
  outside: Outside,
  root: string,
): Pick<RecordedRun, 'home' | 'cellId' | 'job' | 'before'> & { readonly log: string } {
  made += 1;
  const cellId = `power-${process.pid}-${made}`;
  const home = join(root, cellId);
  mkdirSync(home, { recursive: true });
  createFileWorkspace(join(home, 'workspace'), situation.effect).close();
  const [job] = hostJobs(situation, outside, { cellId, home });
  if (!job) throw new Error('A cell has at least one host process.');
  return { home, cellId, job, before: readFolder(home), log: join(root, `${cellId}.log`) };
}

export async function recordRun(
  situation: Cell,
  hasCheckpoints: boolean,
  outside: Outside,
  root: string,
): Promise<RecordedRun> {
  const { home, cellId, job, before, log } = prepareRun(situation, outside, root);
  const end = await runHost(
    { ...job, mayJump: true, diskLog: log, hasCheckpoints },
    recorderEnv({ folder: home, log }),
  );
  if (end.type !== 'ended') throw new Error(`The recorded host ${JSON.stringify(end)}.`);
  if (end.stuck !== null) throw new Error(`The recorded host did not finish: ${end.stuck}`);
  const identity = join(job.dataDir, 'device.json');
  const kept = join(root, `${cellId}.device.json`);
  linkSync(identity, kept);
  return {
    home,
    cellId,
    job: { ...job, kill: null, fault: null, mayJump: true, hasCheckpoints },
    before,
    operations: readDiskLog(log),
    effects: await effectsOf(outside.url, cellId),
    kept: new Map([[identity, kept]]),
  };
}
