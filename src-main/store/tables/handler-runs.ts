// Handler runs and their phases: one row per execution of a handler; a retry is a new row.
import { archiveDelete } from '#main/store/sqlite/archive-delete.ts';
import { findRunIds, OPEN_RUNS, type RunQuery } from '#main/store/queries/find-runs.ts';
import { NotMergedYet } from '#main/store/sqlite/json-columns.ts';
import { lastId } from '#main/store/sqlite/keyset-cursor.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import { RowMover, type Side, type TransitionResult } from '#main/store/sqlite/guarded-update.ts';
import {
  costOf,
  HANDLER_RUN_COLUMNS,
  handlerRunStateOf,
  nextRow,
  parseHandlerRun,
  progressFor,
  toHandlerRun,
  type HandlerRun,
  type HandlerRunFacts,
  type HandlerRunRow,
  type HandlerRunStateRow,
  type Progress,
} from '#main/store/tables/handler-run-row.ts';
import { rfc3339 } from '#shared/clock.ts';
import type { Json } from '#shared/json.ts';
import {
  transitionConsumerRun,
  transitionProducerRun,
  type ConsumerRunState,
  type ConsumerTransition,
  type HandlerRunState,
  type HandlerType,
  type ProducerRunState,
  type ProducerTransition,
} from '#shared/machines/handler-run.ts';
import type { UnfinishedRuns } from '#shared/machines/script-run.ts';
import type { Rejection } from '#shared/rejection.ts';

export type { HandlerRun } from '#main/store/tables/handler-run-row.ts';

export interface NewHandlerRun {
  /** Default: a new one. Given when work for the run began before its row. */
  readonly id?: string;
  readonly scriptRunId: string;
  readonly workflowId: string;
  readonly handlerType: HandlerType;
  readonly handlerName: string;
  readonly inputState: Json;
  readonly epoch: number;
  readonly retryOf?: string | undefined;
  /** The input that caused this run. */
  readonly causedBy?: string | undefined;
  /** Start time, when it is earlier than this write. */
  readonly startedAt?: number;
  /** Microdollars of calls made before this write. */
  readonly cost?: number;
  /** Default: pending. */
  readonly begins?:
    | { readonly phase: 'preparing' | 'executing' }
    | { readonly phase: 'prepared'; readonly prepareResult: Json }
    /** After the effect of `retryOf`, with that run's prepare result. */
    | { readonly phase: 'emitting'; readonly prepareResult: Json };
}

type Transition<Event> = (state: HandlerRunState, event: Event) => HandlerRunState | Rejection;

/** Retries are limited on this device; this bounds the work that a chain from a peer can cause. */
const MAX_CHAIN = 100;

export class HandlerRunStore extends Store {
  readonly #consumers: RowMover<HandlerRunState, ConsumerTransition, HandlerRunStateRow>;
  readonly #producers: RowMover<HandlerRunState, ProducerTransition, HandlerRunStateRow>;

  constructor(context: StoreContext) {
    super(context);
    this.#consumers = this.#moverOf<ConsumerTransition>('consumer', (state, event) =>
      transitionConsumerRun(state as ConsumerRunState, event),
    );
    this.#producers = this.#moverOf<ProducerTransition>('producer', (state, event) =>
      transitionProducerRun(state as ProducerRunState, event),
    );
  }

  create(run: NewHandlerRun): HandlerRun {
    const { db, clock, ids, deviceId } = this.context;
    const id = run.id ?? ids.ulid();
    const facts: HandlerRunFacts = {
      script_run_id: run.scriptRunId,
      workflow_id: run.workflowId,
      handler_type: run.handlerType,
      handler_name: run.handlerName,
      input_state: run.inputState,
      ...(run.retryOf === undefined ? {} : { retry_of: run.retryOf }),
      ...(run.causedBy === undefined ? {} : { caused_by: run.causedBy }),
      device_id: deviceId,
      epoch: run.epoch,
      start_timestamp: rfc3339(run.startedAt ?? clock.now()),
    };
    const begins = run.begins ?? { phase: 'pending' };
    const { cost = 0 } = run;
    const progress: Progress = {
      phase: begins.phase,
      timeline: { [begins.phase]: clock.now() },
      ...costOf(cost),
    };
    const prepareResult = 'prepareResult' in begins ? begins.prepareResult : null;
    const text = JSON.stringify(progress);
    db.write(() => {
      db.changes.record('handler_runs', id);
      db.run(
        'INSERT INTO handler_runs (id, facts, progress, prepare_result) VALUES (?, ?, ?, ?)',
        id,
        JSON.stringify(facts),
        text,
        prepareResult === null ? null : JSON.stringify(prepareResult),
      );
      this.#countInSession(run.scriptRunId);
    });
    const mover = run.handlerType === 'consumer' ? this.#consumers : this.#producers;
    mover.remember(id, { text, takeover: null, isOurs: true, progress });
    const made = { progress, takeover: null };
    return toHandlerRun(id, facts, made, prepareResult, { logs: [], cost });
  }

  get(id: string): HandlerRun | undefined {
    const row = this.db.get<HandlerRunRow>(
      `SELECT ${HANDLER_RUN_COLUMNS} FROM handler_runs WHERE id = ?`,
      id,
    );
    return row && this.refused.read('handler_runs', id, () => parseHandlerRun(id, row));
  }

  /** `side` defaults to the maker for this device's runs, unless a later owner wrote to them. */
  moveConsumer(
    id: string,
    event: ConsumerTransition,
    side?: Side,
  ): TransitionResult<HandlerRunState> {
    return this.#consumers.move(id, event, side);
  }

  moveProducer(
    id: string,
    event: ProducerTransition,
    side?: Side,
  ): TransitionResult<HandlerRunState> {
    return this.#producers.move(id, event, side);
  }

  /** The state that the maker wrote, without takeover precedence. */
  asMade(id: string): HandlerRunState | undefined {
    const progress = this.db.value<string>('SELECT progress FROM handler_runs WHERE id = ?', id);
    return progress === undefined ? undefined : handlerRunStateOf(JSON.parse(progress) as Progress);
  }

  /** The prepare checkpoint: result and phase in one transaction, once. */
  checkpoint(id: string, prepareResult: Json, cost = 0): TransitionResult<HandlerRunState> {
    return this.db.write(() => {
      const moved = this.moveConsumer(id, { type: 'checkpoint', cost });
      if (moved.type === 'moved') {
        this.db.run(
          'UPDATE handler_runs SET prepare_result = ? WHERE id = ?',
          JSON.stringify(prepareResult),
          id,
        );
      }
      return moved;
    });
  }

  /** Written once: when the run ends or is suspended. */
  setLogs(id: string, logs: Json): void {
    this.db.writeOne(() =>
      this.db.run('UPDATE handler_runs SET logs = ? WHERE id = ?', JSON.stringify(logs), id),
    );
  }

  /** Unfinished runs of one workflow or of all, oldest first. */
  open(workflowId?: string): HandlerRun[] {
    const ids =
      workflowId === undefined
        ? this.db.values<string>(`${OPEN_RUNS} ORDER BY id`)
        : this.db.values<string>(`${OPEN_RUNS} AND workflow_id = ? ORDER BY id`, workflowId);
    return this.#those(ids);
  }

  /** Runs of a session that neither committed nor were retried. */
  unfinishedOf(sessionId: string): UnfinishedRuns {
    const rows = this.db.all<{ isLeft: number }>(
      `SELECT phase <> 'failed' OR EXISTS (SELECT 1 FROM consumer_wakes AS w
         WHERE w.workflow_id = h.workflow_id AND w.retry_of = h.id) AS isLeft
       FROM handler_runs AS h WHERE script_run_id = ? AND phase <> 'committed'
         AND NOT EXISTS (SELECT 1 FROM handler_runs AS n WHERE n.retry_of = h.id)`,
      sessionId,
    );
    const left = rows.filter(({ isLeft }) => isLeft === 1).length;
    return { failed: rows.length - left, left };
  }

  /** Newest first. */
  list(query: RunQuery): { runs: HandlerRun[]; next: string | null } {
    const ids = findRunIds(this.db, query);
    return {
      runs: this.#those(ids),
      next: lastId(ids, query.limit),
    };
  }

  #those(ids: readonly string[]): HandlerRun[] {
    const read = this.refused.readable('handler_runs', ({ id }) => {
      const run = this.get(id);
      if (!run) throw new NotMergedYet();
      return run;
    });
    return ids.flatMap((id) => read({ id }));
  }

  /** The retry chain of a run, first attempt first. */
  chain(id: string): string[] {
    const before = this.db.values<string>(
      `WITH RECURSIVE earlier (id, depth) AS (
         SELECT retry_of, 1 FROM handler_runs WHERE id = ?
         UNION ALL
         SELECT run.retry_of, depth + 1 FROM handler_runs AS run JOIN earlier ON run.id = earlier.id
         WHERE depth < ?)
       SELECT id FROM earlier WHERE id IS NOT NULL ORDER BY depth DESC`,
      id,
      MAX_CHAIN,
    );
    const after = this.db.values<string>(
      `WITH RECURSIVE later (id, depth) AS (
         SELECT id, 1 FROM handler_runs WHERE retry_of = ?
         UNION ALL
         SELECT run.id, depth + 1 FROM handler_runs AS run JOIN later ON run.retry_of = later.id
         WHERE depth < ?)
       SELECT id FROM later ORDER BY id`,
      id,
      MAX_CHAIN,
    );
    return [...before, id, ...after];
  }

  /** The first retry of this run. */
  retriedBy(id: string): string | undefined {
    return this.db.value<string>(
      'SELECT id FROM handler_runs WHERE retry_of = ? ORDER BY id LIMIT 1',
      id,
    );
  }

  /** Deletes it here and on every device that merges the delete. Returns the number of rows. */
  archive(id: string): number {
    return archiveDelete(this.db, 'handler_runs', 'id', id);
  }

  /** Call in the write that creates the run. */
  #countInSession(sessionId: string): void {
    const counted = this.db.run(
      'UPDATE script_runs SET handler_run_count = handler_run_count + 1 WHERE id = ?',
      sessionId,
    );
    if (counted === 1) this.db.changes.record('script_runs', sessionId);
  }

  #moverOf<Event extends { readonly cost?: number | undefined }>(
    handlerType: HandlerType,
    transition: Transition<Event>,
  ): RowMover<HandlerRunState, Event, HandlerRunStateRow> {
    const { db, clock } = this.context;
    return new RowMover(db, {
      table: 'handler_runs',
      column: 'progress',
      laterColumns: ['takeover'],
      kind: `${handlerType} run`,
      read: (id) => this.#readState(id, handlerType),
      stateOf: (row, side) => handlerRunStateOf(progressFor(row, side)),
      transition,
      next: (row, to, side, { cost }) => nextRow(row, to, side, clock.now(), cost),
      onMoved: (id, _row, from, to) => {
        if (affectsInput(from) || affectsInput(to)) db.changes.touchRun(id);
      },
      isCached: ({ phase }) => phase !== 'committed' && phase !== 'failed',
    });
  }

  #readState(id: string, handlerType: HandlerType): HandlerRunStateRow | undefined {
    const row = this.db.get<{
      progress: string;
      takeover: string | null;
      device_id: string;
    }>(
      `SELECT progress, takeover, device_id FROM handler_runs WHERE id = ? AND handler_type = ?`,
      id,
      handlerType,
    );
    return (
      row && {
        text: row.progress,
        takeover: row.takeover,
        isOurs: row.device_id === this.context.deviceId,
        progress: JSON.parse(row.progress) as Progress,
      }
    );
  }
}

/**
 * The phases that change the status of an input. A committed run needs no mention: the same write
 * consumes its events, and they touch the input.
 */
function affectsInput({ phase }: HandlerRunState): boolean {
  return phase === 'suspended' || phase === 'failed';
}
