// The effects that the practice service received, in order. It does not deduplicate by default, so
// that an effect sent twice is visible twice.
import type { Json } from '#shared/json.ts';

export interface PracticeEffect {
  readonly number: number;
  readonly name: string;
  /** The Idempotency-Key of the request. */
  readonly key: string | null;
  readonly body: Json;
  readonly at: string;
}

export interface PracticeEffects {
  /** Records an effect. With `dedupe`, a known key returns the first effect. */
  apply(
    effect: Pick<PracticeEffect, 'name' | 'key' | 'body'>,
    dedupe: boolean,
  ): { readonly effect: PracticeEffect; readonly duplicate: boolean };
  list(): readonly PracticeEffect[];
  byKey(key: string): readonly PracticeEffect[];
}

/** The oldest effects beyond this are dropped; numbers continue. */
const MAX_EFFECTS = 100_000;

export function createPracticeEffects(now: () => number): PracticeEffects {
  let effects: PracticeEffect[] = [];
  const keys = new Map<string, PracticeEffect[]>();
  let count = 0;

  function record(effect: Pick<PracticeEffect, 'name' | 'key' | 'body'>): PracticeEffect {
    count += 1;
    const recorded = { number: count, ...effect, at: new Date(now()).toISOString() };
    effects.push(recorded);
    if (recorded.key !== null) {
      keys.set(recorded.key, [...(keys.get(recorded.key) ?? []), recorded]);
    }
    if (effects.length > 2 * MAX_EFFECTS) dropOldest();
    return recorded;
  }

  function dropOldest(): void {
    for (const { key } of effects.slice(0, MAX_EFFECTS)) if (key !== null) keys.delete(key);
    effects = effects.slice(MAX_EFFECTS);
  }

  return {
    apply(effect, dedupe) {
      const first = dedupe && effect.key !== null ? keys.get(effect.key)?.[0] : undefined;
      return first
        ? { effect: first, duplicate: true }
        : { effect: record(effect), duplicate: false };
    },
    list: () => effects,
    byKey: (key) => keys.get(key) ?? [],
  };
}
