// The runner against spawning the same program directly, the latency of following a log, and the
// memory that the host needs for a log of 1 GiB.
import { medianOf, report, type Figure } from './harness.ts';
import { followLatency } from './runner/follow-latency.ts';
import { openRunner } from './runner/runner-host.ts';
import { largeLogMemory } from './runner/large-log.ts';
import { jobsPerSecond } from './runner/throughput.ts';

const ROUNDS = 3;

const runner = await openRunner();
try {
  // Warm-up. Not counted.
  await jobsPerSecond(runner, 0);
  const rounds: Figure[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push([
      await jobsPerSecond(runner, round),
      await followLatency(runner),
      await largeLogMemory(runner),
    ]);
  }
  report('runner', medianOf(rounds));
} finally {
  await runner.close();
}
