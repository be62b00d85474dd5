// Resolves the topic for an input of a workflow.
import { notFound } from '#main/api/not-found.ts';
import type { Engine } from '#main/engine/engine.ts';
import { ApiError } from '#shared/api/errors.ts';
import { handlerConfigSchema } from '#shared/authoring/handler-config.ts';
import { entryTopic } from '#shared/inputs/entry-topic.ts';

/** Throws `ApiError` if the workflow cannot take an input. */
export function requireTopic(
  engine: Engine,
  workflowId: string,
  wanted: string | undefined,
): string {
  const workflow = engine.context.stores.workflows.get(workflowId);
  if (!workflow) {
    throw notFound('workflow', workflowId);
  }
  const config = handlerConfigSchema.safeParse(workflow.handlerConfig);
  if (!config.success) {
    throw new ApiError({
      type: 'conflict',
      message: `"${workflow.name}" has no valid version. Nothing was changed. Add its file first.`,
    });
  }
  const entry = entryTopic(config.data, wanted);
  if (entry.ok) return entry.topic;
  throw new ApiError({ type: 'invalid_input', message: entry.message });
}
