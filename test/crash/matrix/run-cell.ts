// Runs one cell, starting with an empty folder, and checks the result.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditAnytime, withCopy } from '#test/crash/matrix/audit.ts';
import type { Cell, HostJob, PassedPoints } from '#test/crash/matrix/cell.ts';
import { judge, unrecordedEffects, type Judgement } from '#test/crash/matrix/judge.ts';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import { createFileWorkspace, type FileWorkspace } from '#test/crash/matrix/file-workspace.ts';
import { runHost, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import { workflowSource } from '#test/crash/matrix/workflow-source.ts';

export interface Verdict extends Judgement {
  readonly ms: number;
  /** The points that the last process passed. */
  readonly points: PassedPoints;
}

/** Longer than the delay of a late effect (LATE_MS in outside-service.ts). */
const LATE_SETTLE_MS = 1500;
const NO_POINTS: PassedPoints = { passed: {}, commitsAt: {} };
let made = 0;

/** Group commit makes the number of commits vary, so a process may not reach the commit to kill at. */
const TRIES = 3;

/** Each cell removes its folder in `root`, unless HOLDFAST_KEEP_CELLS is set. */
export async function runCell(cell: Cell, outside: Outside, root: string): Promise<Verdict> {
  let verdict = await tryCell(cell, outside, root);
  for (let tries = 1; tries < TRIES && verdict.unsound.some(isNeverReached); tries += 1) {
    verdict = await tryCell(cell, outside, root);
  }
  return verdict;
}

const NEVER_REACHED = 'never reached';
const isNeverReached = (problem: string): boolean =>
  problem.endsWith(`${NEVER_REACHED} store:after`);

async function tryCell(cell: Cell, outside: Outside, root: string): Promise<Verdict> {
  const startedAt = performance.now();
  made += 1;
  const cellId = `cell-${process.pid}-${made}`;
  const home = join(root, cellId);
  mkdirSync(home, { recursive: true });
  const workspace = createFileWorkspace(join(home, 'workspace'), cell.effect);
  try {
    const judged = await runHosts(cell, outside, { cellId, home, workspace });
    return { ...judged, ms: Math.round(performance.now() - startedAt) };
  } finally {
    workspace.close();
    if (process.env['HOLDFAST_KEEP_CELLS'] === undefined) {
      rmSync(home, { recursive: true, force: true });
    }
  }
}

interface Setting {
  readonly cellId: string;
  readonly home: string;
  readonly workspace: FileWorkspace;
}

async function runHosts(
  cell: Cell,
  outside: Outside,
  setting: Setting,
): Promise<Omit<Verdict, 'ms'>> {
  const verdict = { duplicates: [], lost: [], stuck: [], unsound: [], points: NO_POINTS };
  for (const [index, job] of hostJobs(cell, outside, setting).entries()) {
    const end = await runHost(job);
    if (end.type === 'crashed') return { ...verdict, stuck: [`host ${index + 1}: ${end.error}`] };
    if (end.type === 'killed') {
      if (!job.kill) return { ...verdict, unsound: ['killed by another process'] };
      const effects = await effectsOf(outside.url, setting.cellId);
      const problems = withCopy(job.dataDir, (db) => [
        ...auditAnytime(db),
        ...unrecordedEffects(db, effects),
      ]);
      if (problems.length > 0) return { ...verdict, unsound: problems };
      continue;
    }
    if (end.stuck !== null) return { ...verdict, stuck: [`host ${index + 1}: ${end.stuck}`] };
    if (job.kill) {
      return { ...verdict, unsound: [`host ${index + 1} ${NEVER_REACHED} ${job.kill.point}`] };
    }
    const effects = await effectsOf(outside.url, setting.cellId);
    const judged = await judge(cell, { dataDir: job.dataDir, effects, files: setting.workspace });
    return { ...judged, points: end };
  }
  return verdict;
}

/** The jobs of the host processes, in the order in which they run. */
export function hostJobs(
  cell: Cell,
  outside: Outside,
  { cellId, home }: Pick<Setting, 'cellId' | 'home'>,
): HostJob[] {
  const isLate = cell.kills.some(({ point }) => point === 'outside:late');
  const folder = join(home, 'workspace');
  const workflowFile = join(home, 'workflow.ts');
  const settleMs = isLate ? LATE_SETTLE_MS : 0;
  const where = { cellId, outsideUrl: outside.url, smtpPort: outside.smtpPort, folder, settleMs };
  writeFileSync(workflowFile, workflowSource(cell.effect, where));
  const common = {
    dataDir: join(home, 'data'),
    workflowFile,
    cellId,
    outsideUrl: outside.url,
    effect: cell.effect,
    folder,
    answer: cell.answer,
    isMute: cell.isMute ?? false,
  };
  return [...cell.kills, null].map((kill, index) => ({
    ...common,
    kill,
    fault: index === 0 ? (cell.fault ?? null) : null,
    mayJump: kill === null && !isLate,
  }));
}
