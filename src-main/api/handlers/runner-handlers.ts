// Handlers of the runner and its jobs.
import type { Handlers } from '#main/api/dispatch.ts';
import { unrunnableScripts } from '#main/runner/build-command.ts';
import { isRefusal, type Refusal } from '#main/runner/refusal.ts';
import { toErrorBody } from '#main/runner/rest-routes.ts';
import type { Runner } from '#main/runner/runner.ts';
import type { RunnerJob } from '#main/store/tables/runner-job-row.ts';
import { ApiError } from '#shared/api/errors.ts';
import type { runnerContract, RunnerJobView, RunnerScriptView } from '#shared/api/runner.ts';
import type { Registry } from '#shared/runner/registry.ts';

/** `requested_by` of jobs that a person starts. */
const PERSON = 'person';

export function createRunnerHandlers(runner: Runner): Pick<Handlers, keyof typeof runnerContract> {
  const { queue: service, config } = runner;
  return {
    'runner.overview': async () => {
      const { path, text, registry, problems } = service.registry.read();
      return {
        isEnabled: config.isEnabled,
        registryPath: path,
        registryText: text,
        isValid: registry !== null,
        problems: registry ? await unrunnableScripts(registry, runner.isolation) : [...problems],
        scripts: registry ? scriptsOf(registry) : [],
      };
    },
    'runner.saveRegistry': ({ text }) => {
      const { registry, problems } = service.registry.save(text);
      return { saved: registry !== null, problems: [...problems] };
    },
    'jobs.start': ({ requestId, ...request }) => {
      const job = { ...request, requestedBy: PERSON, idempotencyKey: requestId };
      return toView(orThrow(service.enqueue(job)).job);
    },
    'jobs.list': (filter) => {
      const { jobs, next } = service.jobs.list(filter);
      return { jobs: jobs.map(toView), next };
    },
    'jobs.get': ({ jobId }) => ({
      ...toView(orThrow(service.get(jobId))),
      events: service.jobs.events(jobId),
    }),
    'jobs.cancel': ({ jobId }) => toView(orThrow(service.cancel(jobId))),
    'jobs.log': async ({ jobId, offset, limit }) => {
      const { isFinal, ...part } = orThrow(await service.readLog(jobId, { offset, limit }));
      return { ...part, isEnd: isFinal && part.nextOffset === part.endOffset };
    },
  };
}

function orThrow<Result extends object>(result: Result | Refusal): Result {
  if (isRefusal(result)) throw new ApiError(toErrorBody(result));
  return result;
}

function scriptsOf({ scripts, repos }: Registry): RunnerScriptView[] {
  return Object.entries(scripts).map(([key, script]) => ({
    key,
    title: script.title,
    description: script.description,
    repos: script.repos ?? Object.keys(repos),
    network: script.network,
    args: Object.entries(script.args).map(([name, spec]) => ({ name, spec })),
  }));
}

function toView(job: RunnerJob): RunnerJobView {
  const { state } = job;
  return {
    id: job.id,
    repoKey: job.repoKey,
    scriptKey: job.scriptKey,
    args: { ...job.args },
    requestedBy: job.requestedBy,
    status: state.status,
    reason: ('reason' in state ? state.reason : null) ?? null,
    exitCode: ('exitCode' in state ? state.exitCode : null) ?? null,
    exitSignal: job.exitSignal,
    timeoutMs: job.timeoutMs,
    createdAt: job.createdAt,
    startedAt: ('startedAt' in state ? state.startedAt : null) ?? null,
    finishedAt: 'finishedAt' in state ? state.finishedAt : null,
    logBytes: job.logBytes,
    logDroppedBytes: job.logDroppedBytes,
    logRemovedAt: job.logRemovedAt,
  };
}
