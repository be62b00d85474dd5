// Engine sessions (the immutable runs of spec 000). active-sessions.ts starts and binds them, and
// keeps the pointer consistent.
import { expectMerged } from '#main/store/sqlite/json-columns.ts';
import { encodeCursor, placeAfter, type Page } from '#main/store/sqlite/keyset-cursor.ts';
import { whereGiven } from '#main/store/sqlite/where.ts';
import { Store, type StoreContext } from '#main/store/store-context.ts';
import {
  RowMover,
  type StateRow,
  type TransitionResult,
} from '#main/store/sqlite/guarded-update.ts';
import type { Flags } from '#shared/flags.ts';
import {
  isActive,
  transitionScriptRun,
  type ScriptRunState,
  type ScriptRunTransition,
} from '#shared/machines/script-run.ts';
import {
  ACTIVE_SCRIPT_RUN_STATUSES,
  type Lane,
  type ScriptRunStatus,
  type Trigger,
} from '#shared/session-enums.ts';

export interface ScriptRun {
  readonly id: string;
  readonly workflowId: string;
  readonly lane: Lane;
  readonly startRequestId: string;
  readonly trigger: Trigger;
  readonly scriptId: string | null;
  readonly runStartSha: string;
  readonly flags: Flags;
  readonly deviceId: string;
  readonly createdAt: number;
  readonly handlerRunCount: number;
  readonly state: ScriptRunState;
}

export type NewScriptRun = Omit<ScriptRun, 'deviceId' | 'createdAt' | 'handlerRunCount' | 'state'>;

interface Facts {
  workflow_id: string;
  lane: Lane;
  start_request_id: string;
  trigger: Trigger;
  script_id: string | null;
  run_start_sha: string;
  flags: Flags;
  device_id: string;
  created_at: number;
}

interface Progress {
  status: ScriptRunStatus;
  sandbox_id?: string;
  terminal_event_id?: string;
  run_end_sha?: string;
  error?: string;
  ended_at?: number;
}

interface Row {
  id: string;
  facts: string;
  progress: string;
  handler_run_count: number;
}

const COLUMNS = 'id, facts, progress, handler_run_count';
/** As literals, so that the partial index applies. */
export const ACTIVE_STATUSES_SQL = `(${ACTIVE_SCRIPT_RUN_STATUSES.map((status) => `'${status}'`).join(', ')})`;

export class ScriptRunStore extends Store {
  readonly #mover: RowMover<ScriptRunState, ScriptRunTransition, StateRow>;

  constructor(context: StoreContext) {
    super(context);
    this.#mover = new RowMover(context.db, {
      table: 'script_runs',
      column: 'progress',
      laterColumns: [],
      kind: 'run',
      read: (id) => this.#readState(id),
      stateOf: ({ text }) => stateOf(JSON.parse(text) as Progress),
      transition: transitionScriptRun,
      next: (_row, to) => toStateRow(JSON.stringify(progressOf(to))),
    });
  }

  insert(run: NewScriptRun): ScriptRun {
    const { db, clock, deviceId } = this.context;
    const facts: Facts = {
      workflow_id: run.workflowId,
      lane: run.lane,
      start_request_id: run.startRequestId,
      trigger: run.trigger,
      script_id: run.scriptId,
      run_start_sha: run.runStartSha,
      flags: run.flags,
      device_id: deviceId,
      created_at: clock.now(),
    };
    return db.write(() => {
      db.run(
        'INSERT INTO script_runs (id, facts, progress) VALUES (?, ?, ?)',
        run.id,
        JSON.stringify(facts),
        JSON.stringify(progressOf({ status: 'booting' })),
      );
      db.changes.record('script_runs', run.id);
      return this.get(run.id) as ScriptRun;
    });
  }

  get(id: string): ScriptRun | undefined {
    const row = this.db.get<Row>(`SELECT ${COLUMNS} FROM script_runs WHERE id = ?`, id);
    return row && this.refused.read('script_runs', id, () => toScriptRun(row));
  }

  /** The active session on this device. */
  activeOf(workflowId: string, lane: Lane): ScriptRun | undefined {
    const { deviceId } = this.context;
    return this.activeIn(workflowId, lane).find((run) => run.deviceId === deviceId);
  }

  /** On all devices; there can be more than one. */
  activeIn(workflowId: string, lane: Lane): ScriptRun[] {
    return this.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM script_runs WHERE workflow_id = ? AND lane = ?
         AND status IN ${ACTIVE_STATUSES_SQL}`,
        workflowId,
        lane,
      )
      .flatMap(this.refused.readable('script_runs', toScriptRun));
  }

  /** All active sessions, for recovery at start. */
  active(): ScriptRun[] {
    return this.db
      .all<Row>(`SELECT ${COLUMNS} FROM script_runs WHERE status IN ${ACTIVE_STATUSES_SQL}`)
      .flatMap(this.refused.readable('script_runs', toScriptRun));
  }

  /** Newest first. */
  list(
    page: Page & {
      readonly workflowId?: string | undefined;
      readonly status?: ScriptRunStatus | undefined;
    },
  ): { runs: ScriptRun[]; next: string | null } {
    const { where, params } = whereGiven([
      ['workflow_id = ?', page.workflowId],
      ['status = ?', page.status],
      ['(created_at, id) < (?, ?)', placeAfter(page)],
    ]);
    const rows = this.db.all<Row & { createdAt: number }>(
      `SELECT ${COLUMNS}, created_at AS createdAt FROM script_runs ${where}
       ORDER BY created_at DESC, id DESC LIMIT ?`,
      ...params,
      page.limit,
    );
    const runs = rows.flatMap(this.refused.readable('script_runs', toScriptRun));
    return { runs, next: encodeCursor(rows, page.limit) };
  }

  move(id: string, event: ScriptRunTransition): TransitionResult<ScriptRunState> {
    return this.#mover.move(id, event);
  }

  #readState(id: string): StateRow | undefined {
    const text = this.db.value<string>('SELECT progress FROM script_runs WHERE id = ?', id);
    return text === undefined ? undefined : toStateRow(text);
  }
}

function toStateRow(text: string): StateRow {
  return { text, takeover: null, isOurs: true };
}

function progressOf(state: ScriptRunState): Progress {
  const progress: Progress = { status: state.status };
  if ('sandboxId' in state && state.sandboxId !== undefined) progress.sandbox_id = state.sandboxId;
  if ('terminalEventId' in state) {
    progress.terminal_event_id = state.terminalEventId;
    progress.ended_at = state.endedAt;
    if (state.runEndSha !== undefined) progress.run_end_sha = state.runEndSha;
    if (state.error !== undefined) progress.error = state.error;
  }
  return progress;
}

function stateOf(progress: Progress): ScriptRunState {
  const { status, sandbox_id: sandboxId } = progress;
  const sandbox = sandboxId === undefined ? {} : { sandboxId };
  if (isActive(status)) return { status, ...sandbox } as ScriptRunState;
  return {
    status,
    ...sandbox,
    terminalEventId: progress.terminal_event_id ?? '',
    endedAt: progress.ended_at ?? 0,
    ...(progress.run_end_sha === undefined ? {} : { runEndSha: progress.run_end_sha }),
    ...(progress.error === undefined ? {} : { error: progress.error }),
  } as ScriptRunState;
}

function toScriptRun(row: Row): ScriptRun {
  const facts = JSON.parse(row.facts) as Facts;
  const progress = JSON.parse(row.progress) as Progress;
  expectMerged(facts.workflow_id);
  expectMerged(progress.status);
  return {
    id: row.id,
    workflowId: facts.workflow_id,
    lane: facts.lane,
    startRequestId: facts.start_request_id,
    trigger: facts.trigger,
    scriptId: facts.script_id ?? null,
    runStartSha: facts.run_start_sha,
    flags: facts.flags,
    deviceId: facts.device_id,
    createdAt: facts.created_at,
    handlerRunCount: row.handler_run_count,
    state: stateOf(progress),
  };
}
