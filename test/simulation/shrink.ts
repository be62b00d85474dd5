// Shrinks a failing plan by removing steps while it still fails: halves first, single steps last.
import type { Plan, Step } from '#test/simulation/plan.ts';

export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let steps = plan.steps;
  for (
    let size = Math.ceil(steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    let at = 0;
    while (at < steps.length) {
      const without: readonly Step[] = [...steps.slice(0, at), ...steps.slice(at + size)];
      if (await fails({ ...plan, steps: without })) steps = without;
      else at += size;
    }
  }
  return { ...plan, steps };
}
