// `giveUpAfter`, the author's limit of a wait for the outside: from when it counts, and what happens to
// the work when it is exceeded.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { FailureRecord } from '#main/engine/runs/failure-record.ts';
import { NO_WAKE } from '#main/store/tables/consumer-wakes.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { WaitsFor } from '#main/tools/tool.ts';
import { parseDuration } from '#shared/authoring/duration.ts';
import { topicId } from '#shared/ids.ts';
import { waitedMs, waitingAfter, type OutsideWaiting } from '#shared/outside/outside-waiting.ts';

export interface Patience {
  /** The wait of the handler, this failure included. */
  readonly waiting: OutsideWaiting;
  /** As the author wrote it. */
  readonly limit?: string;
  readonly isOver: boolean;
  /** The events that have waited for too long. */
  readonly overdue: readonly string[];
  /** When to look again. */
  readonly giveUpAt: number;
}

/** `suspects`: the events of a run that has not reserved any. Call before its events are released. */
export function patienceOf(
  context: EngineContext,
  run: HandlerRun,
  suspects: readonly string[],
  last: FailureRecord | null,
  waitsFor: WaitsFor | undefined,
): Patience {
  const now = context.store.clock.now();
  const waiting = waitingAfter(last?.waiting ?? null, now);
  const limit = limitOf(context, run);
  if (limit === undefined) return { waiting, isOver: false, overdue: [], giveUpAt: Infinity };
  const limitMs = parseDuration(limit);
  if (run.handlerType === 'producer') {
    const giveUpAt = waiting.since + limitMs;
    return { waiting, limit, isOver: giveUpAt <= now, overdue: [], giveUpAt };
  }
  // An event that waited behind another one has been waiting for the same host.
  const downSince = waitsFor ? context.hosts.downSince(waitsFor.host) : null;
  const since = Math.min(waiting.since, downSince ?? Infinity);
  const work = workOf(context, run, suspects).map((event) => ({
    id: event.id,
    leftMs: limitMs - waitedMs(since, event.createdAt, now),
  }));
  const overdue = work.filter(({ leftMs }) => leftMs <= 0).map(({ id }) => id);
  const leftMs = work.length > 0 ? work.map((one) => one.leftMs) : [limitMs - (now - since)];
  const giveUpAt = now + Math.min(...leftMs);
  return { waiting, limit, isOver: giveUpAt <= now, overdue, giveUpAt };
}

/** Makes the rest of the work due at once. Call after the run has ended. */
export function setAsideOverdue(
  { stores }: EngineContext,
  run: HandlerRun,
  { overdue }: Patience,
  error: string,
): void {
  const { events, consumerWakes } = stores;
  for (const id of overdue) events.move(id, { type: 'skip', reason: 'set_aside', error });
  const { workflowId, handlerName } = run;
  if (run.handlerType === 'producer') return consumerWakes.clear(workflowId, handlerName);
  // Without an event, the consumer was awake because it had asked for this time.
  const { wakeAt } = overdue.length > 0 ? consumerWakes.get(workflowId, handlerName) : NO_WAKE;
  consumerWakes.set(workflowId, handlerName, { ...NO_WAKE, wakeAt });
}

function workOf(
  { stores, scripts }: EngineContext,
  run: HandlerRun,
  suspects: readonly string[],
): readonly { readonly id: string; readonly createdAt: number }[] {
  const { events } = stores;
  const reserved = events.reservedBy(run.id);
  if (reserved.length > 0) return reserved;
  if (suspects.length > 0) return suspects.flatMap((id) => events.get(id) ?? []);
  // It failed before it looked at its events. It was started for the oldest.
  const { scriptId } = stores.workflows.runStatus(run.workflowId) ?? {};
  const config = scriptId ? scripts.get(scriptId)?.config : undefined;
  const { subscribes = [] } = config?.consumers[run.handlerName] ?? {};
  const oldest = subscribes
    .flatMap((topic) => events.peek(topicId(run.workflowId, topic), 1))
    .toSorted((a, b) => a.createdAt - b.createdAt);
  return oldest.slice(0, 1);
}

function limitOf({ stores, scripts }: EngineContext, run: HandlerRun): string | undefined {
  const { scriptId } = stores.workflows.runStatus(run.workflowId) ?? {};
  const config = scriptId ? scripts.get(scriptId)?.config : undefined;
  const handlers = run.handlerType === 'producer' ? config?.producers : config?.consumers;
  return handlers?.[run.handlerName]?.giveUpAfter;
}
