// API views of runs, events, effects and resolutions.
import { ifReadable, nameOf } from '#main/api/views/shown-rows.ts';
import { boundCall } from '#main/engine/runs/effect-call.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Mutation } from '#main/store/tables/mutations.ts';
import type { ResolutionRow } from '#main/store/tables/resolutions.ts';
import type { Stores } from '#main/store/stores.ts';
import type {
  EventView,
  HandlerRunDetail,
  HandlerRunView,
  InputRef,
  MutationView,
} from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';

interface StoredCheckpoint {
  readonly reservations?: readonly { readonly eventId: string }[];
  readonly data?: Json;
  readonly ui?: { readonly title?: string };
}

export function toHandlerRunView(stores: Stores, run: HandlerRun): HandlerRunView {
  const { state } = run;
  const failed = state.phase === 'failed' ? state : undefined;
  const suspended = state.phase === 'suspended' ? state : undefined;
  return {
    id: run.id,
    workflowId: run.workflowId,
    workflowName: nameOf(stores, run.workflowId),
    scriptRunId: run.scriptRunId,
    handlerType: run.handlerType,
    handlerName: run.handlerName,
    title: checkpointOf(run).ui?.title ?? null,
    phase: state.phase,
    resumePhase: suspended?.resumePhase ?? null,
    reason: suspended?.reason ?? null,
    error: failed?.error ?? suspended?.error ?? null,
    errorType: failed?.errorType ?? null,
    effect: ifReadable(() => stores.mutations.ofRun(run.id)?.state.status, undefined) ?? null,
    retryOf: run.retryOf,
    retriedBy: stores.handlerRuns.retriedBy(run.id) ?? null,
    deviceId: run.deviceId,
    startedAt: Date.parse(run.startTimestamp),
    endedAt: 'endedAt' in state ? state.endedAt : null,
    cost: run.cost,
    timeline: { ...run.timeline },
  };
}

export function toHandlerRunDetail(engine: Engine, run: HandlerRun): HandlerRunDetail {
  const { stores } = engine.context;
  const checkpoint = checkpointOf(run);
  const mutation = ifReadable(() => stores.mutations.ofRun(run.id), undefined);
  return {
    ...toHandlerRunView(stores, run),
    inputState: run.inputState,
    outputState: run.state.phase === 'committed' ? run.state.outputState : null,
    data: checkpoint.data ?? null,
    logs: run.logs as unknown as HandlerRunDetail['logs'],
    eventsIn: (checkpoint.reservations ?? []).flatMap(({ eventId }) => {
      const event = ifReadable(() => stores.events.get(eventId), undefined);
      return event ? [toEventView(stores, event)] : [];
    }),
    eventsOut: stores.events.createdBy(run.id).map((event) => toEventView(stores, event)),
    mutation: mutation ? toMutationView(engine, mutation) : null,
    inputs: toInputRefs(stores, stores.inputChain.inputsOfRun(run.id)),
    chain: chainOf(stores, run.id),
    history: historyOf(stores, run.id),
  };
}

/** The oldest first. Archived inputs are left out. */
export function toInputRefs(stores: Stores, inputIds: readonly string[]): InputRef[] {
  return inputIds
    .flatMap((id) => ifReadable(() => stores.triggerEvents.get(id), undefined) ?? [])
    .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
    .map(({ id, title }) => ({ id, title }));
}

function chainOf(stores: Stores, runId: string): HandlerRunDetail['chain'] {
  return stores.handlerRuns.chain(runId).flatMap((id) => {
    const run = ifReadable(() => stores.handlerRuns.get(id), undefined);
    if (!run) return [];
    const { state } = run;
    return [
      {
        id,
        phase: state.phase,
        startedAt: Date.parse(run.startTimestamp),
        endedAt: 'endedAt' in state ? state.endedAt : null,
        error: 'error' in state ? (state.error ?? null) : null,
      },
    ];
  });
}

function historyOf(stores: Stores, runId: string): HandlerRunDetail['history'] {
  return stores.runState.records(runId).map(({ runSeq, eventType, persistedAt, payload }) => {
    const { deviceId, ...rest } = payload ?? {};
    return {
      seq: runSeq,
      type: eventType,
      at: Date.parse(persistedAt),
      deviceId: typeof deviceId === 'string' ? deviceId : null,
      payload: rest,
    };
  });
}

export function toEventView(stores: Stores, event: TopicEvent): EventView {
  return {
    id: event.id,
    topic: stores.topics.get(event.topicId)?.name ?? event.topicId,
    messageId: event.messageId,
    title: event.title,
    payload: event.payload,
    status: event.state.status,
    attempt: event.state.attempt,
    createdAt: event.createdAt,
  };
}

export function toMutationView(engine: Engine, mutation: Mutation): MutationView {
  const { state, call } = mutation;
  const bound = boundCall(engine.context, mutation.id);
  const reconcile = 'reconcile' in state ? state.reconcile : undefined;
  return {
    id: mutation.id,
    status: state.status,
    tool: call?.toolNamespace ?? '',
    method: call?.toolMethod ?? '',
    params: call?.params ?? null,
    effectId: call?.idempotencyKey ?? '',
    title: bound ? bound.tools.describe(bound.call) : '',
    result: state.status === 'applied' ? state.result : null,
    error: 'error' in state ? state.error : null,
    reconcileAttempts: reconcile?.attempts ?? 0,
    nextReconcileAt: reconcile?.nextAt ?? null,
    canCheck: bound ? bound.tools.canReconcile(bound.call) : false,
    lookByHand: bound ? bound.tools.howToCheck(bound.call) : '',
    cost: mutation.cost,
    createdAt: mutation.createdAt,
    updatedAt: mutation.updatedAt,
    resolutions: engine.context.stores.resolutions.ofMutation(mutation.id).map(toResolutionView),
  };
}

export function toResolutionView(row: ResolutionRow): MutationView['resolutions'][number] {
  return {
    id: row.id,
    resolution: row.resolution,
    status: row.status,
    message: row.message,
    note: row.note,
    deviceId: row.deviceId,
    createdAt: row.createdAt,
  };
}

function checkpointOf(run: HandlerRun): StoredCheckpoint {
  return (run.prepareResult ?? {}) as StoredCheckpoint;
}
