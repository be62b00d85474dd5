// Handlers of the inbox. Items are derived from runs, events, workflows and incidents; the inbox has
// no table.
import { nameOf, shownRows } from '#main/api/views/shown-rows.ts';
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
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { Workflow } from '#main/store/tables/workflows.ts';
import { takeAnswer } from '#main/tools/ask.ts';
import type { CallArguments, CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import { PAUSED_WITH_ALL } from '#shared/api/desktop.ts';
import type { InboxItem } from '#shared/api/inbox.ts';
import { z } from 'zod';
import { MAX_REFUSED_SHOWN } from '#shared/limits.ts';
import { describeRefused, holdsWorkflow } from '#shared/refused-rows.ts';
import { resolutionId, sha256Hex } from '#shared/ids.ts';

type InboxHandlers = Pick<
  Handlers,
  'inbox.list' | 'inbox.resolve' | 'inbox.withdraw' | 'inbox.answer' | 'inbox.acknowledge'
>;

export function createInboxHandlers(engine: Engine): InboxHandlers {
  return {
    'inbox.list': () => ({ items: listItems(engine) }),
    'inbox.resolve': (decision) => resolve(engine, decision),
    'inbox.withdraw': ({ resolutionId: id }) => withdraw(engine, id),
    'inbox.answer': (request) => answer(engine, request),
    'inbox.acknowledge': ({ refusedId }) => acknowledge(engine, refusedId),
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
    ...shownRows(engine, stores.handlerRuns.open(), (run) => itemsOfRun(engine, run)),
    ...shownRows(engine, stores.events.setAside(), (event) => [setAsideItem(engine, event)]),
    ...shownRows(engine, stores.workflows.paused(), (workflow) => stoppedItems(engine, workflow)),
    ...shownRows(engine, stores.workflows.ids(), (id) => leftBehindItems(engine, id)),
    ...shownRows(engine, stores.incidents.open(), (incident) => [
      { ...aboutWorkflow(engine, incident.workflowId), ...toIncidentItem(engine, incident) },
    ]),
    ...refusedItems(engine),
  ];
  return items.toSorted((a, b) => a.at - b.at);
}

function acknowledge(engine: Engine, refusedId: string): CallOutput<'inbox.acknowledge'> {
  const { refusedRows } = engine.context.stores;
  const row = refusedRows.list().find((one) => shownId(one.id) === refusedId);
  if (!row) throw notFound('unreadable row', refusedId);
  if (row.workflowId !== null && holdsWorkflow(row.table)) {
    throw new ApiError({
      type: 'conflict',
      message: `This row holds its workflow, so it stays in the inbox until it can be read. Nothing was changed. Update Holdfast on all devices.`,
    });
  }
  refusedRows.acknowledge(row.id);
  return {};
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
    const params = questionSchema.parse(mutation.call?.params);
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

/** A peer may have written anything. */
const questionSchema = z.looseObject({
  question: z.string().nullish(),
  details: z.string().nullish(),
  choices: z.array(z.string()).nullish(),
});

function setAsideItem(engine: Engine, event: TopicEvent): InboxItem {
  return {
    type: 'set_aside',
    ...aboutWorkflow(engine, event.workflowId),
    at: event.updatedAt,
    eventId: event.id,
    topic: engine.context.stores.topics.get(event.topicId)?.name ?? event.topicId,
    title: event.title,
    error: 'error' in event.state ? (event.state.error ?? null) : null,
  };
}

/** A workflow that Holdfast paused, with its reason. A person's own pause is not listed. */
function stoppedItems(engine: Engine, workflow: Workflow): InboxItem[] {
  if (workflow.statusReason === null) return [];
  if (['', PAUSED_WITH_ALL].includes(workflow.statusReason)) return [];
  return [
    {
      type: 'stopped',
      ...aboutWorkflow(engine, workflow.id),
      at: workflow.updatedAt,
      reason: workflow.statusReason,
      wait: waitOfWorkflow(engine, workflow.id),
    },
  ];
}

function leftBehindItems(engine: Engine, id: string): InboxItem[] {
  const { scriptId = null, updatedAt = 0 } = engine.context.stores.workflows.get(id) ?? {};
  if (scriptId === null) return [];
  return engine.commands.leftBehindBy(id, scriptId).map((left) => ({
    type: 'left_behind',
    ...aboutWorkflow(engine, id),
    at: updatedAt,
    left,
  }));
}

/** Without the key of the row, in which a peer may have written anything. */
const shownId = (id: string): string => sha256Hex(id).slice(0, 32);

function refusedItems(engine: Engine): InboxItem[] {
  const { refusedRows } = engine.context.stores;
  return refusedRows.unacknowledged(MAX_REFUSED_SHOWN).map((row) => {
    const { id, table, workflowId, deviceId, reason } = row;
    const hasWorkflow = workflowId !== null;
    return {
      type: 'refused_row',
      workflowId,
      workflowName: hasWorkflow ? nameOf(engine.context.stores, workflowId) : 'This device',
      at: row.firstAt,
      refusedId: shownId(id),
      deviceId,
      ...describeRefused({ table, reason, isFromPeer: deviceId !== null, hasWorkflow }),
      isHeld: hasWorkflow && holdsWorkflow(table),
    };
  });
}

function aboutWorkflow(
  engine: Engine,
  workflowId: string,
): { workflowId: string; workflowName: string } {
  return { workflowId, workflowName: nameOf(engine.context.stores, workflowId) };
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
