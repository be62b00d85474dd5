// Runs one cell from an empty folder to its end, and judges it.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditAnytime, hasTables, withCopy } from '#test/crash/matrix/audit.ts';
import { auditEnd, type Outcome } from '#test/crash/matrix/audit-end.ts';
import { THINGS, type Cell, type HostJob, type Passed } from '#test/crash/matrix/cell.ts';
import type { OutsideEffect } from '#test/crash/matrix/outside-ledger.ts';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import { preparePlace, type Place } from '#test/crash/matrix/file-workspace.ts';
import { runHost, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import { workflowSource } from '#test/crash/matrix/workflow-source.ts';

export interface Verdict {
  readonly duplicates: readonly string[];
  readonly lost: readonly string[];
  readonly stuck: readonly string[];
  /** Whatever else must not be: a torn file, a false certainty, a kill that never came. */
  readonly unsound: readonly string[];
  readonly ms: number;
  /** Where the last process came by. */
  readonly came: Passed;
}

const LATE_SETTLES_MS = 1500;
const NOWHERE: Passed = { passed: {}, commitsAt: {} };
let made = 0;

/** What is ready together shares a commit, so a life may have fewer of them than its rehearsal had. */
const TRIES = 3;

/** `root`: a folder for what the cells leave behind; each cleans up after itself. */
export async function runCell(cell: Cell, outside: Outside, root: string): Promise<Verdict> {
  let verdict = await tryCell(cell, outside, root);
  for (let tries = 1; tries < TRIES && verdict.unsound.some(isNeverCame); tries += 1) {
    verdict = await tryCell(cell, outside, root);
  }
  return verdict;
}

const NEVER_CAME = 'never came to';
const isNeverCame = (words: string): boolean => words.endsWith(`${NEVER_CAME} store:after`);

async function tryCell(cell: Cell, outside: Outside, root: string): Promise<Verdict> {
  const startedAt = performance.now();
  made += 1;
  const cellId = `cell-${process.pid}-${made}`;
  const home = join(root, cellId);
  mkdirSync(home, { recursive: true });
  const place = preparePlace(join(home, 'place'), cell.effect);
  try {
    const judged = await live(cell, outside, { cellId, home, place });
    return { ...judged, ms: Math.round(performance.now() - startedAt) };
  } finally {
    place.close();
    if (process.env['HOLDFAST_KEEP_CELLS'] === undefined) {
      rmSync(home, { recursive: true, force: true });
    }
  }
}

interface Setting {
  readonly cellId: string;
  readonly home: string;
  readonly place: Place;
}

async function live(cell: Cell, outside: Outside, setting: Setting): Promise<Omit<Verdict, 'ms'>> {
  const verdict = { duplicates: [], lost: [], stuck: [], unsound: [], came: NOWHERE };
  const lives = prepareLives(cell, outside, setting);
  for (const [index, job] of lives.entries()) {
    const end = await runHost(job);
    if (end.type === 'broke') return { ...verdict, stuck: [`host ${index + 1}: ${end.words}`] };
    if (end.type === 'killed') {
      if (!job.kill) return { ...verdict, unsound: ['killed by somebody else'] };
      const effects = await effectsOf(outside.url, setting.cellId);
      const torn = withCopy(job.dataDir, (db) => [...auditAnytime(db), ...falseIn(db, effects)]);
      if (torn.length > 0) return { ...verdict, unsound: torn };
      continue;
    }
    if (end.stuck !== null) return { ...verdict, stuck: [`host ${index + 1}: ${end.stuck}`] };
    if (job.kill) {
      return { ...verdict, unsound: [`host ${index + 1} ${NEVER_CAME} ${job.kill.point}`] };
    }
    return { ...(await judge(cell, outside, setting, job)), came: end };
  }
  return verdict;
}

/** What each host process of the cell is told, in the order of their lives. */
function prepareLives(cell: Cell, outside: Outside, { cellId, home }: Setting): HostJob[] {
  const isLate = cell.kills.some(({ point }) => point === 'outside:late');
  const folder = join(home, 'place');
  const workflowFile = join(home, 'workflow.ts');
  const settleMs = isLate ? LATE_SETTLES_MS : 0;
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

/** What happened outside must stand in the ledger as something that may have happened. */
function falseIn(
  db: Parameters<typeof auditAnytime>[0],
  effects: readonly OutsideEffect[],
): string[] {
  if (!hasTables(db)) return effects.map(({ n }) => `thing ${n} happened without a ledger`);
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
    .map(({ n }) => `thing ${n} happened, and the ledger does not hold it for possible`);
}

async function judge(
  cell: Cell,
  outside: Outside,
  { cellId, place }: Setting,
  job: HostJob,
): Promise<Pick<Verdict, 'duplicates' | 'lost' | 'stuck' | 'unsound'>> {
  const isFile = cell.effect.startsWith('files.');
  const effects = await effectsOf(outside.url, cellId);
  const counts = isFile
    ? await place.counts()
    : new Map(THINGS.map((n) => [n, effects.filter((effect) => effect.n === n).length]));
  return withCopy(job.dataDir, (db) => {
    const { unfinished, lost, outcomes } = auditEnd(db, cell.effect.startsWith('webhook>'));
    const judged = THINGS.map((n) => judgeThing(cell, n, counts.get(n) ?? 0, outcomes));
    return {
      duplicates: judged.flatMap(({ duplicate }) => duplicate),
      lost: [...lost, ...judged.flatMap((thing) => thing.lost)],
      stuck: unfinished,
      unsound: [
        ...auditAnytime(db),
        ...judged.flatMap((thing) => thing.unsound),
        ...(isFile && cell.answer !== 'skip' ? place.problems() : []),
      ],
    };
  });
}

function judgeThing(
  { effect, answer }: Cell,
  n: number,
  count: number,
  outcomes: readonly Outcome[],
): { duplicate: string[]; lost: string[]; unsound: string[] } {
  const told = outcomes.find((outcome) => outcome.n === n)?.outcome;
  const isSkipped = answer === 'skip' && told?.status === 'skipped';
  const duplicate = count > 1 ? [`thing ${n} happened ${count} times`] : [];
  const unsound: string[] = [];
  if (told?.status !== 'applied' && !isSkipped) {
    unsound.push(`next was told of thing ${n}: ${JSON.stringify(told)}`);
  }
  if (effect === 'ask') {
    const said = JSON.stringify(told?.result);
    if (!said.includes(`yes to Thing ${n} `)) unsound.push(`answered: ${said}`);
    return { duplicate, lost: [], unsound };
  }
  const lost = count === 0 && !isSkipped ? [`thing ${n} never happened`] : [];
  return { duplicate, lost, unsound };
}
