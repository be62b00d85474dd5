// The automation run of each input. Only inputs/input-lifecycle.ts changes a status, because it
// also writes the history.
import { decodeCursor, encodeCursor } from '#main/store/sqlite/keyset-cursor.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import { automationRunId } from '#shared/ids.ts';
import type { InputKind } from '#shared/inputs/kinds.ts';
import type { Stopping } from '#shared/inputs/stopping.ts';
import type { Json } from '#shared/json.ts';
import { RUN_DEADLINE_MS, SEARCH_WINDOW } from '#shared/limits.ts';
import {
  isUnfinished,
  type AutomationRunState,
  type AutomationRunStatus,
  type Stage,
} from '#shared/machines/automation-run.ts';

export interface Artifacts {
  readonly enrichment: string;
  readonly sources: string;
  readonly policy: string;
}

export interface AutomationRun {
  readonly id: string;
  readonly inputId: string;
  readonly workflowId: string;
  readonly triggerId: string;
  readonly state: AutomationRunState;
  /** Number of status changes. */
  readonly moves: number;
  readonly times: Times;
  readonly queuedAt: number;
  readonly deadlineAt: number;
  readonly artifacts: Artifacts | null;
  readonly session: { readonly id: string; readonly createdAt: number } | null;
  readonly stopping: Stopping | null;
  readonly hasCompletion: boolean;
  readonly completionArtifactRef: string | null;
}

export interface Times {
  readonly enrichment_started_at?: number;
  readonly enrichment_completed_at?: number;
  readonly execution_started_at?: number;
  readonly prompt_sent_at?: number;
  readonly completed_at?: number;
  readonly last_activity_at: number;
}

interface Progress extends Times {
  readonly status: AutomationRunStatus;
  readonly reason?: string;
  readonly failure_stage?: Stage;
  readonly completion_id?: string;
  readonly settled?: string;
  readonly moves: number;
}

interface Row {
  id: string;
  facts: string;
  progress: string;
  artifacts: string | null;
  session: string | null;
  stopping: string | null;
  has_completion: number;
  completion_artifact_ref: string | null;
}

export interface InputFilter {
  readonly workflowId?: string | undefined;
  readonly kind?: InputKind | undefined;
  readonly source?: string | undefined;
  readonly status?: AutomationRunStatus | undefined;
  readonly text?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

interface Searched {
  readonly id: string;
  readonly createdAt: number;
  readonly words: string | null;
}

const COLUMNS = `id, facts, progress, artifacts, session, stopping,
  completion IS NOT NULL AS has_completion, completion_artifact_ref`;
const OPEN = `status IN ('queued', 'enriching', 'ready', 'running', 'needs_human')`;

export class AutomationRunStore {
  readonly #context: StoreContext;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Creates the `queued` run of a new input. Call inside the write that inserts the input. */
  insert(
    inputId: string,
    input: Pick<Input, 'workflowId' | 'triggerId' | 'kind' | 'source'>,
  ): string {
    const { db, clock, spaceId } = this.#context;
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
    db.changes.note('automation_runs', id);
    return id;
  }

  get(id: string): AutomationRun | undefined {
    const row = this.#context.db.get<Row>(
      `SELECT ${COLUMNS} FROM automation_runs WHERE id = ?`,
      id,
    );
    return row && toRun(row);
  }

  ofInput(inputId: string): AutomationRun | undefined {
    return this.get(automationRunId(inputId));
  }

  /** The columns that decide whether the full row is needed. */
  statusOf(inputId: string): AutomationRunStatus | undefined {
    return this.#context.db.value(
      'SELECT status FROM automation_runs WHERE id = ?',
      automationRunId(inputId),
    );
  }

  /** Guarded by the progress that was read. False, without writing, if it has changed since. */
  write(from: AutomationRun, to: AutomationRunState, times: Partial<Times>): boolean {
    const { db, clock } = this.#context;
    const progress: Progress = {
      ...stateColumns(to),
      ...from.times,
      ...times,
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
    if (written === 1) db.changes.note('automation_runs', from.id);
    return written === 1;
  }

  setArtifacts(id: string, artifacts: Artifacts): void {
    this.#set(id, 'artifacts', JSON.stringify(artifacts));
  }

  setSession(id: string, sessionId: string): void {
    const created = { id: sessionId, created_at: this.#context.clock.now() };
    this.#set(id, 'session', JSON.stringify(created));
  }

  setStopping(id: string, stopping: Stopping): void {
    this.#set(id, 'stopping', JSON.stringify(stopping));
  }

  /** Keeps the first value. */
  setCompletion(id: string, result: Json): void {
    const { db } = this.#context;
    db.writeOne(() => {
      const text = JSON.stringify({ result });
      db.run(
        'UPDATE automation_runs SET completion = ? WHERE id = ? AND completion IS NULL',
        text,
        id,
      );
      db.changes.note('automation_runs', id);
    });
  }

  setCompletionArtifact(id: string, ref: string): void {
    this.#set(id, 'completion_artifact_ref', ref);
  }

  completion(id: string): Json {
    const text = this.#context.db.value<string | null>(
      'SELECT completion FROM automation_runs WHERE id = ?',
      id,
    );
    return typeof text === 'string' ? (JSON.parse(text) as { result: Json }).result : null;
  }

  /** Unfinished runs of a workflow. */
  open(workflowId: string): AutomationRun[] {
    return this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM automation_runs INDEXED BY idx_automation_runs_open
         WHERE ${OPEN} AND automation_id = ? ORDER BY id`,
        workflowId,
      )
      .map(toRun);
  }

  /** A page of unfinished runs of all workflows, after this id. */
  openAfter(last: AutomationRun | null, limit: number): AutomationRun[] {
    return this.#context.db
      .all<Row>(
        `SELECT ${COLUMNS} FROM automation_runs INDEXED BY idx_automation_runs_open
         WHERE ${OPEN} AND (automation_id, id) > (?, ?) ORDER BY automation_id, id LIMIT ?`,
        last?.workflowId ?? '',
        last?.id ?? '',
        limit,
      )
      .map(toRun);
  }

  /**
   * Newest first. A text search scans a bounded window of rows, so a page can be empty without being
   * the last.
   */
  list(filter: InputFilter): { runs: AutomationRun[]; next: string | null } {
    return filter.text === undefined ? this.#page(filter) : this.#found(filter, filter.text);
  }

  #page(filter: InputFilter): { runs: AutomationRun[]; next: string | null } {
    const { where, params } = conditionsOf(filter);
    const rows = this.#context.db.all<Row & { queued_at: number }>(
      `SELECT ${COLUMNS}, queued_at FROM automation_runs ${where} ${NEWEST_FIRST} LIMIT ?`,
      ...params,
      filter.limit,
    );
    const places = rows.map(({ id, queued_at: createdAt }) => ({ id, createdAt }));
    return { runs: rows.map(toRun), next: encodeCursor(places, filter.limit) };
  }

  /** Scans only as many rows as it takes to fill the page. */
  #found(filter: InputFilter, text: string): { runs: AutomationRun[]; next: string | null } {
    const { where, params } = conditionsOf(filter);
    const rows = this.#context.db
      .prepare(
        `SELECT id, queued_at AS createdAt, ${WORDS} AS words FROM automation_runs ${where}
         ${NEWEST_FIRST} LIMIT ?`,
      )
      .iterate(...params, SEARCH_WINDOW) as Iterable<Searched>;
    const wanted = text.toLowerCase();
    const found: string[] = [];
    let seen = 0;
    let last: Searched | undefined;
    for (const row of rows) {
      seen += 1;
      last = row;
      if (row.words?.toLowerCase().includes(wanted)) found.push(row.id);
      if (found.length === filter.limit) break;
    }
    const isAll = seen < SEARCH_WINDOW && found.length < filter.limit;
    return {
      runs: found.map((id) => this.get(id) as AutomationRun),
      next: last && !isAll ? encodeCursor([last], 1) : null,
    };
  }

  #set(id: string, column: string, value: string): void {
    const { db } = this.#context;
    db.writeOne(() => {
      db.run(`UPDATE automation_runs SET ${column} = ? WHERE id = ?`, value, id);
      db.changes.note('automation_runs', id);
    });
  }
}

const NEWEST_FIRST = 'ORDER BY queued_at DESC, id DESC';

const WORDS = `(SELECT title || ' ' || type || ' ' || source || ' ' || external_id FROM trigger_events
  WHERE trigger_events.id = automation_runs.trigger_event_id)`;

function conditionsOf(filter: InputFilter): { where: string; params: unknown[] } {
  const conditions: string[] = [];
  const params: unknown[] = [];
  const add = (condition: string, ...values: readonly unknown[]): void => {
    conditions.push(condition);
    params.push(...values);
  };
  if (filter.workflowId !== undefined) add('automation_id = ?', filter.workflowId);
  if (filter.status !== undefined) add('status = ?', filter.status);
  if (filter.source !== undefined) add('source = ?', filter.source);
  if (filter.kind !== undefined) add('kind = ?', filter.kind);
  if (filter.since !== undefined) add('queued_at >= ?', filter.since);
  if (filter.until !== undefined) add('queued_at < ?', filter.until);
  if (filter.after !== undefined) add('(queued_at, id) < (?, ?)', ...decodeCursor(filter.after));
  return { where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`, params };
}

function stateColumns(state: AutomationRunState): Omit<Progress, keyof Times | 'moves'> {
  return {
    status: state.status,
    ...('reason' in state ? { reason: state.reason } : {}),
    ...('stage' in state ? { failure_stage: state.stage } : {}),
    ...('completionId' in state ? { completion_id: state.completionId } : {}),
    ...('settled' in state && state.settled !== undefined ? { settled: state.settled } : {}),
  };
}

function stateOf(progress: Progress): AutomationRunState {
  const { status, reason = '', failure_stage: stage = 'execute', settled } = progress;
  const told = settled === undefined ? {} : { settled };
  switch (status) {
    case 'succeeded':
      return { status, completionId: progress.completion_id ?? '', ...told };
    case 'failed':
    case 'timed_out':
      return { status, stage, reason, ...told };
    case 'needs_human':
    case 'canceled':
    case 'skipped':
      return { status, reason };
    default:
      return { status };
  }
}

function toRun(row: Row): AutomationRun {
  const facts = JSON.parse(row.facts) as {
    automation_id: string;
    trigger_event_id: string;
    trigger_id: string;
    queued_at: number;
    deadline_at: number;
  };
  const progress = JSON.parse(row.progress) as Progress;
  const session = parse<{ id: string; created_at: number }>(row.session);
  return {
    id: row.id,
    inputId: facts.trigger_event_id,
    workflowId: facts.automation_id,
    triggerId: facts.trigger_id,
    state: stateOf(progress),
    moves: progress.moves,
    times: timesOf(progress),
    queuedAt: facts.queued_at,
    deadlineAt: facts.deadline_at,
    artifacts: parse<Artifacts>(row.artifacts),
    session: session && { id: session.id, createdAt: session.created_at },
    // A terminal run has no pending request: it was carried out or superseded.
    stopping: isUnfinished(progress.status) ? parse<Stopping>(row.stopping) : null,
    hasCompletion: row.has_completion === 1,
    completionArtifactRef: row.completion_artifact_ref,
  };
}

const TIMES = [
  'enrichment_started_at',
  'enrichment_completed_at',
  'execution_started_at',
  'prompt_sent_at',
  'completed_at',
] as const;

function timesOf(progress: Progress): Times {
  const told = TIMES.filter((name) => progress[name] !== undefined).map((name) => [
    name,
    progress[name],
  ]);
  return { ...Object.fromEntries(told), last_activity_at: progress.last_activity_at };
}

function parse<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value);
}
