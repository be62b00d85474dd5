// The runner against spawning the same program directly, the latency of following a log, and the
// memory that the host needs for a log of 1 GiB.
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
