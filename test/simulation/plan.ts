// The steps of a simulation as data. A plan is determined by its seed, and can be shortened step by step
// to find the smallest one that fails.
import { createRandom, type Random } from '#test/support/seeded-random.ts';
import { FAULTS, type Fault, type Lie } from '#test/simulation/simulated-world.ts';

export const WORKFLOWS = ['asks', 'shouts'] as const;
export type WorkflowName = (typeof WORKFLOWS)[number];

export type Step =
  | { readonly type: 'pass'; readonly ms: number }
  | {
      readonly type: 'publish';
      readonly device: number;
      readonly workflow: WorkflowName;
      readonly id: string;
    }
  | { readonly type: 'fault'; readonly fault: Fault | Lie }
  | { readonly type: 'cut' | 'heal'; readonly a: number; readonly b: number }
  | { readonly type: 'split'; readonly group: readonly number[] }
  | { readonly type: 'heal_all' }
  /** After `at` more engine steps; 0: immediately. */
  | { readonly type: 'crash'; readonly device: number; readonly at: number }
  | { readonly type: 'restart'; readonly device: number }
  | { readonly type: 'skew'; readonly device: number; readonly ms: number }
  | { readonly type: 'take_over'; readonly device: number; readonly workflow: WorkflowName }
  | { readonly type: 'hand_over'; readonly workflow: WorkflowName; readonly to: number }
  /** A person settles the first unknown outcome that this device shows. */
  | { readonly type: 'resolve'; readonly device: number; readonly as: Answer }
  | { readonly type: 'pause' | 'resume'; readonly device: number; readonly workflow: WorkflowName }
  /** The device restarts with an older schema version, or with the current one. */
  | { readonly type: 'older' | 'newer'; readonly device: number }
  /** The data folder of a device is copied to a new device, which starts with it. */
  | { readonly type: 'copy'; readonly device: number };

/** `truth`: as it happened. The others are chosen without checking the outside. */
export const ANSWERS = [
  'truth',
  'truth',
  'truth',
  'happened',
  'did_not_happen',
  'retry',
  'skip',
] as const;
export type Answer = (typeof ANSWERS)[number];

export interface Plan {
  readonly seed: number;
  readonly devices: number;
  readonly steps: readonly Step[];
}

const MAX_DEVICES = 7;
const STEPS = { least: 15, spread: 45 };

export function planOf(seed: number): Plan {
  const random = createRandom(seed);
  // Mostly two to four devices, sometimes more.
  const devices = Math.min(
    MAX_DEVICES,
    2 + random.int(2) + random.int(2) + random.int(4) * random.int(2),
  );
  const count = STEPS.least + random.int(STEPS.spread);
  return {
    seed,
    devices,
    steps: Array.from({ length: count }, (_, index) => stepOf(random, devices, index)),
  };
}

type Maker = (random: Random, devices: number, index: number) => Step;

const device = (random: Random, devices: number): number => random.int(devices);

const MAKERS: readonly (readonly [weight: number, make: Maker])[] = [
  [24, (random) => ({ type: 'pass', ms: 1 + random.int(random.pick([2000, 30_000, 600_000])) })],
  [
    26,
    (random, devices, index) => ({
      type: 'publish',
      device: device(random, devices),
      workflow: random.pick(WORKFLOWS),
      id: random.chance(15) ? 'again' : `m${index}`,
    }),
  ],
  [12, (random) => ({ type: 'fault', fault: random.pick(FAULTS) })],
  [
    6,
    (random, devices) => ({ type: 'cut', a: device(random, devices), b: device(random, devices) }),
  ],
  [
    4,
    (random, devices) => ({ type: 'heal', a: device(random, devices), b: device(random, devices) }),
  ],
  [
    5,
    (random, devices) => ({
      type: 'split',
      group: Array.from({ length: devices }, (_, index) => index).filter(() => random.chance(50)),
    }),
  ],
  [5, () => ({ type: 'heal_all' })],
  [
    7,
    (random, devices) => ({ type: 'crash', device: device(random, devices), at: random.int(14) }),
  ],
  [7, (random, devices) => ({ type: 'restart', device: device(random, devices) })],
  [
    3,
    (random, devices) => ({
      type: 'skew',
      device: device(random, devices),
      ms: (random.int(13) - 6) * 3_600_000,
    }),
  ],
  [
    5,
    (random, devices) => ({
      type: 'take_over',
      device: device(random, devices),
      workflow: random.pick(WORKFLOWS),
    }),
  ],
  [
    5,
    (random, devices) => ({
      type: 'hand_over',
      workflow: random.pick(WORKFLOWS),
      to: device(random, devices),
    }),
  ],
  [
    10,
    (random, devices) => ({
      type: 'resolve',
      device: device(random, devices),
      as: random.pick(ANSWERS),
    }),
  ],
  [
    4,
    (random, devices) => ({
      type: random.pick(['pause', 'resume'] as const),
      device: device(random, devices),
      workflow: random.pick(WORKFLOWS),
    }),
  ],
  [
    2,
    (random, devices) => ({
      type: random.pick(['older', 'newer'] as const),
      device: device(random, devices),
    }),
  ],
  [1, (random, devices) => ({ type: 'copy', device: device(random, devices) })],
];

const TOTAL = MAKERS.reduce((sum, [weight]) => sum + weight, 0);

function stepOf(random: Random, devices: number, index: number): Step {
  let left = random.int(TOTAL);
  for (const [weight, make] of MAKERS) {
    if (left < weight) return make(random, devices, index);
    left -= weight;
  }
  throw new Error('The weights do not add up to their total.');
}
