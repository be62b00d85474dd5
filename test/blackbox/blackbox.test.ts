// The quick part of `npm run blackbox`: scenarios of each kind against real hosts, from outside.
import { beforeAll, describe, expect, it } from 'vitest';
import { runSuite, type Result } from '#test/blackbox/harness/run-suite.ts';
import { KNOWN_FAILURES } from '#test/blackbox/known-failures.ts';
import { SCENARIOS } from '#test/blackbox/scenarios/all.ts';

const quick = SCENARIOS.filter(({ isQuick }) => isQuick);
let results: readonly Result[] = [];

beforeAll(async () => {
  results = await runSuite({ scenarios: quick, known: KNOWN_FAILURES, atOnce: 4 });
}, 300_000);

describe('from outside', () => {
  it.each(quick)('$theme: $name', (scenario) => {
    const result = results.find((each) => each.scenario === scenario);
    expect(result?.verdict, result?.says).toBeOneOf(['passed', 'known', 'skipped']);
  });
});

describe('the list of known failures', () => {
  it('names scenarios that exist', () => {
    const names = SCENARIOS.map(({ name }) => name);
    expect(Object.keys(KNOWN_FAILURES).filter((name) => !names.includes(name))).toEqual([]);
  });

  it('and no two scenarios have the same name', () => {
    const names = SCENARIOS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});
