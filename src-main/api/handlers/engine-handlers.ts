// Handlers of workflows, events, runs and secrets.
import { notFound } from '#main/api/not-found.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import {
  toEventView,
  toHandlerRunDetail,
  toHandlerRunView,
} from '#main/api/views/handler-run-views.ts';
import { shownRows } from '#main/api/views/shown-rows.ts';
import { submitIntent } from '#main/api/handlers/ownership-handlers.ts';
import { requireWorkflow } from '#main/api/views/workflow-views.ts';
import type { WorkflowLibrary } from '#main/authoring/library.ts';
import type { Engine } from '#main/engine/engine.ts';
import { isHeldByRestore } from '#main/engine/ownership/after-restore.ts';
import type { Sample } from '#main/practice/sample.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { CallArguments, CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { handlerRunContract } from '#shared/api/handler-runs.ts';
import type { workflowActsContract } from '#shared/api/workflow-acts.ts';
import { intentId } from '#shared/ids.ts';

type EngineHandlers = Pick<
  Handlers,
  keyof typeof handlerRunContract | keyof typeof workflowActsContract
>;

export function createEngineHandlers(
  engine: Engine,
  library: WorkflowLibrary,
  secrets: SecretStore,
  sample: Sample,
): EngineHandlers {
  const { stores } = engine.context;
  return {
    'handlerRuns.list': (filter) => {
      const { runs, next } = stores.handlerRuns.list(filter);
      return { runs: shownRows(engine, runs, (run) => toHandlerRunView(stores, run)), next };
    },
    'handlerRuns.get': ({ handlerRunId }) =>
      toHandlerRunDetail(engine, requireHandlerRun(engine, handlerRunId)),
    'handlerRuns.cancel': ({ handlerRunId }) => cancel(engine, handlerRunId),

    'workflows.add': ({ path, link }) => library.add(path, link),
    'practice.begin': () => sample.begin(),
    'practice.look': async ({ effectId }) => ({ done: await sample.effectsWithKey(effectId) }),
    'workflows.validate': ({ source, fileName }) => library.validate(source, fileName),
    'workflows.activate': ({ workflowId, leaveBehind }) => {
      requireWorkflow(stores, workflowId);
      return library.activate(workflowId, leaveBehind);
    },
    'workflows.skipLeftBehind': ({ workflowId, topic }) => {
      requireWorkflow(stores, workflowId);
      const intent = { kind: 'skip_left_behind', topic } as const;
      return toWaiting(submitIntent(engine, workflowId, intent, 'conflict'));
    },
    'workflows.pause': ({ workflowId, reason }) => {
      requireWorkflow(stores, workflowId);
      return toWaiting(
        submitIntent(engine, workflowId, { kind: 'pause', reason: reason ?? '' }, 'conflict'),
      );
    },
    'workflows.resume': ({ workflowId }) => {
      requireWorkflow(stores, workflowId);
      if (isHeldByRestore(engine.context, workflowId)) throw heldByRestore();
      return toWaiting(submitIntent(engine, workflowId, { kind: 'resume' }, 'conflict'));
    },
    'workflows.runNow': ({ workflowId, producer, requestId }) => {
      requireWorkflow(stores, workflowId);
      requireProducer(engine, workflowId, producer);
      const intent = { kind: 'run_now', producer, requestId } as const;
      const id = intentId(requestId);
      return toWaiting(
        submitIntent(engine, workflowId, intent, 'conflict', id) &&
          !engine.ownership.owns(workflowId),
      );
    },
    'workflows.grant': ({ workflowId, tool, scope }) => {
      requireWorkflow(stores, workflowId);
      library.grant(workflowId, tool, scope);
      return {};
    },
    'events.publish': async (event) => {
      const published = await engine.publish(event);
      switch (published.type) {
        case 'no_workflow':
          throw notFound('workflow', event.workflowId);
        case 'no_topic':
          throw new ApiError({ type: 'not_found', message: published.message });
        case 'payload_too_large':
          throw new ApiError({ type: 'too_large', message: published.message });
        default:
          return { eventId: published.eventId, outcome: published.type };
      }
    },
    'events.rerun': (request) => rerun(engine, request),
    'secrets.names': async () => ({ names: await secrets.names() }),
    'secrets.set': async ({ name, value }) => {
      await secrets.set(name, value);
      return {};
    },
  };
}

function heldByRestore(): ApiError {
  return new ApiError({
    type: 'conflict',
    message:
      'The data of this workflow is from a backup or an older copy. Work that waits in it may have been done since, and resuming would do it again. Nothing was changed. Choose what happens to that work: under Settings, Backups, or with "holdfast restored".',
  });
}

/** The field is present only if the request waits for the owner. */
function toWaiting(isWaiting: boolean): { waiting?: true } {
  return isWaiting ? { waiting: true } : {};
}

function requireProducer(engine: Engine, workflowId: string, producer: string): void {
  const workflow = engine.context.stores.workflows.get(workflowId);
  const { producers = {} } = (workflow?.handlerConfig ?? {}) as { producers?: object };
  if (Object.hasOwn(producers, producer)) return;
  const known = Object.keys(producers).join(', ') || 'none';
  throw new ApiError({
    type: 'not_found',
    message: `"${workflow?.name ?? workflowId}" has no producer "${producer}". Nothing was run. Producers: ${known}.`,
  });
}

function rerun(engine: Engine, request: CallArguments<'events.rerun'>): CallOutput<'events.rerun'> {
  const { stores } = engine.context;
  const event = stores.events.get(request.eventId);
  if (!event) throw notFound('event', request.eventId);
  const { eventId, payload } = request;
  const intent = { kind: 'rerun', eventId, ...(payload === undefined ? {} : { payload }) } as const;
  submitIntent(engine, event.workflowId, intent, 'illegal_transition');
  return toEventView(stores, stores.events.get(request.eventId) ?? event);
}

function cancel(engine: Engine, handlerRunId: string): CallOutput<'handlerRuns.cancel'> {
  const run = requireHandlerRun(engine, handlerRunId);
  const intent = { kind: 'cancel', handlerRunId } as const;
  if (submitIntent(engine, run.workflowId, intent, 'illegal_transition')) {
    return { outcome: 'waiting' };
  }
  const after = engine.context.stores.handlerRuns.get(handlerRunId);
  return { outcome: after?.state.phase === 'failed' ? 'canceled' : 'canceling' };
}

function requireHandlerRun(engine: Engine, id: string): HandlerRun {
  const run = engine.context.stores.handlerRuns.get(id);
  if (run) return run;
  throw notFound('run', id);
}
