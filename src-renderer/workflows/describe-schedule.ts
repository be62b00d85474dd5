import cronstrue from 'cronstrue';
import { scheduleSchema } from '#shared/authoring/handler-config.ts';
import type { Json } from '#shared/json.ts';
import { text } from '#renderer/text/text.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';

export interface ScheduleDescription {
  readonly text: string;
  /** As the author wrote it. */
  readonly source: string;
}

/** Null if this version doesn't know the schedule. */
export function describeSchedule(schedule: Json): ScheduleDescription | null {
  const { data } = scheduleSchema.safeParse(schedule);
  if (data === undefined) return null;
  if ('every' in data) {
    return { text: describeInterval(data.every), source: text.workflows.every(data.every) };
  }
  const cronText = describeCron(data.cron);
  return {
    text:
      data.timezone === undefined
        ? cronText
        : workflowText.schedule.inZone(cronText, data.timezone),
    source: text.workflows.cron(data.cron, data.timezone),
  };
}

const UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

function describeInterval(every: string): string {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(every.trim()) ?? [];
  const word = UNITS[unit ?? ''];
  return word === undefined
    ? text.workflows.every(every)
    : workflowText.schedule.every(Number(amount), word);
}

/** Falls back to the cron expression if cronstrue can't describe it. */
function describeCron(cron: string): string {
  try {
    return cronstrue.toString(cron, { use24HourTimeFormat: true });
  } catch {
    return cron;
  }
}
