// The last write of a consumer run, in one transaction: events published and consumed, handler state,
// wake-up, completed inputs and the run itself.
import { detectIncidentsOfRun } from '#main/engine/detect-incidents.ts';
import type { EngineContext } from '#main/engine/engine-context.ts';
import { attachArtifacts, type SavedArtifact } from '#main/engine/runs/artifact-calls.ts';
import { publishAll, saveState } from '#main/engine/runs/commit-output.ts';
import type { PhaseCalls } from '#main/engine/runs/phase-calls.ts';
import { Refused } from '#main/engine/runs/refused-write.ts';
import type { Checkpoint, RunEvents } from '#main/engine/runs/run-events.ts';
import type { HandlerToRun } from '#main/engine/runs/run-phase.ts';
import { NO_WAKE, type SeenTopics } from '#main/store/tables/consumer-wakes.ts';
import { inputsOfEvents } from '#main/store/tables/event-row.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { effectId } from '#shared/ids.ts';
import type { Json, JsonObject } from '#shared/json.ts';

export interface RunToCommit {
  readonly run: HandlerRun;
  readonly handler: HandlerToRun;
  readonly events: RunEvents;
  readonly checkpoint: Checkpoint;
  /** The topics as they were when prepare() began; null for a run that continues another one. */
  readonly seen: SeenTopics | null;
  /** The `outcome` argument of next(). */
  readonly outcome: JsonObject;
  readonly state: Json;
  readonly published: PhaseCalls['published'];
  readonly artifacts: readonly SavedArtifact[];
  readonly completion?: PhaseCalls['completion'];
}

/** Call inside a write. Throws `Refused` if the output breaks a rule. */
export function commitRun(context: EngineContext, done: RunToCommit): void {
  const { stores, store } = context;
  const { run, state } = done;
  publishOutput(context, done);
  finishEvents(context, done);
  if (run.state.phase !== 'emitting') stores.handlerRuns.moveConsumer(run.id, { type: 'emit' });
  const commit = { type: 'commit', outputState: state, at: store.clock.now() } as const;
  const moved = stores.handlerRuns.moveConsumer(run.id, commit);
  if (moved.type !== 'moved') throw new Error(moved.message);
  attachArtifacts(context, run.id, done.artifacts);
  completeInputs(context, done);
  setWake(context, done);
  detectIncidentsOfRun(context, run);
}

function publishOutput(context: EngineContext, done: RunToCommit): void {
  const { run, handler, events, checkpoint, published, state } = done;
  const refused =
    publishAll(context, run, handler.script, published, events.of(checkpoint)) ??
    saveState(context, run, state);
  if (refused !== null) throw new Refused(refused);
}

function finishEvents({ stores }: EngineContext, { run, checkpoint, outcome }: RunToCommit): void {
  const { events } = stores;
  if (outcome['status'] === 'skipped') {
    for (const { id } of events.reservedBy(run.id)) {
      events.move(id, { type: 'skip', reason: 'by_person' });
    }
    return;
  }
  // For an event that a person has skipped since, the store refuses the move, and it stays skipped.
  for (const { eventId } of checkpoint.reservations) {
    events.move(eventId, { type: 'consume', runId: run.id });
  }
}

/** `ctx.complete()` counts for each input of the run's events, once. */
function completeInputs({ inputs }: EngineContext, done: RunToCommit): void {
  const { handler, checkpoint, events, completion } = done;
  if (!completion) return;
  const cause = effectId(handler.workflowId, handler.name, checkpoint.reservations);
  for (const input of inputsOfEvents(events.of(checkpoint))) {
    inputs.complete(input, cause, completion.result);
  }
}

/** A consumer that reserved nothing is due again when more is pending than it saw. */
function setWake({ stores }: EngineContext, { handler, checkpoint, seen }: RunToCommit): void {
  const { consumerWakes } = stores;
  const { workflowId, name } = handler;
  const { wakeAt } = checkpoint;
  const hasReservations = checkpoint.reservations.length > 0;
  if (wakeAt === null && hasReservations) {
    consumerWakes.clear(workflowId, name);
    return;
  }
  consumerWakes.set(workflowId, name, { ...NO_WAKE, wakeAt, seen: hasReservations ? null : seen });
}
