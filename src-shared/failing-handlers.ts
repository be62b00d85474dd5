// Decides which handlers of a workflow are failing, without reading its whole history.
import type { Phase } from '#shared/machines/handler-run.ts';
import { handlerThatStopped } from '#shared/stop-reason.ts';

export interface HandlerFacts {
  /** The latest runs, newest first. */
  readonly recent: readonly { readonly handlerName: string; readonly phase: Phase }[];
  /** Handlers with a retry scheduled after a failure of any age. */
  readonly retrying: readonly string[];
  /** Handlers whose last run ended because it waits for an outside host. */
  readonly waiting: readonly string[];
  /** Null if the workflow is not paused or is paused without a reason. */
  readonly pausedBecause: string | null;
}

export function failingHandlers({
  recent,
  retrying,
  waiting,
  pausedBecause,
}: HandlerFacts): string[] {
  const lastEnd = new Map<string, Phase>();
  for (const { handlerName, phase } of recent) {
    if (phase !== 'committed' && phase !== 'failed') continue;
    if (!lastEnd.has(handlerName)) lastEnd.set(handlerName, phase);
  }
  const stopped = handlerThatStopped(pausedBecause);
  const failed = [...lastEnd]
    .filter(([name, phase]) => phase === 'failed' && !waiting.includes(name))
    .map(([name]) => name);
  return [...new Set([...(stopped === null ? [] : [stopped]), ...failed, ...retrying])];
}
