// The command line of a host that waits for its other devices.
import { expect, it, onTestFinished } from 'vitest';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import type { Host } from '#main/host/host.ts';
import { holdfast, succeeds } from '#test/cli/holdfast.ts';
import { succeed } from '#test/support/api-calls.ts';
import { pairHosts, startHost, untilLive } from '#test/support/paired-hosts.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

async function serve(host: Host): Promise<void> {
  const server = await startHttpServer({ host, port: 0 });
  onTestFinished(() => server.close());
  const { startedAt } = host;
  host.folder.lock.announce({ pid: process.pid, startedAt, url: server.url });
}

it('[GB-6] "list" says that the host waits and why, and "continue" skips the wait', async () => {
  const dataDir = tempFolder();
  const data = ['--data', dataDir];
  const other = startHost();
  const first = startHost(dataDir);
  await pairHosts(first, other);
  await untilLive(first, other);
  await other.close();
  await first.kill();
  const host = startHost(dataDir);
  await serve(host);
  expect(await succeeds('list', ...data)).toMatch(
    /^Waiting for your other devices \(.+\) until .+, because Holdfast did not stop cleanly\. To run workflows now: holdfast continue$/m,
  );
  expect(await succeeds('continue', ...data)).toBe('Stopped waiting. Workflows run now.\n');
  expect(host.engine.isStarted).toBe(true);
  expect((await succeed(host.dispatch, 'startCheck.get', {})).asking).toBe(null);
  expect(await succeeds('continue', ...data)).toBe('Holdfast is not waiting for other devices.\n');
  expect((await holdfast('list', ...data)).stdout).not.toContain('Waiting');
});
