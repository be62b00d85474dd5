// A row that one device made and another must go on with. The maker alone writes what it knows; a
// later owner writes beside it, never over it. Here is which of the two counts. The generated
// columns `counts` of the database say the same, and a test compares them.
import type { Phase } from '#shared/machines/handler-run.ts';
import type { MutationStatus, Resolution } from '#shared/machines/mutation.ts';

/** In these a run has sent nothing. */
export const PHASES_BEFORE_EFFECT = ['pending', 'preparing', 'prepared', 'executing'] as const;

export function isBeforeEffect(phase: Phase): boolean {
  return (PHASES_BEFORE_EFFECT as readonly Phase[]).includes(phase);
}

export interface MadeRun {
  readonly phase: Phase;
}

export interface TakenRun {
  readonly phase: Phase;
  /** The maker's phase when this was written. */
  readonly over: Phase;
}

/**
 * The maker's end is a fact. Else the later owner's word counts; but not where it ended a run before
 * its effect which the maker, not knowing, has brought beyond that: what may be out is never hidden.
 */
export function effectiveProgress<Made extends MadeRun, Taken extends TakenRun>(
  made: Made,
  taken: Taken | null,
): Made | Taken {
  if (taken === null || made.phase === 'committed' || made.phase === 'failed') return made;
  const isOvertaken =
    taken.phase === 'failed' && isBeforeEffect(taken.over) && !isBeforeEffect(made.phase);
  return isOvertaken ? made : taken;
}

export interface OutcomeOfEffect {
  readonly status: MutationStatus;
  readonly resolved_by?: Resolution;
}

/** A person's decision stands; else what the maker learnt; else what the later owner made of it. */
export function effectiveOutcome<Outcome extends OutcomeOfEffect>(
  made: Outcome,
  taken: Outcome | null,
): Outcome {
  if (taken === null) return made;
  if (taken.resolved_by !== undefined) return taken;
  return made.status === 'applied' || made.status === 'failed' ? made : taken;
}
