// A requested stop of an input that has not completed: runs past their effect finish first, for a
// limited time.
import type { StopAs } from '#shared/inputs/kinds.ts';

export interface Stopping {
  readonly as: StopAs;
  readonly reason: string;
  readonly at: number;
  /** When the run ends even if work is left. Absent in requests of older versions. */
  readonly until?: number;
  /**
   * Set at an end with work left: the events that open runs held, with their attempts. Later events of
   * the input are skipped, except those that a person reruns.
   */
  readonly held?: { readonly [eventId: string]: number };
}
