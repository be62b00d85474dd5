// Compares what really happened with the ledger: after a crash, and after all work is done.
import { auditAnytime, hasTables, withCopy } from '#test/crash/matrix/audit.ts';
import { auditEnd, type Outcome } from '#test/crash/matrix/audit-end.ts';
import { ORDERS, type Cell } from '#test/crash/matrix/cell.ts';
import type { FileWorkspace } from '#test/crash/matrix/file-workspace.ts';
import type { OutsideEffect } from '#test/crash/matrix/outside-ledger.ts';

export interface Judgement {
  readonly duplicates: readonly string[];
  readonly lost: readonly string[];
  readonly stuck: readonly string[];
  /** Any other problem: a broken invariant, a false outcome, a kill point that was never reached. */
  readonly unsound: readonly string[];
}

/** Effects that happened although the ledger says that they cannot have happened. */
export function unrecordedEffects(
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

/** After the last host process has finished all work. */
export async function judge(
  cell: Cell,
  end: {
    readonly dataDir: string;
    readonly effects: readonly OutsideEffect[];
    readonly files: FileWorkspace;
  },
): Promise<Judgement> {
  const isFile = cell.effect.startsWith('files.');
  const counts = isFile
    ? await end.files.counts()
    : new Map(ORDERS.map((n) => [n, end.effects.filter((effect) => effect.n === n).length]));
  return withCopy(end.dataDir, (db) => {
    const { unfinished, lost, outcomes } = auditEnd(db, cell.effect.startsWith('webhook>'));
    const judged = ORDERS.map((n) => judgeOrder(cell, n, counts.get(n) ?? 0, outcomes));
    return {
      duplicates: judged.flatMap(({ duplicate }) => duplicate),
      lost: [...lost, ...judged.flatMap((order) => order.lost)],
      stuck: unfinished,
      unsound: [
        ...auditAnytime(db),
        ...judged.flatMap((order) => order.unsound),
        ...(isFile && cell.answer !== 'skip' ? end.files.problems() : []),
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
