// A consumer run from pending to committed, one transition per transaction, like the engine.
import type SQLite from 'better-sqlite3';
import { compare, rate, type Figure } from '../harness.ts';
import { expectSameShape, withBothSides, type OpenedStores } from './both-sides.ts';
import { createSystemIds, systemClock } from '#main/platform/system.ts';
import type { NewHandlerRun } from '#main/store/tables/handler-runs.ts';
import { rfc3339 } from '#shared/clock.ts';
import type { ConsumerTransition } from '#shared/machines/handler-run.ts';

const BAR = 0.7;
const RUNS_PER_SLICE = 20;
const SLICES_PER_ROUND = 20;

const NEW_RUN: NewHandlerRun = {
  scriptRunId: 'script-run-1',
  workflowId: 'workflow-1',
  handlerType: 'consumer',
  handlerName: 'file-invoice',
  inputState: { filed: 41, last: '2026-0041' },
  epoch: 1,
};
const PREPARED = {
  reservations: [{ topic: 'invoices', ids: ['9c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f'] }],
  data: { invoice: '2026-0042', amount: 1250, currency: 'EUR' },
  ui: { title: 'Invoice 2026-0042' },
};
const OUTPUT = { filed: 42, last: '2026-0042' };
const TRANSITIONS_PER_RUN = 6;

export function handlerRunTransitions(): Figure {
  return withBothSides((sides) => {
    const { stores, sqlite } = sides;
    const walkBaseline = baselineWalker(sqlite);
    const createBaseline = creation(sqlite);
    const measured = compare({
      operationsPerSlice: RUNS_PER_SLICE * TRANSITIONS_PER_RUN,
      slicesPerRound: SLICES_PER_ROUND,
      subject: () => {
        const ids = Array.from(
          { length: RUNS_PER_SLICE },
          () => stores.handlerRuns.create(NEW_RUN).id,
        );
        return () => {
          for (const id of ids) walk(stores, id);
        };
      },
      baseline: () => {
        const runs = Array.from({ length: RUNS_PER_SLICE }, createBaseline);
        return () => {
          for (const run of runs) walkBaseline(run);
        };
      },
    });
    expectSameShape(sides, 'SELECT facts, progress, prepare_result FROM handler_runs LIMIT 1');
    return rate('handler_run_transitions', measured, BAR);
  });
}

function walk({ handlerRuns }: OpenedStores, id: string): void {
  const move = (event: ConsumerTransition): void => {
    mustMove(handlerRuns.moveConsumer(id, event).type);
  };
  move({ type: 'prepare' });
  mustMove(handlerRuns.checkpoint(id, PREPARED).type);
  move({ type: 'mutate' });
  move({ type: 'settle' });
  move({ type: 'emit' });
  move({ type: 'commit', outputState: OUTPUT, at: Date.now() });
}

function mustMove(type: string): void {
  if (type !== 'moved') throw new Error(`The store answered a transition with ${type}.`);
}

function creation(sqlite: SQLite.Database): () => Created {
  const insert = sqlite.prepare('INSERT INTO handler_runs (id, facts, progress) VALUES (?, ?, ?)');
  const ids = createSystemIds(systemClock);
  return () => {
    const id = ids.ulid();
    const facts = {
      script_run_id: NEW_RUN.scriptRunId,
      workflow_id: NEW_RUN.workflowId,
      handler_type: NEW_RUN.handlerType,
      handler_name: NEW_RUN.handlerName,
      input_state: NEW_RUN.inputState,
      device_id: 'device-a',
      epoch: NEW_RUN.epoch,
      start_timestamp: rfc3339(Date.now()),
    };
    const timeline = { pending: Date.now() };
    const progress = JSON.stringify({ phase: 'pending', timeline });
    insert.run(id, JSON.stringify(facts), progress);
    return { id, progress, timeline };
  };
}

/** One guarded update per transition, from the row as this process wrote it last, as in the store. */
function baselineWalker(sqlite: SQLite.Database): (run: Created) => void {
  const begin = sqlite.prepare('BEGIN IMMEDIATE');
  const commit = sqlite.prepare('COMMIT');
  const update = sqlite.prepare(
    'UPDATE handler_runs SET progress = ? WHERE id = ? AND progress = ? AND takeover IS NULL',
  );
  const updatePrepared = sqlite.prepare(
    `UPDATE handler_runs SET progress = ?, prepare_result = ?
     WHERE id = ? AND progress = ? AND takeover IS NULL`,
  );

  return ({ id, progress, timeline }) => {
    let last = progress;
    let entered = timeline;
    const next = (to: { readonly phase: string }): string => {
      entered = { ...entered, [to.phase]: Date.now() };
      return JSON.stringify({ ...to, timeline: entered });
    };
    const move = (to: { readonly phase: string }): void => {
      const text = next(to);
      begin.run();
      mustChange(update.run(text, id, last));
      commit.run();
      last = text;
    };
    const checkpoint = (): void => {
      const text = next({ phase: 'prepared' });
      begin.run();
      mustChange(updatePrepared.run(text, JSON.stringify(PREPARED), id, last));
      commit.run();
      last = text;
    };
    move({ phase: 'preparing' });
    checkpoint();
    move({ phase: 'mutating' });
    move({ phase: 'mutated' });
    move({ phase: 'emitting' });
    const end = { output_state: OUTPUT, end_timestamp: rfc3339(Date.now()) };
    move({ phase: 'committed', ...end });
  };
}

/** A run with the text of its `progress` column. */
interface Created {
  readonly id: string;
  readonly progress: string;
  readonly timeline: { readonly [phase: string]: number };
}

function mustChange({ changes }: SQLite.RunResult): void {
  if (changes !== 1) throw new Error('A guarded update changed no row.');
}
