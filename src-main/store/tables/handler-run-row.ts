// A handler run and its row. The device that made the run writes `progress`; a later owner writes
// `takeover` (src-shared/takeover-precedence.ts says which of the two counts).
import type { Side, StateRow } from '#main/store/sqlite/guarded-update.ts';
import { expectMerged, parseJson } from '#main/store/sqlite/json-columns.ts';
import { rfc3339 } from '#shared/clock.ts';
import type { Json } from '#shared/json.ts';
import type {
  ErrorType,
  HandlerRunState,
  HandlerType,
  Phase,
  SuspendReason,
} from '#shared/machines/handler-run.ts';
import { effectiveProgress } from '#shared/takeover-precedence.ts';

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
  /** The effective state: the maker's or that of a later owner. */
  readonly state: HandlerRunState;
  /** A later owner wrote to the run. */
  readonly isTakenOver: boolean;
  readonly prepareResult: Json;
  readonly timeline: Timeline;
  readonly logs: Json;
  readonly causedBy: string | null;
  /** The cost of its calls, in microdollars. */
  readonly cost: number;
}

/** When each phase was entered, in ms. */
export type Timeline = { readonly [phase in Phase]?: number };

export interface HandlerRunFacts {
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

/** The columns of spec 002 that change together, as `progress` and `takeover` store them. */
export interface Progress {
  phase: Phase;
  resume_phase?: Phase;
  reason?: SuspendReason;
  error?: string;
  error_type?: ErrorType;
  output_state?: Json;
  end_timestamp?: string;
  timeline?: Timeline;
  /** The cost of the writer's calls, in microdollars. */
  cost?: number;
}

interface Takeover extends Progress {
  /** The maker's phase when this was written. */
  over: Phase;
}

export interface HandlerRunRow {
  facts: string;
  progress: string;
  takeover: string | null;
  prepare_result: string | null;
  logs: string;
  cost: number;
}

export const HANDLER_RUN_COLUMNS = 'facts, progress, takeover, prepare_result, logs, cost';

/** The columns that a move reads. */
export interface HandlerRunStateRow extends StateRow {
  readonly progress: Progress;
}

/** The progress that `side` continues from: the maker's own, or the effective one. */
export function progressFor(row: HandlerRunStateRow, side: Side): Progress {
  return side === 'maker'
    ? row.progress
    : effectiveProgress(row.progress, parseJson<Takeover>(row.takeover));
}

export function nextRow(
  row: HandlerRunStateRow,
  to: HandlerRunState,
  side: Side,
  now: number,
  spent = 0,
): HandlerRunStateRow {
  const own = side === 'maker' ? row.progress : parseJson<Takeover>(row.takeover);
  const progress: Progress = {
    ...progressOf(to),
    timeline: { ...progressFor(row, side).timeline, [to.phase]: now },
    ...costOf((own?.cost ?? 0) + spent),
  };
  return side === 'maker'
    ? { ...row, text: JSON.stringify(progress), progress }
    : { ...row, takeover: JSON.stringify({ ...progress, over: row.progress.phase }) };
}

/** Most runs cost nothing, and their rows don't say so. */
export function costOf(cost: number): { cost?: number } {
  return cost > 0 ? { cost } : {};
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

export function handlerRunStateOf(progress: Progress): HandlerRunState {
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

export function parseHandlerRun(id: string, row: HandlerRunRow): HandlerRun {
  const facts = JSON.parse(row.facts) as HandlerRunFacts;
  const progress = JSON.parse(row.progress) as Progress;
  expectMerged(facts.workflow_id);
  expectMerged(progress.phase);
  return toHandlerRun(
    id,
    facts,
    {
      progress,
      takeover: parseJson<Takeover>(row.takeover),
    },
    parseJson<Json>(row.prepare_result),
    { logs: JSON.parse(row.logs) as Json, cost: row.cost },
  );
}

export function toHandlerRun(
  id: string,
  facts: HandlerRunFacts,
  { progress, takeover }: { progress: Progress; takeover: Takeover | null },
  prepareResult: Json,
  { logs, cost }: Pick<HandlerRun, 'logs' | 'cost'>,
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
    state: handlerRunStateOf(effectiveProgress(progress, takeover)),
    isTakenOver: takeover !== null,
    prepareResult,
    timeline: { ...progress.timeline, ...takeover?.timeline },
    logs,
    causedBy: facts.caused_by ?? null,
    cost,
  };
}
