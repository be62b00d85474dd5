// Handlers of inputs and their outbox.
import { notFound } from '#main/api/not-found.ts';
import type { Handlers } from '#main/api/dispatch.ts';
import { createHookHandlers } from '#main/api/handlers/hook-handlers.ts';
import { requireTopic } from '#main/api/handlers/input-topic.ts';
import { toInputDetail, toInputView } from '#main/api/views/input-views.ts';
import { ifReadable, shownRows } from '#main/api/views/shown-rows.ts';
import { submitIntent } from '#main/api/handlers/ownership-handlers.ts';
import type { Engine } from '#main/engine/engine.ts';
import type { InputsParts } from '#main/inputs/inputs.ts';
import { startManually } from '#main/inputs/start-manually.ts';
import type { AutomationRun } from '#main/store/tables/automation-runs.ts';
import type { OutboxRow } from '#main/store/tables/outbox.ts';
import type { Input } from '#main/store/tables/trigger-events.ts';
import type { CallArguments, CallOutput } from '#shared/api/contract.ts';
import { ApiError } from '#shared/api/errors.ts';
import type {
  inputContract,
  InputView,
  OutboxRowView,
  RawPayloadsView,
} from '#shared/api/inputs.ts';
import { MAX_PAYLOAD_BYTES } from '#shared/limits.ts';

export function createInputHandlers(
  engine: Engine,
  parts: InputsParts,
): Pick<Handlers, keyof typeof inputContract> {
  const { stores } = engine.context;
  return {
    ...createHookHandlers(engine, parts),
    'inputs.list': (filter) => {
      const { runs, next } = stores.automationRuns.list(filter);
      return { inputs: shownRows(engine, runs, (run) => viewOf(engine, run) ?? []), next };
    },
    'inputs.get': ({ inputId }) => {
      const { input, run } = requireInput(engine, inputId);
      return toInputDetail(engine, parts.artifacts, input, run);
    },
    'inputs.raw': ({ inputId }) => parts.rawPayloads.open(requireInput(engine, inputId).input.id),
    'rawPayloads.get': () => rawPayloadsView(engine),
    'rawPayloads.choose': async ({ days }) => {
      await parts.rawPayloads.choose(days);
      return rawPayloadsView(engine);
    },
    'inputs.start': async (request) => {
      await parts.rawPayloads.ready();
      return start(engine, parts, request);
    },
    'inputs.skip': ({ inputId, as, reason }) => {
      const { input } = requireInput(engine, inputId);
      const intent = { kind: 'stop_input', inputId: input.id, as, reason } as const;
      return toWaiting(submitIntent(engine, input.workflowId, intent, 'illegal_transition'));
    },
    'inputs.settle': ({ inputId, as, reason }) => {
      const { input } = requireInput(engine, inputId);
      const intent = { kind: 'settle_input', inputId: input.id, as, reason } as const;
      return toWaiting(submitIntent(engine, input.workflowId, intent, 'illegal_transition'));
    },
    'outbox.list': (page) => {
      const { rows, next } = stores.outbox.list(page);
      return { rows: shownRows(engine, rows, (row) => toOutboxView(engine, row)), next };
    },
    'outbox.replay': ({ rowId }) => replay(engine, parts, rowId),
  };
}

function rawPayloadsView(engine: Engine): RawPayloadsView {
  const { rawPayloads } = engine.context.stores;
  return { days: rawPayloads.days, ...rawPayloads.total() };
}

function start(
  engine: Engine,
  parts: InputsParts,
  request: CallArguments<'inputs.start'>,
): CallOutput<'inputs.start'> {
  const { stores, store, inputs } = engine.context;
  const topic = requireTopic(engine, request.workflowId, request.topic);
  const { requestId, workflowId, payload } = request;
  if (Buffer.byteLength(JSON.stringify(payload)) > MAX_PAYLOAD_BYTES) {
    throw new ApiError({
      type: 'too_large',
      message: `The payload is larger than ${MAX_PAYLOAD_BYTES} bytes. Nothing was started. Put large content in a file and send its path.`,
    });
  }
  const title = request.title ?? 'Manual';
  const byHand = { requestId, workflowId, topic, title, payload };
  const { runId, isNew } = store.db.writeDurably(() => startManually(inputs, parts.masker, byHand));
  const run = stores.automationRuns.get(runId);
  if (!run) {
    throw new ApiError({
      type: 'conflict',
      message:
        'An input with this request id has ended and is archived. Nothing was started. Use a new request id.',
    });
  }
  return { input: viewOf(engine, run) as InputView, created: isNew };
}

function replay(engine: Engine, parts: InputsParts, rowId: number): OutboxRowView {
  const { outbox } = engine.context.stores;
  const row = outbox.get(rowId);
  if (!row) throw notFound('outbox row', String(rowId));
  if (!outbox.replay(rowId)) {
    throw new ApiError({
      type: 'illegal_transition',
      message: `This outbox row is "${row.status}"; only a dead row can be retried. Nothing was changed.`,
    });
  }
  parts.pipeline.wake();
  return toOutboxView(engine, outbox.get(rowId) as OutboxRow);
}

/** Accepts the id of the input or of its run. */
export function requireInput(engine: Engine, id: string): { input: Input; run: AutomationRun } {
  const { stores } = engine.context;
  const inputId = stores.automationRuns.get(id)?.inputId ?? id;
  const input = stores.triggerEvents.get(inputId);
  const run = stores.automationRuns.ofInput(inputId);
  if (input && run) return { input, run };
  throw notFound('input', id);
}

function viewOf(engine: Engine, run: AutomationRun): InputView | undefined {
  const input = engine.context.stores.triggerEvents.get(run.inputId);
  return input && toInputView(engine, input, run);
}

function toOutboxView(engine: Engine, row: OutboxRow): OutboxRowView {
  const { stores } = engine.context;
  const run = ifReadable(() => stores.automationRuns.get(row.runId), undefined);
  const inputId = run?.inputId ?? row.runId;
  const input = ifReadable(() => stores.triggerEvents.get(inputId), undefined);
  return { ...row, inputId, title: input?.title ?? '' };
}

function toWaiting(isWaiting: boolean): { waiting?: true } {
  return isWaiting ? { waiting: true } : {};
}
