// API views of inputs: one row, and one input with its history, events, runs and effects.
import { ifReadable, nameOf } from '#main/api/views/shown-rows.ts';
import {
  toEventView,
  toHandlerRunView,
  toInputRefs,
  toMutationView,
} from '#main/api/views/handler-run-views.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { ArtifactLibrary } from '#main/inputs/artifact-library.ts';
import { artifactsOf } from '#main/input-lifecycle/input-artifacts.ts';
import { toWaitView } from '#main/api/views/wait-view.ts';
import type { Sanitized } from '#main/input-lifecycle/sanitize.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import type { AutomationRunView, InputDetail, InputView, StoryStep } from '#shared/api/inputs.ts';
import { eventId, topicId } from '#shared/ids.ts';
import type { Stopping } from '#shared/inputs/stopping.ts';
import { firstMessageId } from '#shared/inputs/first-event.ts';
import { STAGE_ARTIFACTS } from '#shared/inputs/artifacts.ts';
import type { Json } from '#shared/json.ts';
import { ARTIFACT_WAIT_MS, MAX_STORY_STEPS } from '#shared/limits.ts';
import type { AutomationRunStatus } from '#shared/machines/automation-run.ts';

export function toAutomationRunView(engine: Engine, run: AutomationRun): AutomationRunView {
  const { state, times } = run;
  return {
    id: run.id,
    status: state.status,
    statusReason: ('reason' in state ? state.reason : undefined) ?? null,
    failureStage: 'stage' in state ? state.stage : null,
    stopping: run.stopping && stoppingOf(run.stopping),
    wait: toWaitView(engine, run),
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

const stoppingOf = ({ as, reason, at }: Stopping): AutomationRunView['stopping'] => ({
  as,
  reason,
  at,
});

export function toInputView(engine: Engine, input: Input, run: AutomationRun): InputView {
  const { stores } = engine.context;
  return {
    id: input.id,
    workflowId: input.workflowId,
    workflowName: nameOf(stores, input.workflowId),
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
    cost: stores.inputChain.cost(input.id),
    run: toAutomationRunView(engine, run),
  };
}

export async function toInputDetail(
  engine: Engine,
  artifacts: ArtifactLibrary,
  input: Input,
  run: AutomationRun,
): Promise<InputDetail> {
  const { stores } = engine.context;
  const [enriched, ledger] = await Promise.all([
    readStage(engine, artifacts, run, 'enrichment'),
    readStage(engine, artifacts, run, 'sources'),
  ]);
  const sanitized = enriched.value as Sanitized | null;
  const { steps, hasMore } = await storyOf(engine, input.id);
  return {
    ...toInputView(engine, input, run),
    payload: sanitized?.value ?? firstEventPayload(engine, input, run),
    hasRawPayload: stores.rawPayloads.has(input.id),
    redacted: [...(sanitized?.redacted ?? [])],
    sources: (ledger.value ?? []) as unknown as InputDetail['sources'],
    unavailable: enriched.why ?? ledger.why,
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
      inputs: toInputRefs(
        stores,
        rest.runIds.flatMap((id) => stores.automationRuns.get(id)?.inputId ?? []),
      ),
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
    const event = ifReadable(() => stores.events.get(id), undefined);
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
  const run = ifReadable(() => stores.handlerRuns.get(runId), undefined);
  if (!run) return null;
  const effect = ifReadable(() => stores.mutations.ofRun(runId), undefined);
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

interface StageContent {
  readonly value: Json;
  /** Why the content can't be shown. */
  readonly why: string | null;
}

const NOTHING: StageContent = { value: null, why: null };
const ON_ITS_WAY = 'Holdfast is fetching the payload and its sources from another device.';

/** The rest of the view is shown without it. Content that arrives later refreshes the view. */
async function readStage(
  { context }: Engine,
  artifacts: ArtifactLibrary,
  run: AutomationRun,
  kind: keyof typeof STAGE_ARTIFACTS,
): Promise<StageContent> {
  const name = STAGE_ARTIFACTS[kind];
  const artifact = artifactsOf(context.stores, run.id).find(
    (one) => one.maker === 'stage' && one.name === name,
  );
  if (!artifact) return NOTHING;
  const { clock } = context.store;
  let stopWaiting = (): void => undefined;
  const late = new Promise<'late'>((resolve) => {
    stopWaiting = clock.wakeAt(clock.now() + ARTIFACT_WAIT_MS, () => resolve('late'));
  });
  const read = await Promise.race([artifacts.read(artifact), late]).finally(() => stopWaiting());
  if (read === 'late') return { value: null, why: ON_ITS_WAY };
  if (read.type === 'unavailable') return { value: null, why: read.message };
  try {
    return { value: JSON.parse(new TextDecoder().decode(read.content)) as Json, why: null };
  } catch {
    return { value: null, why: `The content of "${name}" is not JSON.` };
  }
}
