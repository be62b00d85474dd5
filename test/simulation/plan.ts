// The steps of a simulation as data. A plan is determined by its seed, and can be shortened step by step
// to find the smallest one that fails.
import { WORKFLOWS, type WorkflowName } from '#test/simulation/simulated-workflows.ts';
import { createRandom, type Random } from '#test/support/seeded-random.ts';
import { FAULTS, MISLEADING, WINDOW_MS, type Fault } from '#test/simulation/courses.ts';

export type Step =
  | { readonly type: 'pass'; readonly ms: number }
  | {
      readonly type: 'publish';
      readonly device: number;
      readonly workflow: WorkflowName;
      readonly id: string;
    }
  /** The next request goes this way. `ms`: the delay of the faults that delay. */
  | { readonly type: 'fault'; readonly fault: Fault; readonly ms: number }
  | { readonly type: 'cut' | 'heal'; readonly a: number; readonly b: number }
  | { readonly type: 'split'; readonly group: readonly number[] }
  | { readonly type: 'heal_all' }
  /** After `at` more engine steps; 0: immediately. `crash`: the process ends, the machine does not. */
  | { readonly type: 'crash' | 'power_cut'; readonly device: number; readonly at: number }
  /** The device sleeps for `ms`, from wherever its engine is then. */
  | { readonly type: 'sleep'; readonly device: number; readonly at: number; readonly ms: number }
  /** Its clock is set forward or back by `ms`. */
  | { readonly type: 'jump'; readonly device: number; readonly at: number; readonly ms: number }
  /** Its next fsyncs fail. */
  | { readonly type: 'fsync_fails'; readonly device: number; readonly count: number }
  | { readonly type: 'disk_full'; readonly device: number; readonly ms: number }
  /** The device reaches nothing outside; with `alone` no other device either. */
  | {
      readonly type: 'offline';
      readonly device: number;
      readonly ms: number;
      readonly alone: boolean;
    }
  /** Keeps a copy of the database. */
  | { readonly type: 'save'; readonly device: number }
  /** The database alone goes back to the copy, or the machine with everything on it. */
  | {
      readonly type: 'go_back';
      readonly device: number;
      readonly what: 'database' | 'machine';
    }
  /** For tests of the check: its fsyncs are confirmed and not carried out. */
  | { readonly type: 'disk_lies'; readonly device: number }
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
  /** Fsyncs and calls end at once. */
  readonly isInstant?: true;
  readonly steps: readonly Step[];
}

/** Numbers of devices. Each one exchanges every change with all others, so many devices are rare. */
const DEVICES = [2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 4, 5] as const;
const STEPS = { least: 12, spread: 30 };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Kinds of faults that can be switched off. A seed's other steps stay the same. */
export const FAULT_KINDS = [
  'power',
  'sleep',
  'jumps',
  'misleading',
  'disk',
  'offline',
  'rollback',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export function planOf(seed: number, kinds: readonly FaultKind[] = FAULT_KINDS): Plan {
  const random = createRandom(seed);
  const devices = random.pick(DEVICES);
  const count = STEPS.least + random.int(STEPS.spread);
  const made = Array.from({ length: count }, (_, index) => stepOf(random, devices, index));
  const kept = made.filter(({ kind }) => kind === null || kinds.includes(kind));
  return { seed, devices, steps: kept.flatMap(({ steps }) => steps) };
}

/** One step, or several that are likely to meet. */
type Maker = (random: Random, devices: number, index: number) => Step | readonly Step[];

const device = (random: Random, devices: number): number => random.int(devices);

/** Seconds to hours; days are rare, because every device that is awake is simulated meanwhile. */
const longTime = (random: Random): number =>
  MINUTE_MS + random.int(random.pick([5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS]));

/** A workflow goes to a device and gets an event, which the device begins to handle. */
function workOn(random: Random, to: number, workflow: WorkflowName, id: string): readonly Step[] {
  return [
    { type: 'hand_over', workflow, to },
    { type: 'pass', ms: 5000 },
    { type: 'publish', device: to, workflow, id },
    { type: 'pass', ms: 1 + random.int(40) },
  ];
}

/** A request is under way, a check would find nothing, and the time of its device is disturbed. */
function underWay(random: Random, devices: number, index: number): readonly Step[] {
  const to = device(random, devices);
  const [at, ms] = [random.int(4), longTime(random)];
  const disturb: Step = random.pick([
    { type: 'jump', device: to, at, ms },
    { type: 'sleep', device: to, at, ms },
    { type: 'power_cut', device: to, at },
  ]);
  return [
    { type: 'fault', fault: 'under_way', ms: WINDOW_MS - 1 - random.int(30_000) },
    ...workOn(random, to, 'asks', `m${index}`),
    disturb,
    { type: 'pass', ms: 1 + random.int(2000) },
    { type: 'restart', device: to },
    { type: 'jump', device: to, at: 0, ms: random.chance(50) ? ms : 0 },
    { type: 'pass', ms: ms + 10_000 },
  ];
}

/** A device sleeps in the middle of a run, and another one takes the workflow over. */
function takenOverInSleep(random: Random, devices: number, index: number): readonly Step[] {
  const [to, workflow, ms] = [device(random, devices), random.pick(WORKFLOWS), longTime(random)];
  const other = (to + 1) % devices;
  return [
    { type: 'sleep', device: to, at: 1 + random.int(12), ms },
    ...workOn(random, to, workflow, `m${index}`),
    { type: 'take_over', device: other, workflow },
    { type: 'pass', ms: 1 + random.int(ms) },
    { type: 'resolve', device: other, as: 'truth' },
    { type: 'pass', ms },
  ];
}

const GOES_BACK = ['database', 'machine'] as const;

/** A device makes an effect and then knows nothing of it. Its peers may know, and may be reachable. */
function goesBack(random: Random, devices: number, index: number): readonly Step[] {
  const back = device(random, devices);
  const isAlone = random.chance(40);
  return [
    { type: 'restart', device: back },
    // The copy has the event, and the effect is made by the retry.
    { type: 'fault', fault: 'unreachable', ms: 0 },
    ...workOn(random, back, random.pick(WORKFLOWS), `m${index}`),
    { type: 'pass', ms: 600 },
    { type: 'save', device: back },
    { type: 'pass', ms: 1 + random.int(20_000) },
    ...(isAlone ? [{ type: 'split', group: [back] } as const] : []),
    { type: 'go_back', device: back, what: random.pick(GOES_BACK) },
    { type: 'pass', ms: longTime(random) },
    ...(isAlone ? [{ type: 'heal_all' } as const] : []),
  ];
}

/** Mostly one day at most, because it takes seconds to simulate three. */
function offlineForDays(random: Random, devices: number, index: number): readonly Step[] {
  const away = device(random, devices);
  const ms = random.int(random.pick([24, 24, 24, 72])) * HOUR_MS;
  if (random.chance(80)) return [{ type: 'offline', device: away, ms: MINUTE_MS, alone: true }];
  return [
    { type: 'offline', device: away, ms, alone: random.chance(50) },
    ...workOn(random, away, random.pick(WORKFLOWS), `m${index}`),
    { type: 'pass', ms },
  ];
}

const ALWAYS: readonly (readonly [weight: number, make: Maker])[] = [
  [
    24,
    (random) => ({ type: 'pass', ms: 1 + random.int(random.pick([40, 2000, 30_000, 600_000])) }),
  ],
  [1, (random) => ({ type: 'pass', ms: longTime(random) })],
  [
    26,
    (random, devices, index) => ({
      type: 'publish',
      device: device(random, devices),
      workflow: random.pick(WORKFLOWS),
      id: random.chance(15) ? 'again' : `m${index}`,
    }),
  ],
  [12, (random) => ({ type: 'fault', fault: random.pick(FAULTS), ms: 0 })],
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

/** The weight of each kind of fault, and how its step is made. */
const KINDS: Readonly<Record<FaultKind, readonly (readonly [weight: number, make: Maker])[]>> = {
  power: [
    [
      9,
      (random, devices) => ({
        type: 'power_cut',
        device: device(random, devices),
        at: random.int(12),
      }),
    ],
  ],
  sleep: [
    [
      8,
      (random, devices) => ({
        type: 'sleep',
        device: device(random, devices),
        at: random.int(10),
        ms: longTime(random),
      }),
    ],
    [2, takenOverInSleep],
  ],
  jumps: [
    [
      5,
      (random, devices) => ({
        type: 'jump',
        device: device(random, devices),
        at: random.int(10),
        ms: (random.int(121) - 60) * random.pick([1000, MINUTE_MS, 6 * MINUTE_MS]),
      }),
    ],
  ],
  misleading: [
    [
      8,
      (random) => {
        const fault = random.pick(MISLEADING);
        // What is under way ends within the window; an answer can come long after it.
        const limit = fault === 'late_answer' ? 20 * MINUTE_MS : WINDOW_MS - MINUTE_MS / 4;
        return { type: 'fault', fault, ms: 1 + random.int(limit) };
      },
    ],
    [2, underWay],
  ],
  disk: [
    [
      2,
      (random, devices) => ({
        type: 'fsync_fails',
        device: device(random, devices),
        count: 1 + random.int(3),
      }),
    ],
    [
      1,
      (random, devices) => ({
        type: 'disk_full',
        device: device(random, devices),
        ms: random.int(10 * MINUTE_MS),
      }),
    ],
  ],
  offline: [
    [
      2,
      (random, devices) => ({
        type: 'offline',
        device: device(random, devices),
        ms: longTime(random),
        alone: random.chance(50),
      }),
    ],
    [1, offlineForDays],
  ],
  rollback: [
    [1, (random, devices) => ({ type: 'save', device: device(random, devices) })],
    [
      1,
      (random, devices) => ({
        type: 'go_back',
        device: device(random, devices),
        what: random.pick(GOES_BACK),
      }),
    ],
    [3, goesBack],
  ],
};

interface WeightedMaker {
  readonly kind: FaultKind | null;
  readonly weight: number;
  readonly make: Maker;
}

const MAKERS: readonly WeightedMaker[] = [
  ...ALWAYS.map(([weight, make]) => ({ kind: null, weight, make })),
  ...FAULT_KINDS.flatMap((kind) => KINDS[kind].map(([weight, make]) => ({ kind, weight, make }))),
];

const TOTAL = MAKERS.reduce((sum, { weight }) => sum + weight, 0);

function stepOf(
  random: Random,
  devices: number,
  index: number,
): { readonly kind: FaultKind | null; readonly steps: Step | readonly Step[] } {
  let left = random.int(TOTAL);
  for (const { kind, weight, make } of MAKERS) {
    if (left < weight) return { kind, steps: make(random, devices, index) };
    left -= weight;
  }
  throw new Error('The weights do not add up to their total.');
}
