// Intersects two sets of grants: the grants of the moment and those of a frozen policy.
import type { Tools } from '#main/tools/check-call.ts';
import { canonicalJson, own, type Json } from '#shared/json.ts';

export interface Grants {
  readonly [tool: string]: Json;
}

/**
 * Returns `current` itself if the frozen grants allow all of it. Cached by identity: both objects
 * change only with the grants or the policy.
 */
export function createNarrower(tools: Tools): (current: Grants, frozen: Grants) => Grants {
  const known = new WeakMap<Grants, WeakMap<Grants, Grants>>();
  return (current, frozen) => {
    const byFrozen = known.get(current) ?? new WeakMap<Grants, Grants>();
    known.set(current, byFrozen);
    const narrowed = byFrozen.get(frozen) ?? narrowGrants(tools, current, frozen);
    byFrozen.set(frozen, narrowed);
    return narrowed;
  };
}

export function narrowGrants(tools: Tools, current: Grants, frozen: Grants): Grants {
  const scopes = Object.entries(current).map(
    ([tool, scope]) => [tool, scope, narrowScope(tools, tool, scope, own(frozen, tool))] as const,
  );
  if (scopes.every(([, scope, narrowed]) => scope === narrowed)) return current;
  return Object.fromEntries(
    scopes.flatMap(([tool, , narrowed]) => (narrowed === null ? [] : [[tool, narrowed] as const])),
  );
}

function narrowScope(
  tools: Tools,
  namespace: string,
  current: Json,
  frozen: Json | undefined,
): Json | null {
  if (frozen === undefined) return null;
  if (canonicalJson(current) === canonicalJson(frozen)) return current;
  const tool = own(tools, namespace);
  const [one, other] = [tool?.grant.safeParse(current), tool?.grant.safeParse(frozen)];
  if (!tool?.narrow || !one?.success || !other?.success) return null;
  return tool.narrow(one.data, other.data);
}
