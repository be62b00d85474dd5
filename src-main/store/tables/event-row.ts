// An event and its row: `facts` are written once, `content` and `progress` change as a unit each.
import { expectMerged } from '#main/store/sqlite/json-columns.ts';
import type { Arrival } from '#shared/arrival.ts';
import type { Json } from '#shared/json.ts';
import type { EventState, SkipReason } from '#shared/machines/event.ts';

export interface TopicEvent {
  readonly id: string;
  readonly topicId: string;
  readonly workflowId: string;
  readonly messageId: string;
  readonly title: string;
  readonly payload: Json;
  /** Title and payload as they are stored. */
  readonly content: string;
  readonly state: EventState;
  readonly createdByRunId: string | null;
  /** The first input that led to this event. */
  readonly causedBy: string | null;
  /** Its other inputs: a run took events of several and published this. */
  readonly alsoCausedBy: readonly string[];
  /** Length of the chain of runs that led to this event. */
  readonly depth: number;
  /** The clock's time, for people. It may be equal for several events, and go back. */
  readonly createdAt: number;
  /** The order of handling. */
  readonly arrival: Arrival;
  readonly updatedAt: number;
}

export interface EventRow {
  id: string;
  facts: string;
  content: string;
  progress: string;
}

/** Every input that led to one of these events, in their order. */
export function inputsOfEvents(
  events: readonly Pick<TopicEvent, 'causedBy' | 'alsoCausedBy'>[],
): string[] {
  const inputs = events.flatMap(({ causedBy, alsoCausedBy }) => [causedBy, ...alsoCausedBy]);
  return [...new Set(inputs)].filter((input) => input !== null);
}

export const EVENT_COLUMNS = 'id, facts, content, progress';

interface Progress {
  readonly status: EventState['status'];
  readonly attempt_number: number;
  readonly reserved_by_run_id?: string;
  readonly skip_reason?: SkipReason;
  readonly error?: string;
  readonly updated_at: number;
}

export function eventProgressText(state: EventState, updatedAt: number): string {
  return JSON.stringify({
    status: state.status,
    attempt_number: state.attempt,
    reserved_by_run_id: 'reservedByRunId' in state ? state.reservedByRunId : undefined,
    skip_reason: 'reason' in state ? state.reason : undefined,
    error: 'error' in state ? state.error : undefined,
    updated_at: updatedAt,
  });
}

export function parseEventState(progressText: string): EventState {
  return stateOf(JSON.parse(progressText) as Progress);
}

export function toEvent(row: EventRow): TopicEvent {
  const facts = JSON.parse(row.facts) as {
    topic_id: string;
    workflow_id: string;
    message_id: string;
    created_by_run_id?: string;
    caused_by?: string;
    also_caused_by?: readonly string[];
    depth?: number;
    created_at: number;
    arrival?: number;
    place?: number;
  };
  const content = JSON.parse(row.content) as { title: string; payload: Json };
  const progress = JSON.parse(row.progress) as Progress;
  expectMerged(facts.topic_id);
  expectMerged(content.title);
  expectMerged(progress.status);
  return {
    id: row.id,
    topicId: facts.topic_id,
    workflowId: facts.workflow_id,
    messageId: facts.message_id,
    title: content.title,
    payload: content.payload,
    content: row.content,
    state: stateOf(progress),
    createdByRunId: facts.created_by_run_id ?? null,
    causedBy: facts.caused_by ?? null,
    alsoCausedBy: facts.also_caused_by ?? [],
    depth: facts.depth ?? 0,
    createdAt: facts.created_at,
    arrival: { at: facts.arrival ?? facts.created_at, place: facts.place ?? 0 },
    updatedAt: progress.updated_at,
  };
}

function stateOf(progress: Progress): EventState {
  return {
    status: progress.status,
    attempt: progress.attempt_number,
    ...(progress.reserved_by_run_id === undefined
      ? {}
      : { reservedByRunId: progress.reserved_by_run_id }),
    ...(progress.skip_reason === undefined ? {} : { reason: progress.skip_reason }),
    ...(progress.error === undefined ? {} : { error: progress.error }),
  } as EventState;
}
