// Runs one cell, starting with an empty folder, and checks the result.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditAnytime, hasTables, withCopy } from '#test/crash/matrix/audit.ts';
import { auditEnd, type Outcome } from '#test/crash/matrix/audit-end.ts';
import { ORDERS, type Cell, type HostJob, type PassedPoints } from '#test/crash/matrix/cell.ts';
import type { OutsideEffect } from '#test/crash/matrix/outside-ledger.ts';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import { createFileWorkspace, type FileWorkspace } from '#test/crash/matrix/file-workspace.ts';
import { runHost, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import { workflowSource } from '#test/crash/matrix/workflow-source.ts';

export interface Verdict {
  readonly duplicates: readonly string[];
  readonly lost: readonly string[];
  readonly stuck: readonly string[];
  /** Any other problem: a broken invariant, a false outcome, a kill point that was never reached. */
  readonly unsound: readonly string[];
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
    return { ...(await judge(cell, outside, setting, job)), points: end };
  }
  return verdict;
}

/** The jobs of the host processes, in the order in which they run. */
function hostJobs(cell: Cell, outside: Outside, { cellId, home }: Setting): HostJob[] {
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

/** Effects that happened although the ledger says that they cannot have happened. */
function unrecordedEffects(
  db: Parameters<typeof auditAnytime>[0],
  effects: readonly OutsideEffect[],
): string[] {
  if (!hasTables(db))
    return effects.map(({ n }) => `order ${n} happened before the ledger existed`);
  const rows = db.prepare<[], { idempotency_key: string | null; status: string }>(
    'SELECT idempotency_key, status FROM mutations',
  );
  const known = rows.all();
  return effects
    .filter(({ key }) => !key.startsWith('<'))
    .filter(
      ({ key }) =>
        !known.some(
          (row) => row.idempotency_key === key && !/^(?:pending|failed)$/.test(row.status),
        ),
    )
    .map(({ n }) => `order ${n} happened, but the ledger rules it out`);
}

async function judge(
  cell: Cell,
  outside: Outside,
  { cellId, workspace }: Setting,
  job: HostJob,
): Promise<Pick<Verdict, 'duplicates' | 'lost' | 'stuck' | 'unsound'>> {
  const isFile = cell.effect.startsWith('files.');
  const effects = await effectsOf(outside.url, cellId);
  const counts = isFile
    ? await workspace.counts()
    : new Map(ORDERS.map((n) => [n, effects.filter((effect) => effect.n === n).length]));
  return withCopy(job.dataDir, (db) => {
    const { unfinished, lost, outcomes } = auditEnd(db, cell.effect.startsWith('webhook>'));
    const judged = ORDERS.map((n) => judgeOrder(cell, n, counts.get(n) ?? 0, outcomes));
    return {
      duplicates: judged.flatMap(({ duplicate }) => duplicate),
      lost: [...lost, ...judged.flatMap((order) => order.lost)],
      stuck: unfinished,
      unsound: [
        ...auditAnytime(db),
        ...judged.flatMap((order) => order.unsound),
        ...(isFile && cell.answer !== 'skip' ? workspace.problems() : []),
      ],
    };
  });
}

function judgeOrder(
  { effect, answer }: Cell,
  n: number,
  count: number,
  outcomes: readonly Outcome[],
): { duplicate: string[]; lost: string[]; unsound: string[] } {
  const received = outcomes.find((outcome) => outcome.n === n)?.outcome;
  const isSkipped = answer === 'skip' && received?.status === 'skipped';
  const duplicate = count > 1 ? [`order ${n} happened ${count} times`] : [];
  const unsound: string[] = [];
  if (received?.status !== 'applied' && !isSkipped) {
    unsound.push(`next received for order ${n}: ${JSON.stringify(received)}`);
  }
  if (effect === 'ask') {
    const result = JSON.stringify(received?.result ?? null);
    if (!result.includes(`yes to Order ${n} `)) unsound.push(`the result is ${result}`);
    return { duplicate, lost: [], unsound };
  }
  const lost = count === 0 && !isSkipped ? [`order ${n} never happened`] : [];
  return { duplicate, lost, unsound };
}
