// Chooses the topic of an input that names none: the only consumed topic that no handler publishes to.
// If there are several, the caller must name one.
import type { HandlerConfig } from '#shared/authoring/handler-config.ts';

export type EntryTopic =
  | { readonly ok: true; readonly topic: string }
  | { readonly ok: false; readonly message: string };

export function entryTopic(config: HandlerConfig, wanted: string | undefined): EntryTopic {
  const consumers = Object.values(config.consumers);
  const consumed = config.topics.filter((topic) =>
    consumers.some(({ subscribes }) => subscribes.includes(topic)),
  );
  if (wanted !== undefined) {
    if (consumed.includes(wanted)) return { ok: true, topic: wanted };
    return refuse(`This workflow has no consumer for topic "${wanted}".`, consumed);
  }
  const handlers = [...consumers, ...Object.values(config.producers)];
  const published = new Set(handlers.flatMap(({ publishes }) => publishes));
  const entries = consumed.filter((topic) => !published.has(topic));
  const [only, another] = entries.length > 0 ? entries : consumed;
  if (only !== undefined && another === undefined) return { ok: true, topic: only };
  return refuse("It's not clear which topic this input is for.", consumed);
}

function refuse(what: string, topics: readonly string[]): EntryTopic {
  const choice =
    topics.length === 0 ? 'It consumes no topics.' : `Choose one of: ${topics.join(', ')}.`;
  return { ok: false, message: `${what} Nothing was changed. ${choice}` };
}
