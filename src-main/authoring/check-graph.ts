// Checks the graph of a workflow: names, topics, handlers, schedules. Reports all problems with their
// position in the file.
import { checkConsumer, checkProducer, show, type Report } from '#main/authoring/check-handlers.ts';
import { checkInputRules } from '#main/authoring/check-input-rules.ts';
import { publishWarningsOf } from '#main/authoring/check-publishes.ts';
import {
  isObject,
  readHandler,
  type DescribedHandler,
  type Description,
} from '#main/authoring/workflow-description.ts';
import { locate, quoted } from '#main/authoring/source-position.ts';
import type { Problem } from '#main/sandbox/strip-types.ts';
import { findCycles } from '#shared/authoring/cycles.ts';
import { nameSchema, type HandlerConfig } from '#shared/authoring/handler-config.ts';
import type { Json } from '#shared/json.ts';
import { hostLimitsSchema, type HostLimits } from '#shared/outside/host-limit.ts';

export interface GraphCheck {
  readonly config: HandlerConfig;
  /** If there are any, `config` must not be used. */
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

type Group = { readonly [name: string]: DescribedHandler };

const PARTS = ['name', 'uses', 'topics', 'completes', 'needsHuman', 'limits'];

export function checkGraph(description: Description, source: string): GraphCheck {
  const problems: Problem[] = [];
  const report: Report = (message, ...hints) =>
    void problems.push({ message, ...locate(source, ...hints) });
  const { rest } = description;
  for (const key of Object.keys(rest)) {
    if (!PARTS.includes(key)) report(`"${key}" is not a field of a workflow.`, key);
  }
  const topics = checkTopics(rest['topics'], report);
  const producers = readGroup(description.producers, 'producers', report);
  const consumers = readGroup(description.consumers, 'consumers', report);
  const config: HandlerConfig = {
    name: checkName(rest['name'], report),
    topics,
    producers: mapGroup(producers, (name, handler) => checkProducer(name, handler, topics, report)),
    consumers: mapGroup(consumers, (name, handler) => checkConsumer(name, handler, topics, report)),
    ...checkInputRules(rest, report),
    uses: checkUses(rest['uses'], report),
    limits: checkLimits(rest['limits'], report),
    cycles: [],
  };
  checkAcrossHandlers(config, report);
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  const cycles = findCycles(topics, config.consumers);
  const warnings = [
    ...warningsOf({ ...config, cycles }),
    ...publishWarnings('producer', producers, config.producers),
    ...publishWarnings('consumer', consumers, config.consumers),
  ];
  return { config: { ...config, cycles }, problems, warnings };
}

function checkName(name: Json | undefined, report: Report): string {
  if (typeof name === 'string' && nameSchema.safeParse(name).success) return name;
  if (name === undefined) report('The workflow has no name.', 'workflow(');
  else report(`${show(name)} is not a valid name. ${NAME_RULE}`, 'name');
  return '';
}

const NAME_RULE = 'Use letters, digits, ".", "_" and "-", at most 100.';

function checkTopics(topics: Json | undefined, report: Report): string[] {
  if (!Array.isArray(topics)) {
    report(`"topics" must be a list of names: topics: ['mail.received'].`, 'topics', 'workflow(');
    return [];
  }
  const good: string[] = [];
  for (const topic of topics) {
    if (typeof topic !== 'string' || !nameSchema.safeParse(topic).success) {
      report(
        `${show(topic)} is not a valid topic name. ${NAME_RULE}`,
        'topics',
        quoted(typeof topic === 'string' ? topic : show(topic)),
      );
    } else if (good.includes(topic))
      report(`The topic "${topic}" is listed twice.`, 'topics', quoted(topic));
    else good.push(topic);
  }
  return good;
}

function checkUses(uses: Json | undefined, report: Report): { [tool: string]: Json } {
  if (uses === undefined) return {};
  if (isObject(uses)) return uses;
  report(`"uses" must be an object: uses: { http: { hosts: ['example.org'] } }.`, 'uses');
  return {};
}

function checkLimits(limits: Json | undefined, report: Report): HostLimits {
  if (limits === undefined) return {};
  const parsed = hostLimitsSchema.safeParse(limits);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const [host] = issue.path;
    const why = issue.code === 'invalid_key' ? issue.issues[0]?.message : issue.message;
    const where = ['limits', ...issue.path].map(String).join('.');
    report(
      `"${where}": ${why ?? 'is not valid'}. Write: limits: { 'api.example.org': { perSecond: 5, concurrent: 2 } }.`,
      'limits',
      ...(typeof host === 'string' ? [quoted(host)] : []),
    );
  }
  return {};
}

function readGroup(group: Json | undefined, key: string, report: Report): Group {
  if (group === undefined) return {};
  if (!isObject(group)) {
    report(`"${key}" must be an object with one member per handler.`, key);
    return {};
  }
  const good: [string, DescribedHandler][] = [];
  for (const [name, described] of Object.entries(group)) {
    const handler = readHandler(described);
    if (!nameSchema.safeParse(name).success) {
      report(`"${name}" is not a valid name. ${NAME_RULE}`, key, name);
    } else if (handler.kind !== 'object') report(`"${name}" must be an object.`, key, name);
    else good.push([name, handler]);
  }
  return Object.fromEntries(good);
}

function mapGroup<T>(
  group: Group,
  check: (name: string, handler: DescribedHandler) => T,
): { [name: string]: T } {
  return Object.fromEntries(
    Object.entries(group).map(([name, handler]) => [name, check(name, handler)]),
  );
}

function checkAcrossHandlers({ producers, consumers }: HandlerConfig, report: Report): void {
  if (Object.keys(producers).length + Object.keys(consumers).length === 0) {
    report('The workflow has no producers and no consumers.', 'workflow(');
  }
  const consumerOf = new Map<string, string>();
  for (const [name, { subscribes }] of Object.entries(consumers)) {
    if (name in producers) {
      report(
        `"${name}" is both a producer and a consumer. Give them different names.`,
        'consumers',
        name,
      );
    }
    for (const topic of subscribes) {
      const other = consumerOf.get(topic);
      consumerOf.set(topic, other ?? name);
      if (other === undefined) continue;
      report(
        `"${other}" and "${name}" both consume "${topic}". A topic can have only one consumer.`,
        'consumers',
        name,
        'subscribes',
        quoted(topic),
      );
    }
  }
}

function warningsOf({ topics, consumers, cycles }: HandlerConfig): string[] {
  const consumed = new Set(Object.values(consumers).flatMap(({ subscribes }) => subscribes));
  return [
    ...cycles.map((cycle) => `Events form a cycle: ${[...cycle, cycle[0]].join(' → ')}.`),
    ...topics
      .filter((topic) => !consumed.has(topic))
      .map((topic) => `"${topic}" has no consumer. Its events stay pending.`),
  ];
}

function publishWarnings(
  kind: 'producer' | 'consumer',
  group: Group,
  configs: { readonly [name: string]: { readonly publishes: readonly string[] } },
): string[] {
  return Object.entries(group).flatMap(([name, handler]) =>
    publishWarningsOf(kind, name, handler, configs[name]?.publishes ?? []),
  );
}
