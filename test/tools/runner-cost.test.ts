// What a script cost: the amount that it reports in its output, or the price in the registry.
import { expect, test } from 'vitest';
import type { Spent } from '#main/tools/call-cost.ts';
import { callMutation, reconcileMutation } from '#main/tools/call-tool.ts';
import { createRunnerTool } from '#main/tools/runner/runner.ts';
import type { MutationOutcome, ReconcileOutcome } from '#main/tools/tool.ts';
import { startRunner } from '#test/support/start-runner.ts';
import type { TestScripts } from '#test/support/runner-files.ts';
import { testHost } from '#test/tools/call-host.ts';

function start(scripts: TestScripts): {
  run(script: string): Promise<MutationOutcome & Spent>;
  check(script: string): Promise<ReconcileOutcome & Spent>;
} {
  const { host } = startRunner({ scripts });
  const tools = { runner: createRunnerTool(host.runner) };
  const call = (script: string) => ({
    namespace: 'runner',
    method: 'run',
    params: { script, repo: 'main' },
    grant: { scripts: Object.keys(scripts) },
    effectId: `effect-${script}`,
  });
  return {
    run: (script) => callMutation(tools, call(script), testHost()),
    check: (script) =>
      reconcileMutation(tools, { ...call(script), sentAt: Date.now() }, testHost()),
  };
}

test('[CO-4] a script costs its price in the registry, also if it failed, and nothing without one', async () => {
  const { run } = start({
    paid: { sh: 'echo done', cost: { usd: 0.05 } },
    failed: { sh: 'exit 3', cost: { usd: 0.05 } },
    free: { sh: 'echo done' },
  });
  expect(await run('paid')).toMatchObject({ type: 'applied', cost: 50_000 });
  expect(await run('failed')).toMatchObject({ type: 'applied', cost: 50_000 });
  expect((await run('free')).cost).toBeUndefined();
});

test('[CO-4] the last cost that a script reports counts instead of its price, also for a later check', async () => {
  const report =
    'echo HOLDFAST_COST_USD=1; echo "not HOLDFAST_COST_USD=9"; echo HOLDFAST_COST_USD=0.0123 >&2';
  const { run, check } = start({
    both: { sh: report, cost: { usd: 0.05 } },
    reported: { sh: `${report}; echo bye` },
  });
  for (const script of ['both', 'reported']) {
    expect(await run(script)).toMatchObject({ type: 'applied', cost: 12_300 });
    expect(await check(script)).toMatchObject({ type: 'happened', cost: 12_300 });
  }
});

test('[CO-5] a report that is no amount leaves the price, and says so', async () => {
  const { run } = start({ odd: { sh: 'echo HOLDFAST_COST_USD=much', cost: { usd: 0.05 } } });
  expect(await run('odd')).toMatchObject({
    type: 'applied',
    cost: 50_000,
    costProblem:
      'The cost of runner.run is incomplete: the script reported "much", which is not an amount.',
  });
});
