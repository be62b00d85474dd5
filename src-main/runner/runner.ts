// The runner of a host: always the job queue, and the launcher where it is enabled.
import { mkdirSync } from 'node:fs';
import type { Logger } from 'pino';
import type { RunnerConfig } from '#main/runner/config.ts';
import { Launcher } from '#main/runner/launcher.ts';
import { fullPath, RegistryFile } from '#main/runner/registry-file.ts';
import { createNetworkIsolation, type NetworkIsolation } from '#main/runner/network-isolation.ts';
import { JobQueue } from '#main/runner/job-queue.ts';
import { createProcessTree } from '#main/runner/system-tree.ts';
import type { Masker } from '#main/secrets/masker.ts';
import { recordsSince } from '#main/store/queries/backup-mark.ts';
import type { StoreContext } from '#main/store/store-context.ts';
import type { Stores } from '#main/store/stores.ts';

export interface RunnerOptions {
  readonly config: RunnerConfig;
  readonly stores: Stores;
  readonly store: StoreContext;
  readonly masker: Masker;
  readonly secret: (name: string) => Promise<string>;
  readonly log: Logger;
  /** Replaces that of this system, for tests. */
  readonly isolation?: NetworkIsolation | undefined;
}

export interface Runner {
  readonly config: RunnerConfig;
  readonly queue: JobQueue;
  readonly isolation: NetworkIsolation;
  /** Jobs from before this time may be missing, because the database went back. */
  readonly recordsSince: number;
  /** Does nothing when the runner is off. */
  start(): void;
  stop(): Promise<void>;
}

export function createRunner(options: RunnerOptions): Runner {
  const { config, stores, store, masker, secret, log } = options;
  const { db, clock, ids } = store;
  const jobs = stores.runnerJobs;
  const isolation = options.isolation ?? createNetworkIsolation();
  const registry = new RegistryFile(config.registryPath, ({ repos }) =>
    stores.runnerRepos.replace(
      Object.entries(repos).map(([key, { title, path }]) => ({
        key,
        title: title ?? key,
        path: fullPath(path),
      })),
    ),
  );
  let launcher: Launcher | undefined;
  const queue = new JobQueue({
    db,
    jobs,
    registry,
    logDir: config.logDir,
    maxQueueSize: config.maxQueueSize,
    maxQueuedPerUser: config.maxQueuedPerUser,
    onQueued: () => launcher?.wake(),
    onCancel: (jobId) => launcher?.cancel(jobId),
  });
  return {
    config,
    queue,
    isolation,
    get recordsSince() {
      return recordsSince(stores.settings);
    },
    start() {
      if (!config.isEnabled || launcher) return;
      mkdirSync(config.logDir, { recursive: true, mode: 0o700 });
      launcher = new Launcher({
        db,
        jobs,
        registry,
        tree: createProcessTree(config.usesCgroups),
        logDir: config.logDir,
        isolation,
        masker,
        secret,
        clock,
        log,
        logGrew: (jobId) => db.changes.notify('runner_logs', jobId),
        lock: stores.runnerLauncher,
        concurrency: config.concurrency,
        maxLogDirBytes: config.maxLogDirBytes,
        owner: ids.uuid(),
      });
      launcher.start();
    },
    async stop() {
      await launcher?.stop();
    },
  };
}
