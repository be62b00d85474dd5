// A small coverage-guided fuzzer: inputs that reach new blocks join the corpus, and new inputs are
// mutations of the corpus.
import { startCoverage } from '#test/fuzz/coverage.ts';
import { mutate } from '#test/fuzz/mutate.ts';
import type { Random } from '#test/support/seeded-random.ts';

export interface Target {
  readonly name: string;
  /** Parts of the URLs of its code; only coverage of these files guides the fuzzer. */
  readonly paths: readonly string[];
  readonly corpus: readonly Uint8Array[];
  /** Throws if the property does not hold for this input. */
  readonly check: (input: Uint8Array) => void;
}

export interface Fuzzed {
  readonly inputs: number;
  /** Inputs in the corpus at the end. */
  readonly corpus: number;
  readonly blocks: number;
  /** Null if the property held for every input. */
  readonly failure: { readonly input: Uint8Array; readonly error: unknown } | null;
}

/** Taking the coverage costs as much as a hundred inputs, so it is taken once per batch. */
const BATCH = 100;
const MAX_INPUT_BYTES = 64 * 1024;

export function fuzz(
  target: Target,
  random: Random,
  shouldContinue: (inputs: number) => boolean,
): Fuzzed {
  const coverage = startCoverage(target.paths);
  const corpus: Uint8Array[] = [...target.corpus];
  let inputs = 0;
  let failure: Fuzzed['failure'] = null;
  const holds = (input: Uint8Array): boolean => {
    inputs += 1;
    try {
      target.check(input);
      return true;
    } catch (error) {
      failure = { input, error };
      return false;
    }
  };
  const pick = (): Uint8Array => corpus[random.int(corpus.length)] ?? new Uint8Array();

  const seen = new Set<string>();
  if (corpus.every(holds)) {
    for (const block of coverage.take()) seen.add(block);
    while (shouldContinue(inputs)) {
      const batch = Array.from({ length: BATCH }, () =>
        mutate(pick(), pick(), random).subarray(0, MAX_INPUT_BYTES),
      );
      if (!batch.every(holds)) break;
      const fresh = new Set([...coverage.take()].filter((block) => !seen.has(block)));
      if (fresh.size === 0) continue;
      for (const block of fresh) seen.add(block);
      corpus.push(...inputsThatReach(fresh, batch));
    }
  }
  return { inputs, corpus: corpus.length, blocks: seen.size, failure };

  /** Runs each input alone and returns those that reach a new block first. */
  function inputsThatReach(fresh: Set<string>, batch: readonly Uint8Array[]): Uint8Array[] {
    return batch.filter((input) => {
      if (fresh.size === 0) return false;
      holds(input);
      const reached = [...coverage.take()].filter((block) => fresh.delete(block));
      return reached.length > 0;
    });
  }
}
