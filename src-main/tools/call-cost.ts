// The cost of a call that was carried out or may have been, from its method. A wrong cost is 0 with a
// sentence for the log of the run; it never changes what happened.
import type { CheckedCall } from '#main/tools/check-call.ts';
import { isCost, MAX_CALL_COST } from '#shared/cost.ts';
import type { Json } from '#shared/json.ts';

export interface Spent {
  /** In microdollars; absent if 0. */
  readonly cost?: number;
  /** For the log of the run: why a part of the cost is unknown. */
  readonly costProblem?: string;
}

export function spentBy(name: string, { method, grant, params }: CheckedCall, result: Json): Spent {
  if (!method.costOf) return {};
  try {
    const { microdollars, problem } = method.costOf(grant, params, result);
    if (!isCost(microdollars) || microdollars > MAX_CALL_COST) {
      return unknown(name, `${String(microdollars)} microdollars can't be the cost of a call.`);
    }
    return {
      ...(microdollars === 0 ? {} : { cost: microdollars }),
      ...(problem === undefined ? {} : unknown(name, problem)),
    };
  } catch (error) {
    return unknown(name, error instanceof Error ? error.message : String(error));
  }
}

function unknown(name: string, problem: string): Spent {
  return { costProblem: `The cost of ${name} is incomplete: ${problem}` };
}
