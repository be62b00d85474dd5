// Which handlers of a workflow fail, from what is known of them without reading its history.
import type { Phase } from '#shared/machines/handler-run.ts';
import { handlerThatStopped } from '#shared/stop-reason.ts';

export interface KnownOfHandlers {
  /** The last runs, the newest first. */
  readonly recent: readonly { readonly handlerName: string; readonly phase: Phase }[];
  /** Those that failed and wait for another try, however long ago that was. */
  readonly retrying: readonly string[];
  /** Null where it is not paused, or without a reason. */
  readonly pausedBecause: string | null;
}

export function failingHandlers({ recent, retrying, pausedBecause }: KnownOfHandlers): string[] {
  const lastEnd = new Map<string, Phase>();
  for (const { handlerName, phase } of recent) {
    if (phase !== 'committed' && phase !== 'failed') continue;
    if (!lastEnd.has(handlerName)) lastEnd.set(handlerName, phase);
  }
  const stopped = handlerThatStopped(pausedBecause);
  const failed = [...lastEnd].filter(([, phase]) => phase === 'failed').map(([name]) => name);
  return [...new Set([...(stopped === null ? [] : [stopped]), ...failed, ...retrying])];
}
