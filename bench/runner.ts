// The runner against the bare spawn of the same program; how soon a follower sees what was printed;
// and what a log of a gibibyte costs.
import { report } from './harness.ts';
import { followLatency } from './runner/follow-latency.ts';
import { openRunner } from './runner/runner-host.ts';
import { largeLogMemory } from './runner/large-log.ts';
import { jobsPerSecond } from './runner/throughput.ts';

const runner = await openRunner();
try {
  report('runner', [
    await jobsPerSecond(runner),
    await followLatency(runner),
    await largeLogMemory(runner),
  ]);
} finally {
  await runner.close();
}
