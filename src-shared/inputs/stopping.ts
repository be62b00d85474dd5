// Asked for by a person, or by the clock, and not yet so: what has acted is finished first.
import type { StopAs } from '#shared/inputs/kinds.ts';

export interface Stopping {
  readonly as: StopAs;
  readonly reason: string;
  readonly at: number;
}
