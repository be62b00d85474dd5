// Describes a graph node in words, for screen readers and the list.
import type { GraphHandler, GraphTopic, WorkflowGraph } from '#shared/api/workflow-pages.ts';
import { workflowText } from '#renderer/text/workflows-text.ts';

const { graph: TEXT } = workflowText;

export function topicCounts({ pending, reserved, setAside }: GraphTopic): string[] {
  return [
    ...(pending > 0 ? [TEXT.pending(pending)] : []),
    ...(reserved > 0 ? [TEXT.reserved(reserved)] : []),
    ...(setAside > 0 ? [TEXT.setAside(setAside)] : []),
  ];
}

export function handlerCounts({ atWork, waiting }: GraphHandler): string[] {
  return [
    ...(atWork > 0 ? [TEXT.running(atWork)] : []),
    ...(waiting > 0 ? [TEXT.waiting(waiting)] : []),
  ];
}

export function topicSentence(topic: GraphTopic, { handlers }: WorkflowGraph): string {
  const from = handlers.filter(({ publishes }) => publishes.includes(topic.name));
  const to = handlers.filter(({ subscribes }) => subscribes.includes(topic.name));
  const counts = topicCounts(topic);
  return [
    counts.length === 0 ? TEXT.nothing : counts.join(', '),
    from.length === 0 ? TEXT.fromNobody : TEXT.from(from.map(({ name }) => name)),
    to.length === 0 ? TEXT.toNobody : TEXT.to(to.map(({ name }) => name)),
  ].join('; ');
}

export function handlerSentence(handler: GraphHandler): string {
  const { subscribes, publishes } = handler;
  const counts = handlerCounts(handler);
  return [
    counts.length === 0 ? TEXT.idle : counts.join(', '),
    ...(subscribes.length === 0 ? [] : [TEXT.takes(subscribes)]),
    ...(publishes.length === 0 ? [] : [TEXT.publishes(publishes)]),
  ].join('; ');
}
