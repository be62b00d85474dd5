// A scenario is a sentence that a user would say, and the story that proves it.
import type { World } from '#test/blackbox/harness/world.ts';

export interface Scenario {
  readonly theme: string;
  readonly name: string;
  readonly story: (world: World) => Promise<void>;
  /** Runs in `npm run test:slow` as well. */
  readonly isQuick: boolean;
  /** Runs while no other scenario does: it measures time, or needs both cores. */
  readonly isAlone: boolean;
  /** Its conditions take their time even when all is well. */
  readonly isPatient: boolean;
}

interface Options {
  readonly quick?: boolean;
  readonly alone?: boolean;
  readonly patient?: boolean;
}

export interface Theme {
  readonly scenarios: readonly Scenario[];
  /** Adds a scenario to this theme. */
  scenario(name: string, story: Scenario['story'], options?: Options): void;
}

export function theme(title: string): Theme {
  const scenarios: Scenario[] = [];
  return {
    scenarios,
    scenario(name, story, { quick = false, alone = false, patient = false } = {}) {
      const how = { isQuick: quick, isAlone: alone, isPatient: patient };
      scenarios.push({ theme: title, name, story, ...how });
    },
  };
}
