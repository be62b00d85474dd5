// A requested stop of an input that has not completed: runs past their effect finish first.
import type { StopAs } from '#shared/inputs/kinds.ts';

export interface Stopping {
  readonly as: StopAs;
  readonly reason: string;
  readonly at: number;
}
