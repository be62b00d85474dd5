// What a simulation did, in numbers.
export const NO_TOTALS = {
  devices: 0,
  steps: 0,
  frames: 0,
  effects: 0,
  /** Effects that happened more than once. */
  repeated: 0,
  incidents: 0,
  crashes: 0,
  powerCuts: 0,
  sleeps: 0,
  jumps: 0,
  wentBack: 0,
  misled: 0,
  diskFailures: 0,
  offline: 0,
};

export type Totals = Readonly<typeof NO_TOTALS>;
export type Counted =
  | 'crashes'
  | 'powerCuts'
  | 'sleeps'
  | 'jumps'
  | 'wentBack'
  | 'misled'
  | 'diskFailures'
  | 'offline';

export function sumOf(one: Totals, other: Totals): Totals {
  const names = Object.keys(one) as (keyof Totals)[];
  return Object.fromEntries(
    names.map((name) => [name, one[name] + other[name]]),
  ) as unknown as Totals;
}
