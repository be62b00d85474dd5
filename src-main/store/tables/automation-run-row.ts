// An automation run and its row.
import { expectMerged, parseJson } from '#main/store/sqlite/json-columns.ts';
import type { NeedsHuman } from '#shared/inputs/needs-human.ts';
import type { Stopping } from '#shared/inputs/stopping.ts';
import {
  isUnfinished,
  type AutomationRunState,
  type AutomationRunStatus,
  type Stage,
} from '#shared/machines/automation-run.ts';

/** The artifacts of enrichment, by SHA-256. An input without a payload has only a policy. */
export interface Artifacts {
  readonly enrichment?: string;
  readonly sources?: string;
  readonly policy?: string;
  /** The device that froze the policy. An older version wrote no policy that can be enforced. */
  readonly policy_by?: string;
  /** The device that enriched the input. */
  readonly made_by?: string;
  readonly bytes?: { readonly [artifact in 'enrichment' | 'sources' | 'policy']?: number };
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
  /** How long a run that needs a person waits; null for other runs, and for rows of older versions. */
  readonly wait: NeedsHuman | null;
  /** For a run that ended while work was left: see `Stopping.held`. */
  readonly held: NonNullable<Stopping['held']> | null;
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
  /** Time spent waiting for a person, which the deadline doesn't count. */
  readonly waited_ms?: number;
}

export interface Progress extends Times {
  readonly wait?: NeedsHuman;
  readonly status: AutomationRunStatus;
  readonly reason?: string;
  readonly failure_stage?: Stage;
  readonly completion_id?: string;
  readonly settled?: string;
  readonly moves: number;
}

export interface AutomationRunRow {
  id: string;
  facts: string;
  progress: string;
  artifacts: string | null;
  session: string | null;
  stopping: string | null;
  has_completion: number;
  completion_artifact_ref: string | null;
}

export const AUTOMATION_RUN_COLUMNS = `id, facts, progress, artifacts, session, stopping,
  completion IS NOT NULL AS has_completion, completion_artifact_ref`;

export function stateFields(state: AutomationRunState): Omit<Progress, keyof Times | 'moves'> {
  return {
    status: state.status,
    ...('reason' in state && state.reason !== undefined ? { reason: state.reason } : {}),
    ...('stage' in state ? { failure_stage: state.stage } : {}),
    ...('completionId' in state ? { completion_id: state.completionId } : {}),
    ...('settled' in state && state.settled !== undefined ? { settled: state.settled } : {}),
  };
}

function stateOf(progress: Progress): AutomationRunState {
  const { status, reason = '', failure_stage: stage = 'execute', settled } = progress;
  const said = progress.reason === undefined ? {} : { reason };
  const decided = settled === undefined ? {} : { settled };
  switch (status) {
    case 'succeeded':
      return { status, completionId: progress.completion_id ?? '', ...said, ...decided };
    case 'failed':
    case 'timed_out':
      return { status, stage, reason, ...decided };
    case 'needs_human':
    case 'canceled':
    case 'skipped':
      return { status, reason };
    default:
      return { status };
  }
}

export function toAutomationRun(row: AutomationRunRow): AutomationRun {
  const facts = JSON.parse(row.facts) as {
    automation_id: string;
    trigger_event_id: string;
    trigger_id: string;
    queued_at: number;
    deadline_at: number;
  };
  const progress = JSON.parse(row.progress) as Progress;
  const session = parseJson<{ id: string; created_at: number }>(row.session);
  const stopping = parseJson<Stopping>(row.stopping);
  expectMerged(facts.trigger_event_id);
  expectMerged(progress.status);
  const isOpen = isUnfinished(progress.status);
  return {
    id: row.id,
    inputId: facts.trigger_event_id,
    workflowId: facts.automation_id,
    triggerId: facts.trigger_id,
    state: stateOf(progress),
    moves: progress.moves,
    times: timesOf(progress),
    queuedAt: facts.queued_at,
    deadlineAt: facts.deadline_at + (progress.waited_ms ?? 0),
    artifacts: parseJson<Artifacts>(row.artifacts),
    session: session && { id: session.id, createdAt: session.created_at },
    // A terminal run has no pending request: it was carried out or superseded.
    stopping: isOpen ? stopping : null,
    wait: progress.wait ?? null,
    held: isOpen ? null : (stopping?.held ?? null),
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
  'waited_ms',
] as const;

function timesOf(progress: Progress): Times {
  const known = TIMES.filter((name) => progress[name] !== undefined).map((name) => [
    name,
    progress[name],
  ]);
  return { ...Object.fromEntries(known), last_activity_at: progress.last_activity_at };
}
