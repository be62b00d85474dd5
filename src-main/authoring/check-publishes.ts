// Finds handlers that publish without listing the topic, or list topics and can't publish. It reads the
// text of their functions, which proves nothing about what they will do: these are warnings.
import { blankComments } from '#main/authoring/source-position.ts';
import type { DescribedHandler } from '#main/authoring/workflow-description.ts';

/** The one function of each kind of handler that may publish. */
const PUBLISHER = { producer: 'run', consumer: 'next' } as const;

const ANY_CALL = /\bpublish\s*\(/;
const CALL_WITH_TOPIC = /\bpublish\s*\(\s*(['"`])([\w.-]+)\1/g;

export function publishWarningsOf(
  kind: 'producer' | 'consumer',
  name: string,
  { functions, texts }: DescribedHandler,
  publishes: readonly string[],
): string[] {
  const who = `The ${kind} "${name}"`;
  if (kind === 'consumer' && publishes.length > 0 && !('next' in functions)) {
    return [
      `${who} has "publishes" and no next(), so it never publishes. Add next(), or remove "publishes".`,
    ];
  }
  const text = texts[PUBLISHER[kind]];
  const code = typeof text === 'string' ? blankComments(text) : '';
  const topics = new Set([...code.matchAll(CALL_WITH_TOPIC)].map(([, , topic]) => topic ?? ''));
  const undeclared = [...topics].filter((topic) => !publishes.includes(topic));
  if (undeclared.length > 0) {
    return undeclared.map(
      (topic) => `${who} publishes to "${topic}" and doesn't list it. Add it to its "publishes".`,
    );
  }
  return publishes.length === 0 && ANY_CALL.test(code)
    ? [`${who} calls publish() and lists no topics. Add "publishes" with them.`]
    : [];
}
