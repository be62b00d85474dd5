// API views of workflows and sessions.
import { notFound } from '#main/api/not-found.ts';
import { nameOf } from '#main/api/views/shown-rows.ts';
import { needOfRun } from '#main/api/views/run-needs.ts';
import { toOwnerView } from '#main/api/views/ownership-views.ts';
import { needsHumanOf } from '#main/input-lifecycle/needs-human-rule.ts';
import { outsideWaits } from '#main/engine/outside-waits.ts';
import { findLeftBehind } from '#main/engine/left-behind.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { ScriptRun } from '#main/store/tables/script-runs.ts';
import type { Stores } from '#main/store/stores.ts';
import type { Workflow } from '#main/store/tables/workflows.ts';
import type { RunView, WorkflowView } from '#shared/api/contract.ts';
import { handlerConfigSchema } from '#shared/authoring/handler-config.ts';
import { freezeFlags } from '#shared/flags.ts';
import { failingHandlers } from '#shared/failing-handlers.ts';
import { describeRefused, holdsWorkflow } from '#shared/refused-rows.ts';
import { topicId } from '#shared/ids.ts';

/** Counting stops here, because a count reads every row. */
export const MAX_COUNTED = 1000;

/** The number of runs that a workflow card shows. */
const RECENT_RUNS = 24;

export function toWorkflowView(engine: Engine, workflow: Workflow): WorkflowView {
  const { stores } = engine.context;
  const config = handlerConfigSchema.safeParse(workflow.handlerConfig);
  const topics = config.success ? config.data.topics : [];
  const open = stores.handlerRuns.open(workflow.id);
  const { hosts } = engine.context;
  const waitsFor = outsideWaits(engine.context, workflow.id).map(
    ({ handler, host, until, since }) => ({
      handler,
      host,
      until,
      since,
      isNetwork: until === null && hosts.waitsForNetwork(host),
    }),
  );
  // Its service is down, which is not its failure.
  const unreached = new Set(
    waitsFor.filter(({ until }) => until === null).map(({ handler }) => handler),
  );
  const recent = stores.workflowActivity.recentRuns(workflow.id, RECENT_RUNS);
  return {
    id: workflow.id,
    name: workflow.name,
    status: workflow.status,
    statusReason: workflow.statusReason,
    isBusy: engine.isBusy(workflow.id),
    owner: toOwnerView(engine, workflow.id),
    openQuestions: open.filter((run) => needOfRun(stores, run) !== null).length,
    scriptId: workflow.scriptId,
    draftScriptId: workflow.draft?.scriptId ?? null,
    path: stores.workflowFiles.ofWorkflow(workflow.id) ?? null,
    producers: stores.producerSchedules.of(workflow.id).map((row) => ({
      name: row.producer,
      schedule: row.schedule,
      nextRunAt: row.nextRunAt,
    })),
    topics: topics.map((name) => ({
      name,
      pending: stores.events.count(topicId(workflow.id, name), 'pending', MAX_COUNTED),
    })),
    completes: stores.workflows.inputRules(workflow.id).completes ?? 'drained',
    needsHuman: needsHumanOf(stores, workflow.id),
    leftBehind: config.success
      ? findLeftBehind(engine.context, workflow.id, config.data, engine.isBusy(workflow.id))
      : [],
    recent,
    failing: failingHandlers({
      recent,
      waiting: waitsFor.map(({ handler }) => handler),
      retrying: stores.consumerWakes.failing(workflow.id).filter((name) => !unreached.has(name)),
      pausedBecause: workflow.status === 'paused' ? workflow.statusReason : null,
    }),
    cost: stores.workflowCosts.of(workflow.id),
    waitsFor,
    heldBecause: heldBecause(stores, workflow.id),
    createdAt: workflow.createdAt,
    updatedAt: workflow.updatedAt,
    activeRunId: stores.runContexts.get(workflow.id, 'main')?.activeRunId ?? null,
  };
}

/** Why the workflow can't run on this device; null if it can. */
function heldBecause({ refusedRows }: Stores, workflowId: string): string | null {
  if (!refusedRows.holds(workflowId)) return null;
  const row = refusedRows.ofWorkflow(workflowId).find(({ table }) => holdsWorkflow(table));
  if (!row) return null;
  const { table, reason, deviceId } = row;
  return describeRefused({ table, reason, isFromPeer: deviceId !== null, hasWorkflow: true })
    .summary;
}

export function toRunView(stores: Stores, run: ScriptRun): RunView {
  const { state } = run;
  const ended = 'terminalEventId' in state ? state : undefined;
  return {
    id: run.id,
    workflowId: run.workflowId,
    workflowName: nameOf(stores, run.workflowId),
    lane: run.lane,
    status: state.status,
    trigger: run.trigger,
    startRequestId: run.startRequestId,
    scriptId: run.scriptId,
    runStartSha: run.runStartSha,
    runEndSha: ended?.runEndSha ?? null,
    flags: freezeFlags(run.flags),
    sandboxId: ('sandboxId' in state ? state.sandboxId : undefined) ?? null,
    terminalEventId: ended?.terminalEventId ?? null,
    error: ended?.error ?? null,
    deviceId: run.deviceId,
    createdAt: run.createdAt,
    endedAt: ended?.endedAt ?? null,
    handlerRunCount: run.handlerRunCount,
  };
}

export function requireWorkflow(stores: Stores, id: string): Workflow {
  const workflow = stores.workflows.get(id);
  if (workflow) return workflow;
  throw notFound('workflow', id);
}
