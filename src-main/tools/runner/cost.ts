// Reads the cost of a script: the last line `HOLDFAST_COST_USD=0.0123` at the end of its output, or the
// price in the registry.
import type { CallCost } from '#main/tools/tool.ts';
import { microdollarsOf } from '#shared/cost.ts';
import type { Json } from '#shared/json.ts';
import type { ScriptSpec } from '#shared/runner/registry.ts';

const REPORT = /^HOLDFAST_COST_USD=(.*)$/gm;
const MAX_SHOWN = 100;

/** `result` is null if the output is unknown. */
export function costOfScript(price: ScriptSpec['cost'], result: Json): CallCost {
  const fixed = microdollarsOf([{ value: 1, usd: price?.usd ?? 0 }]) ?? 0;
  const { tail } = (result ?? {}) as { readonly tail?: Json };
  if (typeof tail !== 'string') return { microdollars: fixed };
  const reported = [...tail.matchAll(REPORT)].at(-1)?.[1]?.trim();
  if (reported === undefined) return { microdollars: fixed };
  const microdollars = microdollarsOf([{ value: reported, usd: 1 }]);
  if (microdollars !== null) return { microdollars };
  const problem = `the script reported "${reported.slice(0, MAX_SHOWN)}", which is not an amount.`;
  return { microdollars: fixed, problem };
}
