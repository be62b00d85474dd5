// The REST API of the runner. The server has checked the token before it calls these routes.
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { readJsonBody } from '#main/boundary/http-body.ts';
import { inputFlaw } from '#main/boundary/json-validity.ts';
import { openApiDocument } from '#main/runner/openapi.ts';
import { isRefusal, type Refusal } from '#main/runner/refusal.ts';
import { toRestJob, toRestScripts } from '#main/runner/rest-views.ts';
import type { Runner } from '#main/runner/runner.ts';
import type { ApiErrorBody, ApiErrorType } from '#shared/api/errors.ts';
import { idempotencyKey, restEndpoints, type RestOperation } from '#shared/api/runner-rest.ts';
import { rfc3339 } from '#shared/clock.ts';
import { MAX_PROBLEM_LENGTH, MAX_PROBLEMS } from '#shared/limits.ts';

export const RUNNER_PREFIX = '/api/runner/';
const DOCUMENT_PATH = '/api/runner/openapi.json';

export interface RestResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: { readonly [name: string]: string };
}

interface RestCall<Name extends RestOperation> {
  readonly jobId: string;
  readonly query: z.output<(typeof restEndpoints)[Name]['query']>;
  readonly request: IncomingMessage;
  /** The authenticated caller. */
  readonly caller: string;
}

type Handlers = {
  [Name in RestOperation]: (call: RestCall<Name>) => RestResponse | Promise<RestResponse>;
};

/** `caller`: who authenticated. */
export type RunnerRest = (
  request: IncomingMessage,
  url: URL,
  caller: string,
) => Promise<RestResponse>;

export interface RunnerRestOptions {
  readonly runner: Runner;
  readonly repos: () => readonly object[];
  readonly version: string;
  /** Resolves when every commit so far is on disk. */
  readonly fsync: () => Promise<void>;
}

export function createRunnerRest(options: RunnerRestOptions): RunnerRest {
  const { runner, repos, version, fsync } = options;
  const handlers = createHandlers(runner, repos);
  return async (request, url, caller) => {
    if (url.pathname === DOCUMENT_PATH && request.method === 'GET') {
      return { status: 200, body: openApiDocument(version) };
    }
    const matches = matchesOf(url.pathname);
    const match = matches.find(({ name }) => restEndpoints[name].method === request.method);
    if (!match) return noSuchEndpoint(matches.map(({ name }) => restEndpoints[name].method));
    const query = restEndpoints[match.name].query.safeParse(Object.fromEntries(url.searchParams));
    if (!query.success) return invalid('The query is not valid', problemsOf(query.error, 'query'));
    // The table types each handler, but the compiler can't narrow a union of them.
    const handle = handlers[match.name] as (call: object) => Promise<RestResponse>;
    const response = await handle({ jobId: match.jobId, query: query.data, request, caller });
    // The caller relies on what the answer says, also after a power cut.
    if (request.method !== 'GET') await fsync();
    return response;
  };
}

function createHandlers(runner: Runner, repos: () => readonly object[]): Handlers {
  const { queue } = runner;
  return {
    listRepos: () => {
      queue.registry.read();
      return ok({ repos: repos() });
    },
    listScripts: () => {
      const registry = queue.registry.require();
      return isRefusal(registry) ? refused(registry) : ok({ scripts: toRestScripts(registry) });
    },
    createJob: ({ request, caller }) => createJob(runner, request, caller),
    listJobs: ({ query: { script_key: scriptKey, ...page } }) => {
      const { jobs, next } = queue.jobs.list({ ...page, scriptKey });
      return ok({ jobs: jobs.map(toRestJob), next });
    },
    getJob: ({ jobId }) => {
      const job = queue.get(jobId);
      if (isRefusal(job)) return refused(job);
      const events = queue.jobs.events(jobId).map((one) => ({ ...one, at: rfc3339(one.at) }));
      return ok({ ...toRestJob(job), events });
    },
    cancelJob: ({ jobId }) => {
      const job = queue.cancel(jobId);
      return isRefusal(job) ? refused(job) : ok(toRestJob(job));
    },
    getJobLogs: async ({ jobId, query }) => {
      const part = await queue.readLog(jobId, query);
      if (isRefusal(part)) return refused(part);
      return ok({
        job_id: jobId,
        offset: part.offset,
        next_offset: part.nextOffset,
        end_offset: part.endOffset,
        eof: part.isFinal && part.nextOffset === part.endOffset,
        data: part.data,
      });
    },
  };
}

async function createJob(
  { queue }: Runner,
  request: IncomingMessage,
  caller: string,
): Promise<RestResponse> {
  const read = await readJsonBody(request);
  if (!read.ok) return failure(read.error.type === 'too_large' ? 413 : 400, read.error);
  const flaw = inputFlaw(read.value);
  if (flaw !== null) return invalid('The body is not valid', [`body: ${flaw}`]);
  const body = restEndpoints.createJob.body.safeParse(read.value);
  if (!body.success) return invalid('The body is not valid', problemsOf(body.error, 'body'));
  const key = keyOf(request);
  if (!key.success) {
    return invalid('The Idempotency-Key is not valid', problemsOf(key.error, 'Idempotency-Key'));
  }
  const { requested_by: named = caller } = body.data;
  if (named !== caller) return failure(403, otherCaller(named, caller));
  const enqueued = queue.enqueue({
    requestedBy: caller,
    idempotencyKey: key.data ?? null,
    repoKey: body.data.repo_key,
    scriptKey: body.data.script_key,
    args: body.data.args,
    timeoutSeconds: body.data.timeout_seconds,
  });
  if (isRefusal(enqueued)) return refused(enqueued);
  const { job, type } = enqueued;
  return {
    status: type === 'created' ? 201 : 200,
    body: toRestJob(job),
    headers: { Location: `/api/runner/jobs/${job.id}` },
  };
}

function otherCaller(named: string, caller: string): ApiErrorBody {
  return {
    type: 'forbidden',
    message: `"requested_by" is "${named}", but this token belongs to "${caller}". Nothing was queued. Leave the field out. To tell callers apart, give each a token of its own: holdfast token add NAME.`,
  };
}

function keyOf(request: IncomingMessage): z.ZodSafeParseResult<string | undefined> {
  return idempotencyKey.optional().safeParse(request.headers['idempotency-key']);
}

interface Match {
  readonly name: RestOperation;
  readonly jobId: string;
}

function matchesOf(pathname: string): Match[] {
  return (Object.keys(restEndpoints) as RestOperation[]).flatMap((name) => {
    const pattern = restEndpoints[name].path.replace('{job_id}', '([^/]+)');
    const found = new RegExp(`^${pattern}$`).exec(pathname);
    return found ? [{ name, jobId: decoded(found[1] ?? '') }] : [];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const TYPES: { readonly [status in Refusal['status']]: ApiErrorType } = {
  404: 'not_found',
  409: 'conflict',
  422: 'invalid_input',
  429: 'too_many',
};

/** A refusal as an error of the host API. */
export function toErrorBody({ status, code, message, problems }: Refusal): ApiErrorBody {
  const type = code === 'job_ended' ? 'illegal_transition' : TYPES[status];
  return { type, message, ...(problems.length === 0 ? {} : { problems }) };
}

function refused(refusal: Refusal): RestResponse {
  const { status, retryAfterSeconds } = refusal;
  const answer = failure(status, toErrorBody(refusal));
  return retryAfterSeconds === undefined
    ? answer
    : { ...answer, headers: { 'Retry-After': String(retryAfterSeconds) } };
}

function noSuchEndpoint(methods: readonly string[]): RestResponse {
  const message =
    methods.length === 0
      ? 'The runner has no such endpoint. GET /api/runner/openapi.json lists all endpoints.'
      : `This endpoint supports ${methods.join(' and ')}.`;
  const answer = failure(methods.length === 0 ? 404 : 405, { type: 'unknown_call', message });
  return methods.length === 0 ? answer : { ...answer, headers: { Allow: methods.join(', ') } };
}

function invalid(what: string, problems: readonly string[]): RestResponse {
  const message = `${what}: ${problems.slice(0, 3).join('; ')}. Nothing was changed.`;
  return failure(422, { type: 'invalid_input', message, problems });
}

function problemsOf(error: z.ZodError, whole: string): string[] {
  return error.issues
    .slice(0, MAX_PROBLEMS)
    .map(({ path, message }) =>
      `${path.map(String).join('.') || whole}: ${message}`.slice(0, MAX_PROBLEM_LENGTH),
    );
}

function ok(body: unknown): RestResponse {
  return { status: 200, body };
}

function failure(status: number, error: ApiErrorBody): RestResponse {
  return { status, body: { ok: false, error } };
}
