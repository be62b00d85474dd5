// API views of inputs: one row, and one input with its history, events, runs and effects.
import {
  toEventView,
  toHandlerRunView,
  toMutationView,
} from '#main/api/views/handler-run-views.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { ArtifactStore } from '#main/inputs/artifacts.ts';
import type { Sanitized } from '#main/input-lifecycle/sanitize.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import type { AutomationRunView, InputDetail, InputView, StoryStep } from '#shared/api/inputs.ts';
import { eventId, topicId } from '#shared/ids.ts';
import { firstMessageId } from '#shared/inputs/first-event.ts';
import type { Json } from '#shared/json.ts';
import { MAX_STORY_STEPS } from '#shared/limits.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';

export function toAutomationRunView(run: AutomationRun): AutomationRunView {
  const { state, times } = run;
  return {
    id: run.id,
    status: state.status,
    statusReason: ('reason' in state ? state.reason : undefined) ?? null,
    failureStage: 'stage' in state ? state.stage : null,
    stopping: run.stopping,
    settled: ('settled' in state ? state.settled : undefined) ?? null,
    queuedAt: run.queuedAt,
    enrichmentStartedAt: times.enrichment_started_at ?? null,
    enrichmentCompletedAt: times.enrichment_completed_at ?? null,
    executionStartedAt: times.execution_started_at ?? null,
    promptSentAt: times.prompt_sent_at ?? null,
    completedAt: times.completed_at ?? null,
    lastActivityAt: times.last_activity_at,
    deadlineAt: run.deadlineAt,
    sessionId: run.session?.id ?? null,
    completionId: 'completionId' in state ? state.completionId : null,
  };
}

export function toInputView(engine: Engine, input: Input, run: AutomationRun): InputView {
  const { stores } = engine.context;
  return {
    id: input.id,
    workflowId: input.workflowId,
    workflowName: stores.workflows.get(input.workflowId)?.name ?? input.workflowId,
    kind: input.kind,
    source: input.source,
    type: input.type,
    externalId: input.externalId,
    title: input.title,
    triggerId: input.triggerId,
    dedupKey: input.dedupKey,
    correlationId: input.correlationId,
    bytes: input.bytes,
    deviceId: input.deviceId,
    receivedAt: input.createdAt,
    run: toAutomationRunView(run),
  };
}

export async function toInputDetail(
  engine: Engine,
  artifacts: ArtifactStore,
  input: Input,
  run: AutomationRun,
): Promise<InputDetail> {
  const { stores } = engine.context;
  const sanitized = (await readJson(artifacts, run.artifacts?.enrichment)) as Sanitized | null;
  const sources = await readJson(artifacts, run.artifacts?.sources);
  const { steps, hasMore } = await storyOf(engine, input.id);
  return {
    ...toInputView(engine, input, run),
    payload: sanitized?.value ?? firstEventPayload(engine, input, run),
    redacted: [...(sanitized?.redacted ?? [])],
    sources: (sources ?? []) as unknown as InputDetail['sources'],
    artifacts: {
      enrichment: run.artifacts?.enrichment ?? null,
      sources: run.artifacts?.sources ?? null,
      policy: run.artifacts?.policy ?? null,
      completion: run.completionArtifactRef,
    },
    completion: stores.automationRuns.completion(run.id),
    history: await historyOf(engine, input, run),
    sideEffects: stores.sideEffects.ofRun(run.id).map(({ effectId, kind, provider, ...rest }) => ({
      effectId,
      kind,
      provider,
      response: rest.response,
      at: rest.createdAt,
    })),
    steps,
    hasMoreSteps: hasMore,
  };
}

async function historyOf(
  engine: Engine,
  input: Input,
  run: AutomationRun,
): Promise<InputDetail['history']> {
  const records = await engine.context.stores.runState.fetchEvents(run.id);
  const received = {
    at: run.queuedAt,
    type: 'automation.queued',
    from: null,
    to: 'queued' as const,
    actor: input.kind,
    deviceId: input.deviceId,
    data: {},
  };
  const transitions = records.map(({ eventType, persistedAt, payload = {} }) => {
    const { from, to, actor, deviceId, ...data } = payload;
    return {
      at: Date.parse(persistedAt),
      type: eventType,
      from: (from ?? null) as AutomationRunStatus | null,
      to: (to ?? null) as AutomationRunStatus | null,
      actor: typeof actor === 'string' ? actor : 'engine',
      deviceId: typeof deviceId === 'string' ? deviceId : '',
      data,
    };
  });
  return [received, ...transitions];
}

/** Events in order of their distance from the input, each followed by the runs that reserved it. */
async function storyOf(
  engine: Engine,
  inputId: string,
): Promise<{ steps: StoryStep[]; hasMore: boolean }> {
  const { stores } = engine.context;
  const steps: StoryStep[] = [];
  const listedRuns = new Set<string>();
  for (const id of stores.inputChain.eventIds(inputId, MAX_STORY_STEPS)) {
    const event = stores.events.get(id);
    if (!event) continue;
    const parentId = event.createdByRunId;
    steps.push({
      type: 'event',
      id,
      parentId,
      at: event.createdAt,
      event: toEventView(stores, event),
    });
    for (const runId of stores.inputChain.runsOf(id)) {
      if (listedRuns.has(runId)) continue;
      listedRuns.add(runId);
      const step = await runStep(engine, runId, id);
      if (step) steps.push(step);
    }
    if (steps.length > MAX_STORY_STEPS) break;
  }
  return { steps: steps.slice(0, MAX_STORY_STEPS), hasMore: steps.length > MAX_STORY_STEPS };
}

async function runStep(
  engine: Engine,
  runId: string,
  reservedEventId: string,
): Promise<StoryStep | null> {
  const { stores } = engine.context;
  const run = stores.handlerRuns.get(runId);
  if (!run) return null;
  const effect = stores.mutations.ofRun(runId);
  const log = await stores.runState.fetchEvents(runId);
  return {
    type: 'handler_run',
    id: runId,
    parentId: run.retryOf ?? reservedEventId,
    at: Date.parse(run.startTimestamp),
    run: toHandlerRunView(stores, run),
    effect: effect ? toMutationView(engine, effect) : null,
    log: log.map(({ persistedAt, eventType, payload }) => ({
      at: Date.parse(persistedAt),
      type: eventType,
      data: payload ?? null,
    })),
  };
}

/** The artifact of an input that another device enriched is not here; its first event is. */
function firstEventPayload(engine: Engine, input: Input, run: AutomationRun): Json {
  if (input.topic === null) return null;
  const id = eventId(topicId(input.workflowId, input.topic), firstMessageId(run.id));
  return engine.context.stores.events.get(id)?.payload ?? null;
}

/** Null if the artifact is on another device or damaged; the rest of the view is still shown. */
async function readJson(artifacts: ArtifactStore, ref: string | undefined): Promise<Json> {
  if (ref === undefined) return null;
  try {
    const content = await artifacts.get(ref);
    return content ? (JSON.parse(new TextDecoder().decode(content)) as Json) : null;
  } catch {
    return null;
  }
}
