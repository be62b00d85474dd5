// The output of a handler, written with the commit of its run: published events and state.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { RunnableScript } from '#main/engine/runs/script-cache.ts';
import { inputsOfEvents } from '#main/store/tables/event-row.ts';
import type { TopicEvent } from '#main/store/tables/events.ts';
import type { HandlerRun } from '#main/store/tables/handler-runs.ts';
import type { Published } from '#shared/authoring/published.ts';
import type { Json } from '#shared/json.ts';
import { MAX_CHAIN_DEPTH } from '#shared/limits.ts';

/** Null, or why nothing may be published. Call inside the write that commits the run. */
export function publishAll(
  { stores }: EngineContext,
  run: HandlerRun,
  { topicIds }: RunnableScript,
  published: readonly Published[],
  /** The events that the run reserved. */
  causes: readonly TopicEvent[],
  /** The input that a producer's own events belong to. */
  input?: string,
): string | null {
  if (published.length === 0) return null;
  const depth = 1 + Math.max(0, ...causes.map((event) => event.depth));
  if (depth > MAX_CHAIN_DEPTH) {
    return `These events would be number ${depth} in a chain of runs that start each other; the limit is ${MAX_CHAIN_DEPTH}. Nothing was published.`;
  }
  const [first = input, ...others] = inputsOfEvents(causes);
  for (const { topic, id, title, payload, input: named } of published) {
    const topicId = topicIds.get(topic);
    if (topicId === undefined)
      return `This version has no topic "${topic}". Nothing was published.`;
    const result = stores.events.publish({
      // The lane created the topics of this version when it installed it.
      topic: { id: topicId, workflowId: run.workflowId },
      messageId: id,
      title,
      payload,
      createdByRunId: run.id,
      depth,
      ...(named === undefined ? { causedBy: first, alsoCausedBy: others } : { causedBy: named }),
    });
    if (result.type === 'payload_too_large') return result.message;
  }
  return null;
}

/** Saves the state that a handler returned, if it changed. Null, or why it can't be saved. */
export function saveState({ stores }: EngineContext, run: HandlerRun, state: Json): string | null {
  if (JSON.stringify(state) === JSON.stringify(run.inputState)) return null;
  const saved = stores.handlerState.set(run.workflowId, run.handlerName, state, run.id);
  return saved.type === 'saved' ? null : saved.message;
}
