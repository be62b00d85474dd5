// The phases of a run as time spans.
import type { HandlerRunView } from '#shared/api/handler-runs.ts';
import type { Phase } from '#shared/machines/handler-run.ts';

export interface PhaseSpan {
  readonly phase: Phase;
  readonly from: number;
  /** Null while the phase lasts. Final phases have no length. */
  readonly to: number | null;
  /** True while the run was suspended. */
  readonly isWait: boolean;
  readonly isEnd: boolean;
}

/** Order of phases entered in the same millisecond. */
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
  // A run whose row was first written at its checkpoint or failure started earlier.
  const first: Phase = handlerType === 'producer' ? 'executing' : 'preparing';
  const begin = sorted[0]?.[1] ?? startedAt;
  if (timeline.pending !== undefined || startedAt >= begin) return sorted;
  return [[first, startedAt], ...sorted.filter(([phase]) => phase !== first)];
}
