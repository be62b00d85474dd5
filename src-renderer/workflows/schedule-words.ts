import cronstrue from 'cronstrue';
import { scheduleSchema } from '#shared/authoring/handler-config.ts';
import type { Json } from '#shared/json.ts';
import { text } from '#renderer/text/text.ts';
import { flowText } from '#renderer/text/workflows-text.ts';

export interface ScheduleWords {
  readonly words: string;
  /** As the author wrote it. */
  readonly written: string;
}

/** Null if this version doesn't know the schedule. */
export function scheduleWords(schedule: Json): ScheduleWords | null {
  const { data } = scheduleSchema.safeParse(schedule);
  if (data === undefined) return null;
  if ('every' in data) {
    return { words: intervalWords(data.every), written: text.workflows.every(data.every) };
  }
  const words = cronWords(data.cron);
  return {
    words: data.timezone === undefined ? words : flowText.schedule.inZone(words, data.timezone),
    written: text.workflows.cron(data.cron, data.timezone),
  };
}

const UNITS: Readonly<Record<string, string>> = { s: 'second', m: 'minute', h: 'hour', d: 'day' };

function intervalWords(every: string): string {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(every.trim()) ?? [];
  const word = UNITS[unit ?? ''];
  return word === undefined
    ? text.workflows.every(every)
    : flowText.schedule.every(Number(amount), word);
}

/** Falls back to the cron expression if cronstrue can't describe it. */
function cronWords(cron: string): string {
  try {
    return cronstrue.toString(cron, { use24HourTimeFormat: true });
  } catch {
    return cron;
  }
}
