// A real host with a runner, whose scripts are files in a new repo.
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createHost, type Host } from '#main/host/host.ts';
import { createSilentLog } from '#main/host/log.ts';
import type { RunnerConfig } from '#main/runner/config.ts';
import { logPath } from '#main/runner/log-file.ts';
import { isRefusal, type Refusal } from '#main/runner/refusal.ts';
import type { Enqueued, JobRequest } from '#main/runner/job-queue.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { LogParser } from '#shared/runner/log-text.ts';
import { writeRegistry, type TestScripts } from '#test/support/runner-files.ts';
import { tempFolder } from '#test/support/temp-folder.ts';

export interface RunnerUnderTest {
  readonly host: Host;
  readonly repo: string;
  readonly registryPath: string;
  ask(scriptKey: string, more?: Partial<JobRequest>): Enqueued | Refusal;
  /** Enqueues a job; throws if it is refused. */
  run(scriptKey: string, more?: Partial<JobRequest>): RunnerJob;
  ended(job: RunnerJob): Promise<RunnerJob>;
  /** Enqueues a job and waits for its end. */
  outcome(scriptKey: string, more?: Partial<JobRequest>): Promise<RunnerJob>;
  /** Resolves when the log contains this text. */
  said(job: RunnerJob, text: string): Promise<void>;
  logBytes(job: RunnerJob): Buffer;
  /** The script's output, without timestamps and without Holdfast's own lines. */
  output(job: RunnerJob): string;
  notes(job: RunnerJob): string;
}

export interface RunnerSetUp {
  readonly scripts: TestScripts;
  readonly config?: Partial<RunnerConfig>;
  readonly dataDir?: string;
  readonly host?: Partial<Parameters<typeof createHost>[0]>;
}

export function startRunner(setUp: RunnerSetUp): RunnerUnderTest {
  const dataDir = setUp.dataDir ?? tempFolder();
  const { repo, registryPath } = writeRegistry(dataDir, setUp.scripts);
  const host = createHost({
    dataDir,
    createLog: createSilentLog,
    runner: { isEnabled: true, ...setUp.config },
    ...setUp.host,
  });
  onTestFinished(() => host.close());
  const { queue, config } = host.runner;
  const pathOf = (job: RunnerJob): string => logPath(config.logDir, job.id);
  const pieces = (job: RunnerJob) => new LogParser().push(readFileSync(pathOf(job), 'utf8'));
  const ask: RunnerUnderTest['ask'] = (scriptKey, more = {}) =>
    queue.enqueue({
      requestedBy: 'tester',
      idempotencyKey: null,
      repoKey: 'main',
      scriptKey,
      args: {},
      ...more,
    });
  const run: RunnerUnderTest['run'] = (scriptKey, more) => {
    const enqueued = ask(scriptKey, more);
    if (isRefusal(enqueued)) throw new Error(enqueued.message);
    return enqueued.job;
  };
  const ended: RunnerUnderTest['ended'] = (job) =>
    queue.whenEnded(job.id, new AbortController().signal);
  return {
    host,
    repo,
    registryPath,
    ask,
    run,
    ended,
    outcome: (scriptKey, more) => ended(run(scriptKey, more)),
    said: (job, text) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!logHas(pathOf(job), text)) return;
          unsubscribe();
          resolve();
        };
        const unsubscribe = host.folder.db.changes.subscribe(look);
        look();
      }),
    logBytes: (job) => readFileSync(pathOf(job)),
    output: (job) => textOf(pieces(job), (source) => source !== 'holdfast'),
    notes: (job) => textOf(pieces(job), (source) => source === 'holdfast'),
  };
}

function logHas(path: string, text: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes(text);
  } catch {
    return false;
  }
}

function textOf(
  pieces: ReturnType<LogParser['push']>,
  isWanted: (source: string) => boolean,
): string {
  return pieces
    .filter(({ source }) => isWanted(source))
    .map(({ text }) => text)
    .join('');
}
