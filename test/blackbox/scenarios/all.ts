// Every scenario, by theme.
import type { Scenario } from '#test/blackbox/harness/scenario.ts';
import { arriving } from '#test/blackbox/scenarios/arriving.ts';
import { effects } from '#test/blackbox/scenarios/effects.ts';
import { crash } from '#test/blackbox/scenarios/crash.ts';
import { schedules } from '#test/blackbox/scenarios/schedules.ts';
import { settling } from '#test/blackbox/scenarios/settling.ts';
import { versions } from '#test/blackbox/scenarios/versions.ts';

export const SCENARIOS: readonly Scenario[] = [
  arriving,
  effects,
  settling,
  crash,
  schedules,
  versions,
].flatMap(({ scenarios }) => scenarios);
