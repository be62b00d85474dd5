// Attempts of handlers and their phases.
import { findRunIds, OPEN_RUNS, type RunQuery } from '#main/store/queries/find-runs.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import { LastWritten } from '#main/store/sqlite/row-cache.ts';
import {
  moveGuarded,
  type Side,
  type TransitionResult,
} from '#main/store/sqlite/guarded-update.ts';
import { rfc3339 } from '#shared/clock.ts';
import type { Json } from '#shared/json.ts';
import {
  transitionConsumerRun,
  transitionProducerRun,
  type ConsumerRunState,
  type ConsumerTransition,
  type ErrorType,
  type HandlerRunState,
  type HandlerType,
  type Phase,
  type ProducerRunState,
  type ProducerTransition,
  type SuspendReason,
} from '#shared/machines/handler-run.ts';
import { isRejection, type Rejection } from '#shared/rejection.ts';
import { countsOfRun } from '#shared/takeover-precedence.ts';

export interface HandlerRun {
  readonly id: string;
  readonly scriptRunId: string;
  readonly workflowId: string;
  readonly handlerType: HandlerType;
  readonly handlerName: string;
  readonly inputState: Json;
  readonly retryOf: string | null;
  readonly deviceId: string;
  readonly epoch: number;
  readonly startTimestamp: string;
  /** What counts: the maker's word, or that of a later owner. */
  readonly state: HandlerRunState;
  /** A later owner has written beside the maker. */
  readonly isTakenOver: boolean;
  readonly prepareResult: Json;
  readonly timeline: Timeline;
  readonly logs: Json;
  readonly causedBy: string | null;
}

export interface NewHandlerRun {
  /** Known before the row is, where something works for it already. */
  readonly id?: string;
  readonly scriptRunId: string;
  readonly workflowId: string;
  readonly handlerType: HandlerType;
  readonly handlerName: string;
  readonly inputState: Json;
  readonly epoch: number;
  readonly retryOf?: string | undefined;
  /** The input that this run follows from. */
  readonly causedBy?: string | undefined;
  /** When it began, where that was before this row is written. */
  readonly startedAt?: number;
  /** Default: pending. */
  readonly begins?:
    | { readonly phase: 'preparing' | 'executing' }
    | { readonly phase: 'prepared'; readonly prepareResult: Json }
    /** After the effect of `retryOf`, with what that run had prepared. */
    | { readonly phase: 'emitting'; readonly prepareResult: Json };
}

/** When each phase was entered, in ms. */
export type Timeline = { readonly [phase in Phase]?: number };

/** The columns of spec 002 that change together, as they stand in `progress` and `takeover`. */
interface Progress {
  phase: Phase;
  resume_phase?: Phase;
  reason?: SuspendReason;
  error?: string;
  error_type?: ErrorType;
  output_state?: Json;
  end_timestamp?: string;
  timeline?: Timeline;
}

interface Takeover extends Progress {
  /** The maker's phase when this was written. */
  over: Phase;
}

/** Of a run that this device made and nobody took over. */
interface OwnProgress {
  readonly handlerType: HandlerType;
  readonly text: string;
  readonly progress: Progress;
}

interface Row {
  facts: string;
  progress: string;
  takeover: string | null;
  prepare_result: string | null;
  logs: string;
}

const COLUMNS = 'facts, progress, takeover, prepare_result, logs';

interface Facts {
  script_run_id: string;
  workflow_id: string;
  handler_type: HandlerType;
  handler_name: string;
  input_state: Json;
  retry_of?: string;
  caused_by?: string;
  device_id: string;
  epoch: number;
  start_timestamp: string;
}

/** Retries are limited; this only bounds what a device that does not keep to it could make us read. */
const MAX_CHAIN = 100;

export class HandlerRunStore {
  readonly #context: StoreContext;
  readonly #lastWritten = new LastWritten<OwnProgress>();

  constructor(context: StoreContext) {
    this.#context = context;
  }

  create(run: NewHandlerRun): HandlerRun {
    const { db, clock, ids, deviceId } = this.#context;
    const id = run.id ?? ids.ulid();
    const facts: Facts = {
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
    const progress: Progress = { phase: begins.phase, timeline: { [begins.phase]: clock.now() } };
    const prepareResult = 'prepareResult' in begins ? begins.prepareResult : null;
    const text = JSON.stringify(progress);
    db.writeOne(() => {
      db.changes.note('handler_runs', id);
      db.run(
        'INSERT INTO handler_runs (id, facts, progress, prepare_result) VALUES (?, ?, ?, ?)',
        id,
        JSON.stringify(facts),
        text,
        prepareResult === null ? null : JSON.stringify(prepareResult),
      );
    });
    this.#lastWritten.set(id, { handlerType: run.handlerType, text, progress });
    return toHandlerRun(id, facts, { progress, takeover: null }, prepareResult, []);
  }

  get(id: string): HandlerRun | undefined {
    const row = this.#context.db.get<Row>(`SELECT ${COLUMNS} FROM handler_runs WHERE id = ?`, id);
    return row && parseHandlerRun(id, row);
  }

  /** `side`: whose word it is; by itself the maker's here, and a later owner's elsewhere. */
  moveConsumer(
    id: string,
    event: ConsumerTransition,
    side?: Side,
  ): TransitionResult<HandlerRunState> {
    const decide = (state: HandlerRunState): HandlerRunState | Rejection =>
      transitionConsumerRun(state as ConsumerRunState, event);
    return this.#move(id, 'consumer', decide, side);
  }

  moveProducer(
    id: string,
    event: ProducerTransition,
    side?: Side,
  ): TransitionResult<HandlerRunState> {
    const decide = (state: HandlerRunState): HandlerRunState | Rejection =>
      transitionProducerRun(state as ProducerRunState, event);
    return this.#move(id, 'producer', decide, side);
  }

  /** As the maker itself last wrote it, whatever a later owner made of it. */
  asMade(id: string): HandlerRunState | undefined {
    const progress = this.#context.db.value<string>(
      'SELECT progress FROM handler_runs WHERE id = ?',
      id,
    );
    return progress === undefined ? undefined : stateOf(JSON.parse(progress) as Progress);
  }

  /** The prepare checkpoint: the result and the phase, together, once. */
  checkpoint(id: string, prepareResult: Json): TransitionResult<HandlerRunState> {
    const { db } = this.#context;
    return db.write(() => {
      const moved = this.moveConsumer(id, { type: 'checkpoint' });
      if (moved.type === 'moved') {
        db.run(
          'UPDATE handler_runs SET prepare_result = ? WHERE id = ?',
          JSON.stringify(prepareResult),
          id,
        );
      }
      return moved;
    });
  }

  /** Written once, with the end of the run or when it stops for a while. */
  setLogs(id: string, logs: Json): void {
    const { db } = this.#context;
    db.writeOne(() =>
      db.run('UPDATE handler_runs SET logs = ? WHERE id = ?', JSON.stringify(logs), id),
    );
  }

  /** What is unfinished in this workflow, or everywhere: the oldest first. */
  open(workflowId?: string): HandlerRun[] {
    const { db } = this.#context;
    const rows =
      workflowId === undefined
        ? db.all<{ id: string }>(`${OPEN_RUNS} ORDER BY id`)
        : db.all<{ id: string }>(`${OPEN_RUNS} AND workflow_id = ? ORDER BY id`, workflowId);
    return rows.map(({ id }) => this.get(id) as HandlerRun);
  }

  /** The newest first. */
  list(query: RunQuery): { runs: HandlerRun[]; next: string | null } {
    const ids = findRunIds(this.#context.db, query);
    return {
      runs: ids.map((id) => this.get(id) as HandlerRun),
      next: ids.length === query.limit ? (ids.at(-1) ?? null) : null,
    };
  }

  /** All tries of the same work, the first one first: what this run is a retry of, and its retries. */
  chain(id: string): string[] {
    const { db } = this.#context;
    const before = db.all<{ id: string }>(
      `WITH RECURSIVE earlier (id, depth) AS (
         SELECT retry_of, 1 FROM handler_runs WHERE id = ?
         UNION ALL
         SELECT run.retry_of, depth + 1 FROM handler_runs AS run JOIN earlier ON run.id = earlier.id
         WHERE depth < ?)
       SELECT id FROM earlier WHERE id IS NOT NULL ORDER BY depth DESC`,
      id,
      MAX_CHAIN,
    );
    const after = db.all<{ id: string }>(
      `WITH RECURSIVE later (id, depth) AS (
         SELECT id, 1 FROM handler_runs WHERE retry_of = ?
         UNION ALL
         SELECT run.id, depth + 1 FROM handler_runs AS run JOIN later ON run.retry_of = later.id
         WHERE depth < ?)
       SELECT id FROM later ORDER BY id`,
      id,
      MAX_CHAIN,
    );
    return [...before.map((row) => row.id), id, ...after.map((row) => row.id)];
  }

  /** The run that went on for this one. */
  retriedBy(id: string): string | undefined {
    return this.#context.db.get<{ id: string }>(
      'SELECT id FROM handler_runs WHERE retry_of = ? ORDER BY id LIMIT 1',
      id,
    )?.id;
  }

  #move(
    id: string,
    handlerType: HandlerType,
    decide: (state: HandlerRunState) => HandlerRunState | Rejection,
    as: Side | undefined,
  ): TransitionResult<HandlerRunState> {
    return (
      (as === 'owner' ? undefined : this.#moveOn(id, handlerType, decide)) ??
      this.#readAndMove(id, handlerType, decide, as)
    );
  }

  /** From what was written last, without reading it again; undefined: that is not how it stands. */
  #moveOn(
    id: string,
    handlerType: HandlerType,
    decide: (state: HandlerRunState) => HandlerRunState | Rejection,
  ): TransitionResult<HandlerRunState> | undefined {
    const last = this.#lastWritten.take(id);
    if (last?.handlerType !== handlerType) return undefined;
    const from = stateOf(last.progress);
    const to = decide(from);
    if (isRejection(to)) return undefined;
    const { db } = this.#context;
    const { text, progress } = this.#entered(to, last.progress.timeline);
    return db.writeOne(() => {
      const moved = db.run(
        'UPDATE handler_runs SET progress = ? WHERE id = ? AND progress = ? AND takeover IS NULL',
        text,
        id,
        last.text,
      );
      if (moved !== 1) return undefined;
      this.#noteMove(id, from, to);
      if (!isEnd(to)) this.#lastWritten.set(id, { handlerType, text, progress });
      return { type: 'moved', state: to };
    });
  }

  #entered(
    to: HandlerRunState,
    timeline: Timeline | undefined,
  ): { readonly text: string; readonly progress: Progress } {
    const progress = {
      ...progressOf(to),
      timeline: { ...timeline, [to.phase]: this.#context.clock.now() },
    };
    return { text: JSON.stringify(progress), progress };
  }

  #noteMove(id: string, from: HandlerRunState, to: HandlerRunState): void {
    const { changes } = this.#context.db;
    changes.note('handler_runs', id);
    if (isTold(from) || isTold(to)) changes.touchRun(id);
  }

  #readAndMove(
    id: string,
    handlerType: HandlerType,
    decide: (state: HandlerRunState) => HandlerRunState | Rejection,
    as: Side | undefined,
  ): TransitionResult<HandlerRunState> {
    const { db, deviceId } = this.#context;
    let row: { progress: string; takeover: string | null; device_id: string } | undefined;
    let made: Progress = { phase: 'pending' };
    let known: Progress = made;
    let side: Side = 'maker';
    return db.writeOne(() =>
      moveGuarded<HandlerRunState>({
        kind: `${handlerType} run`,
        id,
        read: () => {
          row = db.get(
            `SELECT progress, takeover, device_id FROM handler_runs
             WHERE id = ? AND handler_type = ?`,
            id,
            handlerType,
          );
          if (!row) return undefined;
          side = as ?? (row.takeover === null && row.device_id === deviceId ? 'maker' : 'owner');
          made = JSON.parse(row.progress) as Progress;
          known = side === 'maker' ? made : countsOfRun(made, parseTakeover(row.takeover));
          return stateOf(known);
        },
        decide,
        update: (from, to) => {
          this.#noteMove(id, from, to);
          const { text, progress } = this.#entered(to, known.timeline);
          return side === 'maker'
            ? db.run(
                'UPDATE handler_runs SET progress = ? WHERE id = ? AND progress = ?',
                text,
                id,
                row?.progress,
              )
            : db.run(
                'UPDATE handler_runs SET takeover = ? WHERE id = ? AND takeover IS ?',
                JSON.stringify({ ...progress, over: made.phase }),
                id,
                row?.takeover,
              );
        },
      }),
    );
  }
}

function isEnd({ phase }: HandlerRunState): boolean {
  return phase === 'committed' || phase === 'failed';
}

/** Where what is under an input changes in a way that its run tells of. What a run that ended well
 * had taken is consumed in the same write, and tells it. */
function isTold({ phase }: HandlerRunState): boolean {
  return phase === 'suspended' || phase === 'failed';
}

function progressOf(state: HandlerRunState): Progress {
  switch (state.phase) {
    case 'suspended':
      return {
        phase: state.phase,
        resume_phase: state.resumePhase,
        reason: state.reason,
        ...(state.error === undefined ? {} : { error: state.error }),
      };
    case 'committed':
      return {
        phase: state.phase,
        output_state: state.outputState,
        end_timestamp: rfc3339(state.endedAt),
      };
    case 'failed':
      return {
        phase: state.phase,
        error_type: state.errorType,
        error: state.error,
        end_timestamp: rfc3339(state.endedAt),
      };
    default:
      return { phase: state.phase };
  }
}

function stateOf(progress: Progress): HandlerRunState {
  const { phase, resume_phase: resumePhase, reason, error } = progress;
  switch (phase) {
    case 'suspended':
      return {
        phase,
        resumePhase,
        reason,
        ...(error === undefined ? {} : { error }),
      } as HandlerRunState;
    case 'committed':
      return { phase, outputState: progress.output_state ?? null, endedAt: endOf(progress) };
    case 'failed':
      return {
        phase,
        errorType: progress.error_type ?? 'internal',
        error: error ?? '',
        endedAt: endOf(progress),
      };
    default:
      return { phase };
  }
}

function endOf(progress: Progress): number {
  return Date.parse(progress.end_timestamp ?? '');
}

function parseTakeover(text: string | null): Takeover | null {
  return text === null ? null : (JSON.parse(text) as Takeover);
}

function parseHandlerRun(id: string, row: Row): HandlerRun {
  return toHandlerRun(
    id,
    JSON.parse(row.facts) as Facts,
    {
      progress: JSON.parse(row.progress) as Progress,
      takeover: parseTakeover(row.takeover),
    },
    row.prepare_result === null ? null : (JSON.parse(row.prepare_result) as Json),
    JSON.parse(row.logs) as Json,
  );
}

function toHandlerRun(
  id: string,
  facts: Facts,
  { progress, takeover }: { progress: Progress; takeover: Takeover | null },
  prepareResult: Json,
  logs: Json,
): HandlerRun {
  return {
    id,
    scriptRunId: facts.script_run_id,
    workflowId: facts.workflow_id,
    handlerType: facts.handler_type,
    handlerName: facts.handler_name,
    inputState: facts.input_state,
    retryOf: facts.retry_of ?? null,
    deviceId: facts.device_id,
    epoch: facts.epoch,
    startTimestamp: facts.start_timestamp,
    state: stateOf(countsOfRun(progress, takeover)),
    isTakenOver: takeover !== null,
    prepareResult,
    timeline: { ...progress.timeline, ...takeover?.timeline },
    logs,
    causedBy: facts.caused_by ?? null,
  };
}
