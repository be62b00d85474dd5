// Checks one producer or consumer: functions, topics and schedule.
import { checkSchedule } from '#main/authoring/check-schedule.ts';
import type { DescribedHandler } from '#main/authoring/workflow-description.ts';
import { quoted } from '#main/authoring/source-position.ts';
import { readDuration } from '#shared/authoring/duration.ts';
import type { HandlerConfig, Schedule } from '#shared/authoring/handler-config.ts';
import type { Json } from '#shared/json.ts';

/** `hints` locate the problem in the source: see `locate`. */
export type Report = (message: string, ...hints: string[]) => void;

export const show = (value: Json): string => JSON.stringify(value).slice(0, 100);

export function checkProducer(
  name: string,
  handler: DescribedHandler,
  topics: readonly string[],
  report: Report,
): HandlerConfig['producers'][string] {
  const at = ['producers', name];
  checkFunctions(`The producer "${name}"`, handler, ['run'], [], at, report);
  checkKeys(
    `The producer "${name}"`,
    handler,
    ['schedule', 'publishes', 'giveUpAfter'],
    at,
    report,
  );
  const checked = checkSchedule(handler.rest['schedule']);
  if (!checked.ok) report(checked.message, ...at, 'schedule', checked.at);
  const schedule: Schedule = checked.ok ? checked.schedule : { every: '1d' };
  return {
    schedule,
    publishes: checkPublishes(handler, topics, at, report),
    ...checkGiveUpAfter(handler, at, report),
  };
}

export function checkConsumer(
  name: string,
  handler: DescribedHandler,
  topics: readonly string[],
  report: Report,
): HandlerConfig['consumers'][string] {
  const at = ['consumers', name];
  const who = `The consumer "${name}"`;
  checkFunctions(who, handler, ['prepare'], ['mutate', 'next'], at, report);
  checkKeys(who, handler, ['subscribes', 'publishes', 'giveUpAfter'], at, report);
  const { subscribes } = handler.rest;
  const list = typeof subscribes === 'string' ? [subscribes] : subscribes;
  if (!Array.isArray(list) || list.length === 0) {
    report(
      `${who} has no topics. Write, for example: subscribes: 'mail.received'.`,
      ...at,
      'subscribes',
    );
  }
  return {
    subscribes: checkTopicList(list, 'subscribes', topics, at, report),
    publishes: checkPublishes(handler, topics, at, report),
    hasMutate: 'mutate' in handler.functions,
    hasNext: 'next' in handler.functions,
    ...checkGiveUpAfter(handler, at, report),
  };
}

function checkGiveUpAfter(
  { rest: { giveUpAfter } }: DescribedHandler,
  at: readonly string[],
  report: Report,
): { giveUpAfter?: string } {
  if (giveUpAfter === undefined) return {};
  if (typeof giveUpAfter === 'string' && readDuration(giveUpAfter) !== undefined)
    return { giveUpAfter };
  report(
    `"giveUpAfter" must be a duration like '30m', '6h' or '2d', from ten seconds to a year, not ${show(giveUpAfter)}.`,
    ...at,
    'giveUpAfter',
  );
  return {};
}

function checkFunctions(
  who: string,
  { functions }: DescribedHandler,
  needed: readonly string[],
  allowed: readonly string[],
  at: readonly string[],
  report: Report,
): void {
  for (const name of needed) {
    if (!(name in functions)) report(`${who} has no function ${name}().`, ...at);
  }
  for (const [name, kind] of Object.entries(functions)) {
    if (![...needed, ...allowed].includes(name))
      report(`${who} can't have ${name}().`, ...at, name);
    else if (kind !== 'function') report(`${who}: "${name}" must be a function.`, ...at, name);
  }
}

function checkKeys(
  who: string,
  { rest }: DescribedHandler,
  known: readonly string[],
  at: readonly string[],
  report: Report,
): void {
  for (const key of Object.keys(rest)) {
    if (!known.includes(key)) report(`${who} can't have "${key}".`, ...at, key);
  }
}

function checkPublishes(
  { rest }: DescribedHandler,
  topics: readonly string[],
  at: readonly string[],
  report: Report,
): string[] {
  return checkTopicList(rest['publishes'] ?? [], 'publishes', topics, at, report);
}

function checkTopicList(
  list: Json | undefined,
  key: string,
  topics: readonly string[],
  at: readonly string[],
  report: Report,
): string[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) {
    report(`"${key}" must be a list of topics.`, ...at, key);
    return [];
  }
  for (const topic of list) {
    if (!topics.includes(topic as string)) {
      report(
        `There is no topic ${show(topic)}. Add it to "topics".`,
        ...at,
        key,
        quoted(typeof topic === 'string' ? topic : show(topic)),
      );
    }
  }
  return [...new Set(list.filter((topic) => topics.includes(topic as string)))] as string[];
}
