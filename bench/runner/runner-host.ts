// A real host with its server, and the scripts that the figures run.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startHttpServer } from '#main/api/transport/http-server.ts';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import { isRefusal } from '#main/runner/refusal.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { tempFolderUntilExit } from '../engine/temp-folder-until-exit.ts';

const GIB = 1024 ** 3;

export const PROGRAM = '/bin/true';
export const CONCURRENCY = 4;
export const TICKS = 60;

export interface BenchRunner {
  readonly host: Host;
  readonly url: string;
  readonly token: string;
  start(scriptKey: string): RunnerJob;
  ended(job: RunnerJob): Promise<RunnerJob>;
  close(): Promise<void>;
}

export async function openRunner(): Promise<BenchRunner> {
  const dataDir = tempFolderUntilExit('runner');
  writeRegistry(dataDir);
  const host = createHost({
    dataDir,
    createLog: createSilentLog,
    runner: {
      isEnabled: true,
      concurrency: CONCURRENCY,
      maxQueueSize: 10_000,
      maxQueuedPerUser: 10_000,
    },
  });
  const server = await startHttpServer({ host, port: 0 });
  const { queue } = host.runner;
  return {
    host,
    url: server.url,
    token: host.token.current,
    start(scriptKey) {
      const enqueued = queue.enqueue({
        requestedBy: 'bench',
        idempotencyKey: null,
        repoKey: 'main',
        scriptKey,
        args: {},
      });
      if (isRefusal(enqueued)) throw new Error(enqueued.message);
      return enqueued.job;
    },
    ended: (job) => queue.whenEnded(job.id, new AbortController().signal),
    async close() {
      await server.close();
      await host.close();
    },
  };
}

function writeRegistry(dataDir: string): void {
  const repo = join(dataDir, 'repo');
  mkdirSync(repo);
  const ticks = join(repo, 'ticks.sh');
  // Each line is the time at which it was printed.
  writeFileSync(
    ticks,
    `#!/bin/sh\nn=0\nwhile [ $n -lt ${TICKS} ]; do n=$((n+1)); date +%s%3N; sleep 0.05; done\n`,
  );
  chmodSync(ticks, 0o755);
  const scripts = {
    true: { title: 'true', executable: PROGRAM, concurrency: 64 },
    ticks: { title: 'ticks', executable: 'ticks.sh' },
    flood: {
      title: 'flood',
      executable: '/usr/bin/head',
      fixedArgs: ['-c', String(GIB), '/dev/zero'],
      maxLogBytes: 2 * GIB,
    },
  };
  const registry = { repos: { main: { path: repo } }, scripts };
  writeFileSync(join(dataDir, 'runner.json'), JSON.stringify(registry));
}
