// Coverage-guided fuzzing in small: an input that reached something new is kept, and what comes
// next is made from what was kept.
import { watchCoverage } from '#test/fuzz/coverage.ts';
import { below, mutate, type Random } from '#test/fuzz/mutate.ts';

export interface Target {
  readonly name: string;
  /** Where its code is: only what runs there leads. */
  readonly places: readonly string[];
  readonly corpus: readonly Uint8Array[];
  /** Throws when the promise is broken. */
  readonly check: (input: Uint8Array) => void;
}

export interface Fuzzed {
  readonly inputs: number;
  readonly kept: number;
  readonly blocks: number;
  /** The input that broke it, and how; null: it held. */
  readonly broken: { readonly input: Uint8Array; readonly error: unknown } | null;
}

/** Asking for the coverage costs as much as a hundred inputs: they are asked about together. */
const TOGETHER = 100;
const MAX_INPUT_BYTES = 64 * 1024;

export function fuzz(target: Target, random: Random, goesOn: (inputs: number) => boolean): Fuzzed {
  const coverage = watchCoverage(target.places);
  const kept: Uint8Array[] = [...target.corpus];
  let inputs = 0;
  let broken: Fuzzed['broken'] = null;
  const holds = (input: Uint8Array): boolean => {
    inputs += 1;
    try {
      target.check(input);
      return true;
    } catch (error) {
      broken = { input, error };
      return false;
    }
  };
  const pick = (): Uint8Array => kept[below(kept.length, random)] ?? new Uint8Array();

  const seen = new Set<string>();
  if (kept.every(holds)) {
    for (const block of coverage.take()) seen.add(block);
    while (goesOn(inputs)) {
      const batch = Array.from({ length: TOGETHER }, () =>
        mutate(pick(), pick(), random).subarray(0, MAX_INPUT_BYTES),
      );
      if (!batch.every(holds)) break;
      const news = new Set([...coverage.take()].filter((block) => !seen.has(block)));
      if (news.size === 0) continue;
      for (const block of news) seen.add(block);
      kept.push(...whoReach(news, batch));
    }
  }
  coverage.stop();
  return { inputs, kept: kept.length, blocks: seen.size, broken };

  /** Each of them run alone: those that reach what nobody before them in the batch does. */
  function whoReach(news: Set<string>, batch: readonly Uint8Array[]): Uint8Array[] {
    return batch.filter((input) => {
      if (news.size === 0) return false;
      holds(input);
      const reached = [...coverage.take()].filter((block) => news.delete(block));
      return reached.length > 0;
    });
  }
}

/** A small generator (mulberry32), so that a seed tells the same story again. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
