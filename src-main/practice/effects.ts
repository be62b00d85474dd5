// What the practice service did, in order. It does not notice by itself that a key comes twice:
// an effect that was made twice shall be seen twice.
import type { Json } from '#shared/json.ts';

export interface PracticeEffect {
  readonly number: number;
  readonly name: string;
  /** The Idempotency-Key that came with it. */
  readonly key: string | null;
  readonly body: Json;
  readonly at: string;
}

export interface PracticeEffects {
  /** Acts. With `dedupe`, a key that was seen before gives the first effect again. */
  act(
    effect: Pick<PracticeEffect, 'name' | 'key' | 'body'>,
    dedupe: boolean,
  ): { readonly effect: PracticeEffect; readonly duplicate: boolean };
  list(): readonly PracticeEffect[];
  byKey(key: string): readonly PracticeEffect[];
}

/** Enough for a day of practice; the numbers go on when the oldest are forgotten. */
const KEPT = 100_000;

export function createPracticeEffects(now: () => number): PracticeEffects {
  let effects: PracticeEffect[] = [];
  const keys = new Map<string, PracticeEffect[]>();
  let count = 0;

  function record(effect: Pick<PracticeEffect, 'name' | 'key' | 'body'>): PracticeEffect {
    count += 1;
    const made = { number: count, ...effect, at: new Date(now()).toISOString() };
    effects.push(made);
    if (made.key !== null) keys.set(made.key, [...(keys.get(made.key) ?? []), made]);
    if (effects.length > 2 * KEPT) forgetOldest();
    return made;
  }

  function forgetOldest(): void {
    for (const { key } of effects.slice(0, KEPT)) if (key !== null) keys.delete(key);
    effects = effects.slice(KEPT);
  }

  return {
    act(effect, dedupe) {
      const first = dedupe && effect.key !== null ? keys.get(effect.key)?.[0] : undefined;
      return first
        ? { effect: first, duplicate: true }
        : { effect: record(effect), duplicate: false };
    },
    list: () => effects,
    byKey: (key) => keys.get(key) ?? [],
  };
}
