// Every scenario, by theme.
import type { Scenario } from '#test/blackbox/harness/scenario.ts';
import { arriving } from '#test/blackbox/scenarios/arriving.ts';
import { effects } from '#test/blackbox/scenarios/effects.ts';
import { crash } from '#test/blackbox/scenarios/crash.ts';
import { settling } from '#test/blackbox/scenarios/settling.ts';

export const SCENARIOS: readonly Scenario[] = [arriving, effects, settling, crash].flatMap(
  ({ scenarios }) => scenarios,
);
