// The automation run of each input. Only input-lifecycle/input-lifecycle.ts changes a status, because it
// also writes the history.
import { findInputs, type InputFilter } from '#main/store/queries/find-inputs.ts';
import { changedUnderLock } from '#main/store/sqlite/guarded-update.ts';
import { Store } from '#main/store/store-context.ts';
import {
  AUTOMATION_RUN_COLUMNS,
  stateFields,
  toAutomationRun,
  type Artifacts,
  type AutomationRun,
  type AutomationRunRow,
  type Progress,
  type Times,
} from '#main/store/tables/automation-run-row.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import { automationRunId } from '#shared/ids.ts';
import type { LastReminder, NeedsHuman } from '#shared/inputs/needs-human.ts';
import type { Stopping } from '#shared/inputs/stopping.ts';
import type { Json } from '#shared/json.ts';
import { RUN_DEADLINE_MS } from '#shared/limits.ts';
import type { AutomationRunState, AutomationRunStatus } from '#shared/machines/automation-run.ts';

export type { Artifacts, AutomationRun, Times } from '#main/store/tables/automation-run-row.ts';

/** The history row of a reminder. */
export const REMINDED = 'automation.reminded';

const OPEN = `status IN ('queued', 'enriching', 'ready', 'running', 'needs_human')`;

/** Where a run is in the order of unfinished ones. */
export interface OpenPlace {
  readonly workflowId: string;
  readonly id: string;
}

export class AutomationRunStore extends Store {
  /** Creates the `queued` run of a new input. Call inside the write that inserts the input. */
  insert(
    inputId: string,
    input: Pick<Input, 'workflowId' | 'triggerId' | 'kind' | 'source'>,
  ): string {
    const { db, clock, spaceId } = this.context;
    const id = automationRunId(inputId);
    const now = clock.now();
    const facts = {
      organization_id: spaceId,
      automation_id: input.workflowId,
      trigger_event_id: inputId,
      trigger_id: input.triggerId,
      kind: input.kind,
      source: input.source,
      queued_at: now,
      deadline_at: now + RUN_DEADLINE_MS,
    };
    const progress: Progress = { status: 'queued', moves: 0, last_activity_at: now };
    db.run(
      `INSERT INTO automation_runs (id, facts, progress) VALUES (?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
      id,
      JSON.stringify(facts),
      JSON.stringify(progress),
    );
    db.changes.record('automation_runs', id);
    return id;
  }

  get(id: string): AutomationRun | undefined {
    const row = this.db.get<AutomationRunRow>(
      `SELECT ${AUTOMATION_RUN_COLUMNS} FROM automation_runs WHERE id = ?`,
      id,
    );
    return row && this.refused.read('automation_runs', row.id, () => toAutomationRun(row));
  }

  ofInput(inputId: string): AutomationRun | undefined {
    return this.get(automationRunId(inputId));
  }

  /** Cheaper than `ofInput`, for callers that mostly find a finished run. */
  statusOf(inputId: string): AutomationRunStatus | undefined {
    return this.db.value(
      'SELECT status FROM automation_runs WHERE id = ?',
      automationRunId(inputId),
    );
  }

  /** Whether a stop was ever requested; cheaper than `ofInput`. */
  hasStopping(inputId: string): boolean {
    const found = this.db.value(
      'SELECT 1 FROM automation_runs WHERE id = ? AND stopping IS NOT NULL',
      automationRunId(inputId),
    );
    return found !== undefined;
  }

  /** `from` must have been read in the same write: its status and number of moves are the guard. */
  write(
    from: AutomationRun,
    to: AutomationRunState,
    { wait, ...times }: Partial<Times> & { readonly wait?: NeedsHuman },
  ): void {
    const { db, clock } = this.context;
    const progress: Progress = {
      ...stateFields(to),
      ...from.times,
      ...times,
      ...(wait === undefined ? {} : { wait }),
      moves: from.moves + 1,
      last_activity_at: clock.now(),
    };
    const written = db.run(
      'UPDATE automation_runs SET progress = ? WHERE id = ? AND status = ? AND moves = ?',
      JSON.stringify(progress),
      from.id,
      from.state.status,
      from.moves,
    );
    if (written !== 1) throw changedUnderLock('automation run', from.id);
    db.changes.record('automation_runs', from.id);
  }

  setArtifacts(id: string, artifacts: Artifacts): void {
    this.#set(id, 'artifacts', JSON.stringify(artifacts));
  }

  artifacts(id: string): Artifacts {
    const text = this.db.value<string | null>(
      'SELECT artifacts FROM automation_runs WHERE id = ?',
      id,
    );
    return JSON.parse(text ?? '{}') as Artifacts;
  }

  setSession(id: string, sessionId: string): void {
    const created = { id: sessionId, created_at: this.context.clock.now() };
    this.#set(id, 'session', JSON.stringify(created));
  }

  setStopping(id: string, stopping: Stopping): void {
    this.#set(id, 'stopping', JSON.stringify(stopping));
  }

  /** Keeps the first value. */
  setCompletion(id: string, result: Json): void {
    this.db.writeOne(() => {
      const text = JSON.stringify({ result });
      this.db.run(
        'UPDATE automation_runs SET completion = ? WHERE id = ? AND completion IS NULL',
        text,
        id,
      );
      this.db.changes.record('automation_runs', id);
    });
  }

  setCompletionArtifact(id: string, ref: string): void {
    this.#set(id, 'completion_artifact_ref', ref);
  }

  completion(id: string): Json {
    const text = this.db.value<string | null>(
      'SELECT completion FROM automation_runs WHERE id = ?',
      id,
    );
    return typeof text === 'string' ? (JSON.parse(text) as { result: Json }).result : null;
  }

  /** Unfinished runs of a workflow. */
  open(workflowId: string): AutomationRun[] {
    return this.db
      .all<AutomationRunRow>(
        `SELECT ${AUTOMATION_RUN_COLUMNS} FROM automation_runs INDEXED BY idx_automation_runs_open
         WHERE ${OPEN} AND automation_id = ? ORDER BY id`,
        workflowId,
      )
      .flatMap(this.refused.readable('automation_runs', toAutomationRun));
  }

  /** Runs of a workflow that need a person. */
  needingHuman(workflowId: string, limit: number): AutomationRun[] {
    return this.db
      .all<AutomationRunRow>(
        `SELECT ${AUTOMATION_RUN_COLUMNS} FROM automation_runs INDEXED BY idx_automation_runs_open
         WHERE ${OPEN} AND status = 'needs_human' AND automation_id = ? ORDER BY id LIMIT ?`,
        workflowId,
        limit,
      )
      .flatMap(this.refused.readable('automation_runs', toAutomationRun));
  }

  /** The last reminder since the run needs a person; null when there was none. */
  lastReminder({ id, moves }: Pick<AutomationRun, 'id' | 'moves'>): LastReminder | null {
    const row = this.db.get<{ number: number; at: number }>(
      `SELECT facts -> 'payload' ->> 'number' AS number, facts -> 'payload' ->> 'at' AS at
       FROM run_events WHERE run_id = ? AND facts ->> 'event_type' = ?
         AND facts -> 'payload' ->> 'moves' = ? ORDER BY number DESC LIMIT 1`,
      id,
      REMINDED,
      moves,
    );
    return row ?? null;
  }

  /** A page of unfinished runs of all workflows, after this place. */
  openAfter(
    last: OpenPlace | null,
    limit: number,
  ): { runs: AutomationRun[]; next: OpenPlace | null } {
    const rows = this.db.all<AutomationRunRow & OpenPlace>(
      `SELECT ${AUTOMATION_RUN_COLUMNS}, automation_id AS workflowId
       FROM automation_runs INDEXED BY idx_automation_runs_open
       WHERE ${OPEN} AND (automation_id, id) > (?, ?) ORDER BY automation_id, id LIMIT ?`,
      last?.workflowId ?? '',
      last?.id ?? '',
      limit,
    );
    return {
      runs: rows.flatMap(this.refused.readable('automation_runs', toAutomationRun)),
      next: rows.length === limit ? (rows.at(-1) ?? null) : null,
    };
  }

  /**
   * Newest first. A text search scans a bounded window of rows, so a page can be empty without being
   * the last.
   */
  list(filter: InputFilter): { runs: AutomationRun[]; next: string | null } {
    return findInputs(this.db, filter, this.refused.readable('automation_runs', toAutomationRun));
  }

  #set(id: string, column: string, value: string): void {
    this.db.writeOne(() => {
      this.db.run(`UPDATE automation_runs SET ${column} = ? WHERE id = ?`, value, id);
      this.db.changes.record('automation_runs', id);
    });
  }
}
