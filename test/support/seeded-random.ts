// Deterministic random numbers: the same seed gives the same numbers on every machine.

export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** An integer from 0 to below `below`. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
  /** True with a probability of `percent` %. */
  chance(percent: number): boolean;
  bytes(count: number): Uint8Array;
}

/** The mulberry32 generator. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    int,
    pick: (from) => from[int(from.length)] as (typeof from)[number],
    chance: (percent) => next() * 100 < percent,
    bytes: (count) => Uint8Array.from({ length: count }, () => int(256)),
  };
}
