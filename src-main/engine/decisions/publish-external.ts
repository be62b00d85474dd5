// Publishes an event from outside of any run: the API, the CLI or a webhook.
import type { EngineContext } from '#main/engine/engine-context.ts';
import type { PublishResult } from '#main/store/tables/events.ts';
import type { Json } from '#shared/json.ts';

export interface EventToPublish {
  readonly workflowId: string;
  readonly topic: string;
  readonly messageId: string;
  readonly title: string;
  readonly payload: Json;
}

export type EventPublished =
  | PublishResult
  | { readonly type: 'no_workflow' }
  | { readonly type: 'no_topic'; readonly message: string };

/** Joins the next group commit, because many callers may publish at once. */
export async function publishEvent(
  context: EngineContext,
  event: EventToPublish,
): Promise<EventPublished> {
  const createdAt = context.store.clock.now();
  return context.commits.commit(() => publish(context, event, createdAt));
}

function publish(
  { stores, scripts }: EngineContext,
  event: EventToPublish,
  createdAt: number,
): EventPublished {
  const workflow = stores.workflows.runStatus(event.workflowId);
  if (!workflow) return { type: 'no_workflow' };
  const config = workflow.scriptId === null ? undefined : scripts.get(workflow.scriptId)?.config;
  if (!config?.topics.includes(event.topic)) {
    const known = config?.topics.join(', ') || 'none';
    const message = `This workflow has no topic "${event.topic}". Nothing was published. Topics: ${known}.`;
    return { type: 'no_topic', message };
  }
  const topic = stores.topics.ensure(event.workflowId, event.topic);
  return stores.events.publish({ ...event, topic, createdAt });
}
