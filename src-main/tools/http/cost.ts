// Computes the cost of an HTTP call as its author described it: a price per call, and amounts in the
// response, such as a sum in dollars or a number of tokens at a price each.
import { valueAt } from '#main/tools/http/answer.ts';
import type { HttpCostPart, ReadParams } from '#main/tools/http/params.ts';
import type { CallCost } from '#main/tools/tool.ts';
import { microdollarsOf, type CostPart } from '#shared/cost.ts';
import type { Json } from '#shared/json.ts';

/** `result` is the response as the workflow gets it, or null. */
export function costOfHttp({ cost = [] }: Pick<ReadParams, 'cost'>, result: Json): CallCost {
  const parts: CostPart[] = [];
  const problems: string[] = [];
  for (const part of Array.isArray(cost) ? cost : [cost]) {
    const value = isFixed(part) ? 1 : amountIn(result, part);
    const priced = value === null ? null : { value, usd: part.usd ?? 1 };
    if (priced && microdollarsOf([priced]) !== null) parts.push(priced);
    else problems.push(`${placeOf(part)} is not an amount`);
  }
  const microdollars = microdollarsOf(parts);
  if (microdollars === null) return { microdollars: 0, problem: 'the sum is too high.' };
  if (problems.length === 0) return { microdollars };
  const problem = result === null ? 'there was no usable response.' : `${problems.join(', and ')}.`;
  return { microdollars, problem };
}

function isFixed({ jsonPath, header }: HttpCostPart): boolean {
  return jsonPath === undefined && header === undefined;
}

function amountIn(result: Json, { jsonPath = '', header }: HttpCostPart): number | string | null {
  const found =
    header === undefined
      ? valueAt(result, `json.${jsonPath}`)
      : headerOf(valueAt(result, 'headers'), header);
  return typeof found === 'number' || typeof found === 'string' ? found : null;
}

/** The names of header fields are lower case in a response, but not in a stand-in of a test. */
function headerOf(headers: Json | undefined, name: string): Json | undefined {
  return Object.entries(headers ?? {}).find(
    ([known]) => known.toLowerCase() === name.toLowerCase(),
  )?.[1];
}

function placeOf({ jsonPath, header }: HttpCostPart): string {
  return header === undefined ? `"${jsonPath}" in the response` : `the header "${header}"`;
}
