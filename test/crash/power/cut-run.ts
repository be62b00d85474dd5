// Cuts the power during a recorded run: checks the disk as it is then, and lets a real host go on
// with it.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DATABASE_FILE } from '#main/data-folder/data-folder.ts';
import { effectsOf } from '#test/crash/matrix/answer-inbox.ts';
import { auditAnytime, hasTables, withCopy } from '#test/crash/matrix/audit.ts';
import { INPUT_ANSWERED, type Cell } from '#test/crash/matrix/cell.ts';
import { watchFileWorkspace } from '#test/crash/matrix/file-workspace.ts';
import { judge, unrecordedEffects, type Judgement } from '#test/crash/matrix/judge.ts';
import { runHost, type Outside } from '#test/crash/matrix/matrix-processes.ts';
import type { OutsideEffect } from '#test/crash/matrix/outside-ledger.ts';
import { imageAfterCut, type Survival } from '#test/crash/power/disk-image.ts';
import { restoreFolder } from '#test/crash/power/folder-image.ts';
import type { RecordedRun } from '#test/crash/power/record-run.ts';
import { createRandom } from '#test/support/seeded-random.ts';

export interface Cut {
  /** Before this operation of the recording. */
  readonly end: number;
  readonly survival: Survival;
  readonly seed: number;
}

/** What a cut leaves, and what had happened by then. */
function stateAt(
  { before, operations, effects }: RecordedRun,
  { end, survival, seed }: Cut,
): { image: Map<string, Buffer>; happened: OutsideEffect[]; answered: number } {
  const image = imageAfterCut(before, operations, { end, survival, random: createRandom(seed) });
  const time = operations[end]?.time;
  const happened = effects.filter(({ at }) => time === undefined || BigInt(at) < time);
  const answered = operations
    .slice(0, end)
    .filter((one) => one.kind === 'mark' && one.name.startsWith(`${INPUT_ANSWERED}#`)).length;
  return { image, happened, answered };
}

/** Without a host: the ledger rules out no effect that happened, and no answered input is missing. */
export function auditCut(run: RecordedRun, cut: Cut): string[] {
  const { image, happened, answered } = stateAt(run, cut);
  const folder = mkdtempSync(`${run.home}-image-`);
  try {
    mkdirSync(folder, { recursive: true });
    for (const [path, bytes] of image) {
      const isDatabase =
        dirname(path) === run.job.dataDir && basename(path).startsWith(DATABASE_FILE);
      if (isDatabase) writeFileSync(join(folder, basename(path)), bytes);
    }
    return withCopy(folder, (db) => {
      const problems = auditAnytime(db);
      if (problems.length > 0) return problems;
      return [...unrecordedEffects(db, happened), ...missingInputs(db, answered)];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A real host goes on with the disk, and finishes all work. */
export async function goOnAfterCut(
  situation: Cell,
  run: RecordedRun,
  cut: Cut,
  outside: Outside,
): Promise<Judgement> {
  const clean = { duplicates: [], lost: [], stuck: [], unsound: [] };
  const { image, happened } = stateAt(run, cut);
  restoreFolder(run.home, image, run.kept);
  await fetch(`${outside.url}/restore/${run.cellId}`, {
    method: 'POST',
    body: JSON.stringify(happened),
  });
  const files = watchFileWorkspace(run.job.folder, situation.effect);
  try {
    const end = await runHost(run.job);
    if (end.type === 'crashed') return { ...clean, stuck: [end.error] };
    if (end.type === 'killed') return { ...clean, unsound: ['killed by another process'] };
    if (end.stuck !== null) return { ...clean, stuck: [end.stuck] };
    const effects = await effectsOf(outside.url, run.cellId);
    return await judge(situation, { dataDir: run.job.dataDir, effects, files });
  } finally {
    files.close();
  }
}

function missingInputs(db: Parameters<typeof auditAnytime>[0], answered: number): string[] {
  const inputs = hasTables(db)
    ? (db
        .prepare(`SELECT count(*) FROM trigger_events WHERE kind = 'webhook'`)
        .pluck()
        .get() as number)
    : 0;
  return inputs < answered ? [`${answered} inputs were answered, and ${inputs} are left`] : [];
}
