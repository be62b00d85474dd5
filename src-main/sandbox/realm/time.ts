// Runs inside QuickJS as source text: it may use only its parameters and the language.
// The clock starts at the time that the host sets and advances in real time. Random numbers derive
// from the seed.

export interface ClockAndRandom {
  readonly begin: (now: number, seed: string) => void;
  readonly now: () => number;
  /** Whether code read the clock or a random number: its results must not be cached. */
  readonly wasUsed: () => boolean;
}

export function installTime(elapsed: () => number): ClockAndRandom {
  const NativeDate = Date;
  const { apply, construct, defineProperty } = Reflect;
  const charCode = String.prototype.charCodeAt;
  const { imul, floor } = Math;
  let start = 0;
  let used = false;
  let seed = '';
  let isSeeded = false;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;

  function begin(startTime: number, seedOfPhase: string): void {
    start = startTime;
    used = false;
    seed = seedOfPhase;
    isSeeded = false;
  }

  /** Lazy: most phases use no random numbers. */
  function seedGenerator(): void {
    isSeeded = true;
    let hash = 0x811c9dc5;
    for (let index = 0; index < seed.length; index += 1) {
      hash = imul(hash ^ apply(charCode, seed, [index]), 0x01000193);
    }
    a = hash | 0;
    b = imul(hash, 0x9e3779b1) | 0;
    c = imul(hash ^ 0x85ebca6b, 0xc2b2ae35) | 0;
    d = 1;
    for (let round = 0; round < 12; round += 1) next();
  }

  function now(): number {
    return floor(start + elapsed());
  }

  /** sfc32: small, fast, with a period that is long enough for a phase. */
  function next(): number {
    const sum = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  function HoldfastDate(this: unknown, ...args: number[]): unknown {
    if (!new.target) {
      used = true;
      return new NativeDate(now()).toString();
    }
    if (args.length > 0) return construct(NativeDate, args, new.target);
    used = true;
    return construct(NativeDate, [now()], new.target);
  }

  function define(target: object, name: string, value: unknown): void {
    defineProperty(target, name, { value, writable: true, enumerable: false, configurable: true });
  }

  HoldfastDate.prototype = NativeDate.prototype;
  define(HoldfastDate, 'name', 'Date');
  define(HoldfastDate, 'length', 7);
  define(HoldfastDate, 'parse', NativeDate.parse);
  define(HoldfastDate, 'UTC', NativeDate.UTC);
  define(HoldfastDate, 'now', () => {
    used = true;
    return now();
  });
  define(NativeDate.prototype, 'constructor', HoldfastDate);
  define(globalThis, 'Date', HoldfastDate);
  define(Math, 'random', () => {
    used = true;
    if (!isSeeded) seedGenerator();
    return (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53;
  });

  return { begin, now, wasUsed: () => used };
}
