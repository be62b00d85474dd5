// A schedule as its author wrote it.
import { scheduleSchema } from '#shared/authoring/handler-config.ts';
import type { Json } from '#shared/json.ts';
import { text } from '#renderer/text.ts';

/** Empty where it is not one that this version knows. */
export function scheduleWords(schedule: Json): string {
  const { data } = scheduleSchema.safeParse(schedule);
  if (data === undefined) return '';
  return 'every' in data
    ? text.workflows.every(data.every)
    : text.workflows.cron(data.cron, data.timezone);
}
