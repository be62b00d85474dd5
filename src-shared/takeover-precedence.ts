// Decides which side of a row counts when one device made it and a later owner continued it. Each
// device writes its own columns and never the other's. The generated `counts` columns of the database
// implement the same rule, and tests compare the two.
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

/** What the columns of an effect say, in the order in which they can be written. */
export interface SidesOfEffect<Outcome> {
  /** From the device that made the effect: the outcome that it knows from its call. */
  readonly made: Outcome;
  /** From the same device after a crash, when it doesn't know what became of its call. */
  readonly recovered: Outcome | null;
  /** From a later owner of the workflow. */
  readonly taken: Outcome | null;
}

/** What counts of all sides. */
export function effectiveOutcome<Outcome extends OutcomeOfEffect>(
  sides: SidesOfEffect<Outcome>,
): Outcome {
  return laterOutcome(outcomeOfMaker(sides), sides.taken);
}

/** What counts of the two sides that the making device writes. */
export function outcomeOfMaker<Outcome extends OutcomeOfEffect>({
  made,
  recovered,
}: Omit<SidesOfEffect<Outcome>, 'taken'>): Outcome {
  return laterOutcome(made, recovered);
}

/** A person's decision on the later side counts first, then a known outcome, then the later side. */
function laterOutcome<Outcome extends OutcomeOfEffect>(
  earlier: Outcome,
  later: Outcome | null,
): Outcome {
  if (later === null) return earlier;
  if (later.resolved_by != null) return later;
  return earlier.status === 'applied' || earlier.status === 'failed' ? earlier : later;
}
