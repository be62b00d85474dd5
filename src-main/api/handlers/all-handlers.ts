// Combines the handlers of all API calls, and contains those that need only the stores.
import { shownRows } from '#main/api/views/shown-rows.ts';
import { notFound } from '#main/api/not-found.ts';
import {
  createDeviceHandlers,
  type DeviceHandlerDependencies,
} from '#main/api/handlers/device-handlers.ts';
import { createArtifactHandlers } from '#main/api/handlers/artifact-handlers.ts';
import { createDesktopHandlers } from '#main/api/handlers/desktop-handlers.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import { createEngineHandlers } from '#main/api/handlers/engine-handlers.ts';
import { createInputHandlers } from '#main/api/handlers/input-handlers.ts';
import { createInboxHandlers } from '#main/api/handlers/inbox-handlers.ts';
import { createOwnershipHandlers } from '#main/api/handlers/ownership-handlers.ts';
import { createOutsideHostHandlers } from '#main/api/handlers/outside-host-handlers.ts';
import { createRunnerHandlers } from '#main/api/handlers/runner-handlers.ts';
import { createStartCheckHandlers } from '#main/api/handlers/start-check-handlers.ts';
import { createUpkeepHandlers } from '#main/api/handlers/upkeep-handlers.ts';
import {
  createSettingsHandlers,
  type SettingsHandlerDependencies,
} from '#main/api/handlers/settings-handlers.ts';
import { requireWorkflow, toRunView, toWorkflowView } from '#main/api/views/workflow-views.ts';
import { createWorkflowFileHandlers } from '#main/api/handlers/workflow-file-handlers.ts';
import { createWorkflowPageHandlers } from '#main/api/handlers/workflow-page-handlers.ts';
import type { WorkflowFileEditor } from '#main/authoring/workflow-file-editor.ts';
import type { WorkflowLibrary } from '#main/authoring/library.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { StartGate } from '#main/engine/start-gate.ts';
import type { Desktop } from '#main/platform/desktop.ts';
import type { InputsParts } from '#main/inputs/inputs.ts';
import type { Sample } from '#main/practice/sample.ts';
import type { Metrics } from '#main/observe/metrics.ts';
import type { Runner } from '#main/runner/runner.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { ScriptRun } from '#main/store/tables/script-runs.ts';
import type { Stores } from '#main/store/stores.ts';
import type { OutsideHosts } from '#main/tools/outside-hosts/outside-hosts.ts';
import type { Backups } from '#main/upkeep/backups.ts';
import type { Retention } from '#main/upkeep/retention.ts';
import type { FolderEndpoint } from '#main/sync/folder/folder-endpoint.ts';
import type { CallArguments, CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import { scriptId, sha256Hex, workflowId } from '#shared/ids.ts';
import { unreachable } from '#shared/rejection.ts';
import { isLifecycleEvent, type RunEventWrite } from '#shared/run-log.ts';

export interface HandlerDependencies {
  readonly engine: Engine;
  readonly library: WorkflowLibrary;
  readonly fileEditor: WorkflowFileEditor;
  readonly secrets: SecretStore;
  readonly sample: Sample;
  readonly devices: DeviceHandlerDependencies;
  readonly folderSync: FolderEndpoint;
  readonly runner: Runner;
  readonly inputs: InputsParts;
  readonly metrics: Metrics;
  readonly settings: SettingsHandlerDependencies;
  readonly hosts: OutsideHosts;
  readonly desktop: Desktop | undefined;
  readonly backups: Backups;
  readonly retention: Retention;
  readonly gate: StartGate;
  readonly info: () => CallOutput<'host.info'>;
}

export function createHandlers(dependencies: HandlerDependencies): Handlers {
  const { engine, library, fileEditor, secrets, sample, devices, folderSync, runner } =
    dependencies;
  const { metrics, inputs, backups, retention, info } = dependencies;
  const { stores } = engine.context;
  return {
    ...createEngineHandlers(engine, library, secrets, sample),
    ...createWorkflowPageHandlers(engine),
    ...createWorkflowFileHandlers(engine, fileEditor),
    ...createInboxHandlers(engine),
    ...createDeviceHandlers(devices),
    ...createOwnershipHandlers(engine),
    ...createRunnerHandlers(runner),
    ...createInputHandlers(engine, inputs),
    ...createArtifactHandlers(engine, inputs),
    ...createSettingsHandlers(dependencies.settings),
    ...createOutsideHostHandlers(stores, dependencies.hosts),
    ...createDesktopHandlers(engine, dependencies.desktop, dependencies.settings.dataDir),
    ...createUpkeepHandlers(engine, backups, retention),
    ...createStartCheckHandlers(dependencies.gate, stores),

    'host.info': () => info(),

    'metrics.snapshot': () => metrics.snapshot(),

    'sync.folder': async ({ dir }) => {
      const report = await folderSync(dir);
      return { ...report, devices: [...report.devices], problems: [...report.problems] };
    },

    'workflows.list': (page) => {
      const { workflows, next } = stores.workflows.list(page);
      return {
        workflows: shownRows(engine, workflows, (workflow) => toWorkflowView(engine, workflow)),
        next,
      };
    },
    'workflows.get': (input) => toWorkflowView(engine, requireWorkflow(stores, input.workflowId)),
    'workflows.create': (input) => createWorkflow(engine, input),

    'runs.list': (filter) => {
      const { runs, next } = stores.scriptRuns.list(filter);
      return { runs: shownRows(engine, runs, (run) => toRunView(stores, run)), next };
    },
    'runs.get': (input) => toRunView(stores, requireSession(stores, input.runId)),
    'runs.start': (input) => startRun(stores, input),
    'runs.finish': (input) => finishRun(stores, input),
    'runs.appendEvent': (event) => {
      const session = requireSession(stores, event.runId);
      assertNotEngines(session);
      assertOurs(session, engine.context.store.deviceId);
      assertBelongsToRun(event, session, info().spaceId);
      assertNotAfterEnd(stores, event);
      return stores.runState.append(event);
    },
    'runs.fetchEvents': async ({ runId, afterSeq, limit }) => {
      requireSession(stores, runId);
      return { events: await stores.runState.fetchEvents(runId, { afterSeq, limit }) };
    },
    'runs.snapshot': ({ runId }) => {
      requireSession(stores, runId);
      return stores.runState.projectSnapshot(runId);
    },
  };
}

function createWorkflow(
  engine: Engine,
  { requestId, name, code }: CallArguments<'workflows.create'>,
): CallOutput<'workflows.create'> {
  const { stores } = engine.context;
  const id = workflowId(requestId);
  const known = stores.workflows.get(id);
  if (known) {
    const wanted = code === undefined ? null : scriptId(id, sha256Hex(code));
    if (known.name === name && known.scriptId === wanted) return toWorkflowView(engine, known);
    throw new ApiError({
      type: 'conflict',
      message: `This requestId already created the workflow "${known.name}" with another name or script. That workflow is unchanged and no other was created. Use a new requestId.`,
    });
  }
  const script = code === undefined ? undefined : stores.scripts.ensure(id, code);
  const workflow = stores.workflows.create(id, { name, scriptId: script?.id ?? null });
  return toWorkflowView(engine, workflow);
}

async function startRun(
  stores: Stores,
  request: CallArguments<'runs.start'>,
): Promise<CallOutput<'runs.start'>> {
  if (request.lane === 'main') {
    throw new ApiError({
      type: 'conflict',
      message:
        'Only the engine starts sessions in the main lane. Nothing was started. Start an input with "inputs.start", or use the draft lane.',
    });
  }
  const result = await stores.runContexts.createRunContext(request);
  switch (result.type) {
    case 'started':
      return { run: toRunView(stores, result.run), created: result.created };
    case 'not_found':
      throw new ApiError(result);
    case 'active_run_exists':
      throw new ApiError({
        type: 'conflict',
        message: result.message,
        problems: result.activeRunId === null ? [] : [`active run: ${result.activeRunId}`],
      });
    case 'version_conflict':
      throw new ApiError({ type: 'conflict', message: result.message });
    default:
      return unreachable(result);
  }
}

function finishRun(stores: Stores, end: CallArguments<'runs.finish'>): CallOutput<'runs.finish'> {
  assertNotEngines(requireSession(stores, end.runId));
  const result = stores.runContexts.finishRun(end);
  switch (result.type) {
    case 'finished':
      return { run: toRunView(stores, result.run), duplicate: result.duplicate };
    case 'not_found':
      throw new ApiError(result);
    case 'rejected':
      throw new ApiError({ type: 'illegal_transition', message: result.message });
    default:
      return unreachable(result);
  }
}

/** Refuses a log entry whose space, workflow or lane is not that of its run. */
function assertBelongsToRun(event: RunEventWrite, run: ScriptRun, spaceId: string): void {
  const problems = [
    ['tenantId', event.tenantId, spaceId],
    ['projectId', event.projectId, run.workflowId],
    ['environmentId', event.environmentId, run.lane],
  ].flatMap(([field, is, should]) => (is === should ? [] : [`${field}: should be "${should}"`]));
  if (problems.length === 0) return;
  throw new ApiError({
    type: 'invalid_input',
    message: `The event doesn't match its run: ${problems.join('; ')}. Nothing was written.`,
    problems,
  });
}

/** The engine ends its own sessions and writes their logs; another writer would make them untrue. */
function assertNotEngines({ lane }: ScriptRun): void {
  if (lane !== 'main') return;
  throw new ApiError({
    type: 'conflict',
    message:
      'The engine runs this session: only it ends the session and writes its log. Nothing was changed. To stop the workflow, pause it.',
  });
}

/** The append authority of a session is the device that started it. */
function assertOurs(session: ScriptRun, deviceId: string): void {
  if (session.deviceId === deviceId) return;
  throw new ApiError({
    type: 'conflict',
    message:
      'Another device started this session, and only that device writes its log. Nothing was written. Append the event there.',
  });
}

/** An event that is in the log already is answered like the first time. */
function assertNotAfterEnd(
  stores: Stores,
  { runId, eventType, idempotencyKey }: RunEventWrite,
): void {
  if (!isLifecycleEvent(eventType) || stores.runState.has(runId, idempotencyKey)) return;
  const end = stores.runState.endOf(runId);
  if (end === undefined) return;
  throw new ApiError({
    type: 'illegal_transition',
    message: `The log of this session already ends with "${end}", so it can't take "${eventType}". Nothing was written. Start a new session.`,
  });
}

function requireSession(stores: Stores, id: string): ScriptRun {
  const run = stores.scriptRuns.get(id);
  if (run) return run;
  throw notFound('session', id);
}
