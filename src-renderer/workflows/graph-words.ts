// Describes a graph node in words, for screen readers and the list.
import type { GraphHandler, GraphTopic, WorkflowGraph } from '#shared/api/workflow-pages.ts';
import { flowText } from '#renderer/text/workflows-text.ts';

const { graph: words } = flowText;

export function topicCounts({ pending, reserved, setAside }: GraphTopic): string[] {
  return [
    ...(pending > 0 ? [words.pending(pending)] : []),
    ...(reserved > 0 ? [words.reserved(reserved)] : []),
    ...(setAside > 0 ? [words.setAside(setAside)] : []),
  ];
}

export function handlerCounts({ atWork, waiting }: GraphHandler): string[] {
  return [
    ...(atWork > 0 ? [words.atWork(atWork)] : []),
    ...(waiting > 0 ? [words.waiting(waiting)] : []),
  ];
}

export function topicSentence(topic: GraphTopic, { handlers }: WorkflowGraph): string {
  const from = handlers.filter(({ publishes }) => publishes.includes(topic.name));
  const to = handlers.filter(({ subscribes }) => subscribes.includes(topic.name));
  const counts = topicCounts(topic);
  return [
    counts.length === 0 ? words.nothing : counts.join(', '),
    from.length === 0 ? words.fromNobody : words.from(from.map(({ name }) => name)),
    to.length === 0 ? words.toNobody : words.to(to.map(({ name }) => name)),
  ].join('; ');
}

export function handlerSentence(handler: GraphHandler): string {
  const { subscribes, publishes } = handler;
  const counts = handlerCounts(handler);
  return [
    counts.length === 0 ? words.idle : counts.join(', '),
    ...(subscribes.length === 0 ? [] : [words.takes(subscribes)]),
    ...(publishes.length === 0 ? [] : [words.publishes(publishes)]),
  ].join('; ');
}
