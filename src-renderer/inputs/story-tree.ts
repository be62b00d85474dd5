// Arranges steps by their cause. The host lists a step after its cause, so one look backwards is
// enough.
import type { StoryStep } from '#shared/api/inputs.ts';

export interface PlacedStep {
  readonly step: StoryStep;
  /** Number of steps between this one and the input. */
  readonly depth: number;
  readonly cause: StoryStep | null;
}

export function arrangeSteps(steps: readonly StoryStep[]): readonly PlacedStep[] {
  const placed = new Map<string, PlacedStep>();
  for (const step of steps) {
    const cause = step.parentId === null ? undefined : placed.get(step.parentId);
    const depth = cause === undefined ? 0 : cause.depth + 1;
    placed.set(step.id, { step, depth, cause: cause?.step ?? null });
  }
  return [...placed.values()];
}

export const stepTitle = (step: StoryStep): string =>
  step.type === 'event' ? step.event.title : (step.run.title ?? step.run.handlerName);
