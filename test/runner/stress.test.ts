// A small run of `npm run runner-stress`.
import { expect, test } from 'vitest';
import { runNode } from '#test/support/child-processes.ts';

test('[RV-7] with cancels and a kill of the host, 60 jobs all end, none runs twice, and no process is left', async () => {
  const { code, stdout, stderr } = await runNode('test/runner/stress/stress.ts', [
    '--jobs',
    '60',
    '--kills',
    '1',
    '--json',
  ]);
  expect(code, stdout + stderr).toBe(0);
  const { totals } = JSON.parse(stdout) as { totals: { byStatus: Record<string, number> } };
  expect(totals).toMatchObject({
    jobs: 60,
    kills: 1,
    unfinished: 0,
    ranTwice: 0,
    processesLeft: 0,
    tornLogs: [],
  });
  expect(totals.byStatus['succeeded']).toBeGreaterThan(0);
  expect(totals.byStatus['timed_out']).toBeGreaterThan(0);
}, 120_000);
