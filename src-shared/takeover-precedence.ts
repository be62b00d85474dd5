// Decides which side of a row counts when one device made it and a later owner continued it. Each
// device writes its own columns and never the other's. The generated `counts` columns of the database
// implement the same rule, and a test compares the two.
import type { Phase } from '#shared/machines/handler-run.ts';
import type { MutationStatus, Resolution } from '#shared/machines/mutation.ts';

/** Phases in which a run has not sent its effect. */
export const PHASES_BEFORE_EFFECT = ['pending', 'preparing', 'prepared', 'executing'] as const;

export function isBeforeEffect(phase: Phase): boolean {
  return (PHASES_BEFORE_EFFECT as readonly Phase[]).includes(phase);
}

export interface MadeRun {
  readonly phase: Phase;
}

export interface TakenRun {
  readonly phase: Phase;
  /** The phase of the device that made the run when the later owner wrote this. */
  readonly over: Phase;
}

/**
 * The end that the making device recorded always counts. Otherwise the later owner counts, except when
 * it ended the run before the effect while the making device went past it: an effect that may have
 * been sent must stay visible.
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

/** A person's decision counts first, then a known outcome of the making device, then the later owner. */
export function effectiveOutcome<Outcome extends OutcomeOfEffect>(
  made: Outcome,
  taken: Outcome | null,
): Outcome {
  if (taken === null) return made;
  if (taken.resolved_by !== undefined) return taken;
  return made.status === 'applied' || made.status === 'failed' ? made : taken;
}
