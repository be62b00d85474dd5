// Handlers of a workflow's page: graph, events, runs and versions.
import { notFound } from '#main/api/not-found.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import { toEventView, toHandlerRunView } from '#main/api/views/handler-run-views.ts';
import { MAX_COUNTED, requireWorkflow } from '#main/api/views/workflow-views.ts';
import { shownRows } from '#main/api/views/shown-rows.ts';
import type { Engine } from '#main/engine/engine.ts';
import { findLeftBehind } from '#main/engine/left-behind.ts';
import type { Script } from '#main/store/tables/scripts.ts';
import type { Stores } from '#main/store/stores.ts';
import type { Activation } from '#main/store/queries/workflow-activity.ts';
import type { CallArguments, CallOutput } from '#shared/api/contract.ts';
import type {
  VersionView,
  WorkflowGraph,
  workflowPagesContract,
} from '#shared/api/workflow-pages.ts';
import { handlerConfigSchema } from '#shared/authoring/handler-config.ts';
import { topicId } from '#shared/ids.ts';

export function createWorkflowPageHandlers(
  engine: Engine,
): Pick<Handlers, keyof typeof workflowPagesContract> {
  const { stores } = engine.context;
  return {
    'workflows.graph': ({ workflowId }) => graphOf(stores, workflowId),
    'events.list': ({ workflowId, topic, ...page }) => {
      requireWorkflow(stores, workflowId);
      const { events, next } = stores.events.list({
        ...page,
        topicId: topicId(workflowId, topic),
      });
      return { events: shownRows(engine, events, (event) => toEventView(stores, event)), next };
    },
    'workflows.handlerRuns': ({ workflowId, handlerName, ...page }) => {
      requireWorkflow(stores, workflowId);
      const { ids, next } = stores.workflowActivity.runsOf(workflowId, handlerName, page);
      const runs = shownRows(engine, ids, (id) => {
        const run = stores.handlerRuns.get(id);
        return run ? [toHandlerRunView(stores, run)] : [];
      });
      return { runs, next };
    },
    'workflows.versions': (request) => versionsOf(stores, request),
    'workflows.version': ({ scriptId }) => {
      const script = stores.scripts.get(scriptId);
      if (!script) {
        throw notFound('version', scriptId);
      }
      const { workflowId, code } = script;
      const activations = stores.workflowActivity.activations(workflowId);
      return { ...toVersionView(stores, script, activations), workflowId, source: code };
    },
  };
}

function graphOf(stores: Stores, workflowId: string): WorkflowGraph {
  const workflow = requireWorkflow(stores, workflowId);
  const { data: config } = handlerConfigSchema.safeParse(workflow.handlerConfig);
  if (config === undefined) return { topics: [], handlers: [], cycles: [] };
  const counts = stores.workflowActivity.handlerCounts(workflowId);
  const countsOf = (name: string): { atWork: number; waiting: number } =>
    counts.get(name) ?? { atWork: 0, waiting: 0 };
  // A topic of an earlier version is shown while events wait in it.
  const dropped = findLeftBehind({ stores }, workflowId, config, true).flatMap((left) =>
    left.type === 'events' ? [left.topic] : [],
  );
  return {
    topics: [...config.topics, ...dropped].map((name) => ({
      name,
      ...stores.workflowActivity.topicCounts(workflowId, topicId(workflowId, name), MAX_COUNTED),
    })),
    handlers: [
      ...Object.entries(config.producers).map(([name, { publishes }]) => ({
        name,
        kind: 'producer' as const,
        subscribes: [],
        publishes,
        ...countsOf(name),
      })),
      ...Object.entries(config.consumers).map(([name, { subscribes, publishes }]) => ({
        name,
        kind: 'consumer' as const,
        subscribes,
        publishes,
        ...countsOf(name),
      })),
    ],
    cycles: config.cycles,
  };
}

function versionsOf(
  stores: Stores,
  { workflowId, ...page }: CallArguments<'workflows.versions'>,
): CallOutput<'workflows.versions'> {
  requireWorkflow(stores, workflowId);
  const activations = stores.workflowActivity.activations(workflowId);
  const { versions, next } = stores.scripts.versions(workflowId, page);
  return {
    versions: versions.map((script) => toVersionView(stores, script, activations)),
    next,
  };
}

function toVersionView(
  stores: Stores,
  script: Script,
  activations: readonly Activation[],
): VersionView {
  const workflow = stores.workflows.get(script.workflowId);
  const isActive = workflow?.scriptId === script.id;
  const checked = stores.laneValidation.get(script.workflowId, isActive ? 'main' : 'draft');
  return {
    id: script.id,
    version: script.sha.slice(0, 12),
    fileName: script.fileName,
    createdAt: script.createdAt,
    deviceId: script.deviceId,
    isActive,
    isDraft: workflow?.draft?.scriptId === script.id,
    checkedAt: checked?.scriptId === script.id ? checked.validatedAt : null,
    activations: activations
      .filter(({ scriptId }) => scriptId === script.id)
      .map(({ at, deviceId }) => ({ at, deviceId })),
  };
}
