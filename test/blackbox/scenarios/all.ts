// Every scenario, by theme.
import type { Scenario } from '#test/blackbox/harness/scenario.ts';
import { arriving } from '#test/blackbox/scenarios/arriving.ts';
import { badInput } from '#test/blackbox/scenarios/bad-input.ts';
import { crash } from '#test/blackbox/scenarios/crash.ts';
import { deciding } from '#test/blackbox/scenarios/deciding.ts';
import { devices } from '#test/blackbox/scenarios/devices.ts';
import { effects } from '#test/blackbox/scenarios/effects.ts';
import { folders } from '#test/blackbox/scenarios/folders.ts';
import { inputs } from '#test/blackbox/scenarios/inputs.ts';
import { isolation } from '#test/blackbox/scenarios/isolation.ts';
import { messages } from '#test/blackbox/scenarios/messages.ts';
import { numbers } from '#test/blackbox/scenarios/numbers.ts';
import { ownership } from '#test/blackbox/scenarios/ownership.ts';
import { refusals } from '#test/blackbox/scenarios/refusals.ts';
import { runner } from '#test/blackbox/scenarios/runner.ts';
import { schedules } from '#test/blackbox/scenarios/schedules.ts';
import { settling } from '#test/blackbox/scenarios/settling.ts';
import { versions } from '#test/blackbox/scenarios/versions.ts';
import { waking } from '#test/blackbox/scenarios/waking.ts';
import { webhooks } from '#test/blackbox/scenarios/webhooks.ts';

const THEMES = [
  arriving,
  waking,
  effects,
  refusals,
  settling,
  deciding,
  crash,
  folders,
  schedules,
  versions,
  inputs,
  webhooks,
  runner,
  devices,
  ownership,
  messages,
  badInput,
  numbers,
  isolation,
];

export const SCENARIOS: readonly Scenario[] = THEMES.flatMap(({ scenarios }) => scenarios);
