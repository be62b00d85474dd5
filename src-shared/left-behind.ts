// Finds what a version leaves behind: events in topics and unfinished runs of consumers that it doesn't
// have. Nothing is lost; a version that has them again takes them up.
import { z } from 'zod';
import type { HandlerConfig } from '#shared/authoring/handler-config.ts';

export const leftBehindSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('events'), topic: z.string(), count: z.int() }),
  z.strictObject({ type: z.literal('runs'), handler: z.string(), count: z.int() }),
]);
export type LeftBehind = z.infer<typeof leftBehindSchema>;

/** Counting stops here, because a count reads every row. */
export const MAX_COUNTED_LEFT = 1000;

export function leftBehindBy(
  version: Pick<HandlerConfig, 'topics' | 'consumers'>,
  found: {
    readonly waiting: readonly { readonly topic: string; readonly count: number }[];
    /** The consumer of each unfinished run. */
    readonly unfinished: readonly string[];
  },
): LeftBehind[] {
  const events = found.waiting
    .filter(({ topic, count }) => count > 0 && !version.topics.includes(topic))
    .map((waiting) => ({ type: 'events' as const, ...waiting }));
  const counts = new Map<string, number>();
  for (const handler of found.unfinished) {
    if (!Object.hasOwn(version.consumers, handler)) {
      counts.set(handler, (counts.get(handler) ?? 0) + 1);
    }
  }
  const runs = [...counts].map(([handler, count]) => ({ type: 'runs' as const, handler, count }));
  return [...events, ...runs];
}

/** `version`: "the new version" before it is activated, "the active version" afterwards. */
export function describeLeftBehind(left: LeftBehind, version: string): string {
  const number = left.count >= MAX_COUNTED_LEFT ? `${MAX_COUNTED_LEFT} or more` : left.count;
  if (left.type === 'events') {
    const what = left.count === 1 ? 'event waits' : 'events wait';
    return `${number} ${what} in "${left.topic}", which ${version} no longer has.`;
  }
  const what = left.count === 1 ? 'unfinished run belongs' : 'unfinished runs belong';
  return `${number} ${what} to "${left.handler}", which ${version} no longer has.`;
}

/** Why a version was not activated. */
export function leavesBehind(left: readonly LeftBehind[]): string {
  const what = left.map((one) => describeLeftBehind(one, 'the new version')).join(' ');
  return `${what} Nothing was activated. If you activate it anyway, all of this stays until a later version can take it up. Confirm to activate it.`;
}
