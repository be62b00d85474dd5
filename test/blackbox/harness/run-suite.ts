// Runs scenarios side by side and judges each: passed, failed, known failure, or fixed without being
// removed from the list of known failures.
import { NotPossibleHere } from '#test/blackbox/harness/expect.ts';
import type { Scenario } from '#test/blackbox/harness/scenario.ts';
import { SharedHosts } from '#test/blackbox/harness/shared-hosts.ts';
import { World } from '#test/blackbox/harness/world.ts';

/** Waits in a scenario of the list of known failures end sooner: most of them end in a timeout. */
const PATIENCE_MS = 30_000;
const PATIENCE_WITH_KNOWN_MS = 10_000;

export type Verdict = 'passed' | 'failed' | 'known' | 'fixed' | 'skipped';

export interface Result {
  readonly scenario: Scenario;
  readonly verdict: Verdict;
  readonly seconds: number;
  /** The finding of a known failure, the reason why it was skipped, or what went wrong. */
  readonly says: string;
}

export interface SuiteOptions {
  readonly scenarios: readonly Scenario[];
  /** Finding number by the scenario's name. */
  readonly known: { readonly [name: string]: number };
  readonly atOnce: number;
  readonly onResult?: (result: Result) => void;
}

export async function runSuite(options: SuiteOptions): Promise<readonly Result[]> {
  const { scenarios, atOnce } = options;
  const shared = new SharedHosts();
  const results: Result[] = [];
  const run = async (scenario: Scenario): Promise<void> => {
    const tag = String(scenarios.indexOf(scenario) + 1);
    const result = await judge(scenario, tag, shared, options.known[scenario.name]);
    results.push(result);
    options.onResult?.(result);
  };
  try {
    // The first start builds the app if it must; a second one meanwhile would build it, too.
    await shared.everyday();
    const together = scenarios.filter(({ isAlone }) => !isAlone);
    const next = together.values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const scenario of next) await run(scenario);
      }),
    );
    for (const scenario of scenarios) if (scenario.isAlone) await run(scenario);
  } finally {
    await shared.close();
  }
  return results;
}

async function judge(
  scenario: Scenario,
  tag: string,
  shared: SharedHosts,
  finding: number | undefined,
): Promise<Result> {
  const isShort = finding !== undefined && !scenario.isPatient;
  const world = new World(tag, shared, isShort ? PATIENCE_WITH_KNOWN_MS : PATIENCE_MS);
  const startedAt = performance.now();
  const judged = await runStory(scenario, world, finding);
  const closed = await world.close().then(
    () => judged,
    (error: unknown) => ({ verdict: 'failed' as const, says: `cleaning up: ${textOf(error)}` }),
  );
  return { scenario, ...closed, seconds: (performance.now() - startedAt) / 1000 };
}

/** Runs the story and compares its end with the list of known failures. */
async function runStory(
  { story }: Scenario,
  world: World,
  finding: number | undefined,
): Promise<Pick<Result, 'verdict' | 'says'>> {
  try {
    await story(world);
    return finding === undefined
      ? { verdict: 'passed', says: '' }
      : {
          verdict: 'fixed',
          says: 'It passes now: remove it from test/blackbox/known-failures.ts.',
        };
  } catch (error) {
    if (error instanceof NotPossibleHere) return { verdict: 'skipped', says: error.message };
    if (finding !== undefined) {
      return { verdict: 'known', says: `finding ${finding}: ${textOf(error)}` };
    }
    return { verdict: 'failed', says: [textOf(error), ...world.logs()].join('\n') };
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
