// Handlers of the inbox. Items are derived from runs, events, workflows and incidents; the inbox has
// no table.
import { notFound } from '#main/api/not-found.ts';
import { toMutationView, toResolutionView } from '#main/api/views/handler-run-views.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import { needOfRun } from '#main/api/views/run-needs.ts';
import { waitOfRun, waitOfWorkflow } from '#main/api/views/wait-view.ts';
import { toIncidentItem } from '#main/api/views/incident-view.ts';
import { submitIntent } from '#main/api/handlers/ownership-handlers.ts';
import { canCheck } from '#main/engine/runs/effect-call.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import { takeAnswer } from '#main/tools/ask.ts';
import type { CallArguments, CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import { PAUSED_WITH_ALL } from '#shared/api/desktop.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { resolutionId } from '#shared/ids.ts';

type InboxHandlers = Pick<
  Handlers,
  'inbox.list' | 'inbox.resolve' | 'inbox.withdraw' | 'inbox.answer'
>;

export function createInboxHandlers(engine: Engine): InboxHandlers {
  return {
    'inbox.list': () => ({ items: listItems(engine) }),
    'inbox.resolve': (decision) => resolve(engine, decision),
    'inbox.withdraw': ({ resolutionId: id }) => withdraw(engine, id),
    'inbox.answer': (request) => answer(engine, request),
  };
}

function answer(
  engine: Engine,
  request: CallArguments<'inbox.answer'>,
): CallOutput<'inbox.answer'> {
  const { mutations } = engine.context.stores;
  const mutation = mutations.get(request.mutationId);
  const call = mutation?.call;
  if (!mutation || call?.toolNamespace !== 'ask') {
    throw notFound('question', request.mutationId);
  }
  const taken = takeAnswer(call.params, request.answer);
  if (!taken.ok) throw new ApiError({ type: 'invalid_input', message: taken.message });
  const intent = { kind: 'answer', mutationId: mutation.id, answer: taken.result } as const;
  const isWaiting = submitIntent(engine, mutation.workflowId, intent, 'conflict');
  return isWaiting ? { waiting: true } : {};
}

function withdraw(engine: Engine, id: string): CallOutput<'inbox.withdraw'> {
  const row = engine.context.stores.resolutions.get(id);
  if (!row) {
    throw notFound('decision', id);
  }
  const intent = { kind: 'withdraw', resolutionId: id } as const;
  return submitIntent(engine, row.workflowId, intent, 'conflict') ? { waiting: true } : {};
}

function listItems(engine: Engine): InboxItem[] {
  const { stores } = engine.context;
  const items = [
    ...stores.handlerRuns.open().flatMap((run) => itemsOfRun(engine, run)),
    ...setAsideEvents(engine),
    ...stoppedWorkflows(engine),
    ...leftBehind(engine),
    ...stores.incidents.open().map((incident) => ({
      ...aboutWorkflow(engine, incident.workflowId),
      ...toIncidentItem(engine, incident),
    })),
  ];
  return items.toSorted((a, b) => a.at - b.at);
}

function itemsOfRun(engine: Engine, run: HandlerRun): InboxItem[] {
  const { stores } = engine.context;
  const need = needOfRun(stores, run);
  if (need === null) return [];
  const mutation = stores.mutations.ofRun(run.id);
  const about = {
    ...aboutWorkflow(engine, run.workflowId),
    handlerRunId: run.id,
    at: mutation?.updatedAt ?? Date.parse(run.startTimestamp),
  };
  if (need === 'unknown_effect' && mutation) {
    const { title } = ((run.prepareResult ?? {}) as { ui?: { title?: string } }).ui ?? {};
    return [
      {
        type: 'unknown_effect',
        ...about,
        handlerName: run.handlerName,
        title: title ?? null,
        deviceId: mutation.deviceId,
        mutation: toMutationView(engine, mutation),
        wait: waitOfRun(engine, run.id),
      },
    ];
  }
  if (need === 'question' && mutation) {
    const params = mutation.call?.params as {
      question?: string;
      details?: string;
      choices?: string[];
    };
    return [
      {
        type: 'question',
        ...about,
        mutationId: mutation.id,
        question: params.question ?? '',
        details: params.details ?? null,
        choices: params.choices ?? [],
        wait: waitOfRun(engine, run.id),
      },
    ];
  }
  const { error = '' } = run.state as { error?: string };
  return [{ type: 'approval', ...about, error, wait: waitOfRun(engine, run.id) }];
}

function setAsideEvents(engine: Engine): InboxItem[] {
  const { stores } = engine.context;
  return stores.events.setAside().map((event) => ({
    type: 'set_aside',
    ...aboutWorkflow(engine, event.workflowId),
    at: event.updatedAt,
    eventId: event.id,
    topic: stores.topics.get(event.topicId)?.name ?? event.topicId,
    title: event.title,
  }));
}

/** Workflows that Holdfast paused, with its reason. A person's own pause is not listed. */
function stoppedWorkflows(engine: Engine): InboxItem[] {
  const { stores } = engine.context;
  return stores.workflows.paused().flatMap((workflow) =>
    workflow.statusReason === null || ['', PAUSED_WITH_ALL].includes(workflow.statusReason)
      ? []
      : [
          {
            type: 'stopped' as const,
            ...aboutWorkflow(engine, workflow.id),
            at: workflow.updatedAt,
            reason: workflow.statusReason,
            wait: waitOfWorkflow(engine, workflow.id),
          },
        ],
  );
}

function leftBehind(engine: Engine): InboxItem[] {
  const { workflows } = engine.context.stores;
  return workflows.ids().flatMap((id) => {
    const { scriptId = null, updatedAt = 0 } = workflows.get(id) ?? {};
    if (scriptId === null) return [];
    return engine.commands.leftBehindBy(id, scriptId).map((left) => ({
      type: 'left_behind' as const,
      ...aboutWorkflow(engine, id),
      at: updatedAt,
      left,
    }));
  });
}

function aboutWorkflow(
  engine: Engine,
  workflowId: string,
): { workflowId: string; workflowName: string } {
  const workflow = engine.context.stores.workflows.get(workflowId);
  return { workflowId, workflowName: workflow?.name ?? workflowId };
}

function resolve(
  engine: Engine,
  decision: CallArguments<'inbox.resolve'>,
): CallOutput<'inbox.resolve'> {
  const { stores } = engine.context;
  const mutation = stores.mutations.get(decision.mutationId);
  if (!mutation) {
    throw notFound('effect', decision.mutationId);
  }
  const isBlindResend =
    decision.resolution === 'user_retry' && !canCheck(engine.context, decision.mutationId);
  if (isBlindResend && !decision.confirmed) {
    throw new ApiError({
      type: 'conflict',
      message:
        'There is no automatic check for this effect. Sending it again may make it happen twice. Nothing was sent. Confirm to send it again.',
    });
  }
  const row = engine.decisions.settle(resolutionId(decision.requestId), {
    mutationId: decision.mutationId,
    workflowId: mutation.workflowId,
    resolution: decision.resolution,
    result: decision.result,
    note: decision.note,
    isConfirmed: decision.confirmed,
    graceMs: decision.graceMs,
  });
  return toResolutionView(row);
}
