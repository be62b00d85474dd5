// The runner's settings, from environment variables of the host.
import { join } from 'node:path';
import { StartError } from '#main/platform/start-error.ts';

const GIB = 1024 ** 3;

export interface RunnerConfig {
  /** Whether this host runs jobs. Otherwise jobs can be queued and wait. */
  readonly isEnabled: boolean;
  readonly registryPath: string;
  readonly logDir: string;
  /** Limit for all logs of finished jobs together; the oldest are deleted first. */
  readonly maxLogDirBytes: number;
  readonly maxQueueSize: number;
  readonly maxQueuedPerUser: number;
  /**
   * Uses a cgroup per job on Linux, so that no process of a job is missed. Halves the rate of starting
   * short jobs, because each start moves the host into the cgroup and back.
   */
  readonly usesCgroups: boolean;
  /** Maximum number of running jobs. */
  readonly concurrency: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function runnerConfig(dataDir: string, env: Environment): RunnerConfig {
  return {
    isEnabled: env['RUNNER_ENABLED'] === 'true',
    registryPath: env['RUNNER_REGISTRY'] || join(dataDir, 'runner.json'),
    logDir: env['RUNNER_LOG_DIR'] || join(dataDir, 'runner-logs'),
    maxLogDirBytes: whole(env, 'RUNNER_MAX_LOG_DIR_BYTES', 2 * GIB),
    maxQueueSize: whole(env, 'RUNNER_MAX_QUEUE_SIZE', 1000),
    maxQueuedPerUser: whole(env, 'RUNNER_MAX_QUEUED_PER_USER', 200),
    usesCgroups: env['RUNNER_CGROUPS'] === 'true',
    concurrency: whole(env, 'RUNNER_CONCURRENCY', 4),
  };
}

function whole(env: Environment, name: string, otherwise: number): number {
  const text = env[name];
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 1) return value;
  throw new StartError(
    'bad_setting',
    `${name} is "${text.slice(0, 80)}", but must be a whole number of at least 1. Holdfast did not start. Correct or remove the variable.`,
  );
}
