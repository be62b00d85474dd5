// The phases of a run as spans of time, from when each was entered.
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import type { Phase } from '#shared/machines/handler-run.ts';

export interface PhaseSpan {
  readonly phase: Phase;
  readonly from: number;
  /** Null while it lasts. An end lasts no time. */
  readonly to: number | null;
  /** Nothing was being done: it waited. */
  readonly isWait: boolean;
  readonly isEnd: boolean;
}

/** Phases that were entered in the same millisecond stand in this order. */
const ORDER: readonly Phase[] = [
  'pending',
  'executing',
  'preparing',
  'prepared',
  'mutating',
  'suspended',
  'mutated',
  'emitting',
  'committed',
  'failed',
];

type TimedRun = Pick<HandlerRunView, 'handlerType' | 'startedAt' | 'timeline'>;

export function phaseSpans(run: TimedRun): readonly PhaseSpan[] {
  const entered = enteredPhases(run);
  return entered.map(([phase, from], index) => {
    const isEnd = phase === 'committed' || phase === 'failed';
    return {
      phase,
      from,
      to: isEnd ? from : (entered[index + 1]?.[1] ?? null),
      isWait: phase === 'suspended' || phase === 'pending',
      isEnd,
    };
  });
}

function enteredPhases({ handlerType, startedAt, timeline }: TimedRun): readonly [Phase, number][] {
  const entries = Object.entries(timeline) as [Phase, number][];
  const sorted = entries.toSorted(
    ([a, atA], [b, atB]) => atA - atB || ORDER.indexOf(a) - ORDER.indexOf(b),
  );
  // A run whose row was first written at its checkpoint, or when it failed, had begun before.
  const first: Phase = handlerType === 'producer' ? 'executing' : 'preparing';
  const begin = sorted[0]?.[1] ?? startedAt;
  if (timeline.pending !== undefined || startedAt >= begin) return sorted;
  return [[first, startedAt], ...sorted.filter(([phase]) => phase !== first)];
}
