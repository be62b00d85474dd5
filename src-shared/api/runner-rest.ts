// The REST API of the runner (spec 003) as one table of schemas. The server validates with it, and the
// OpenAPI document is generated from it.
import { z } from 'zod';
import { API_ERROR_TYPES } from '#shared/api/errors.ts';
import { MAX_ID_LENGTH, MAX_PAGE_SIZE, PAGE_SIZE } from '#shared/limits.ts';
import { RUNNER_JOB_STATUSES } from '#shared/machines/runner-job.ts';

const KIB = 1024;

export const MIN_LOG_PART = 16;
export const LOG_PART = 64 * KIB;
export const MAX_LOG_PART = 1024 * KIB;

/** Bytes of one log response. The minimum fits a character and a mark, so that reading progresses. */
export const logLimit = z.int().min(MIN_LOG_PART).max(MAX_LOG_PART);

const time = z.iso.datetime();
const value = z.union([z.string(), z.number(), z.boolean()]);
const id = z.string().min(1).max(MAX_ID_LENGTH);

/** The Idempotency-Key header. */
export const idempotencyKey = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be 1 to 200 visible ASCII characters');

const repo = z.strictObject({ key: id, title: z.string(), path: z.string() }).meta({ id: 'Repo' });

const scriptArg = z
  .strictObject({
    type: z.enum(['string', 'integer', 'number', 'boolean', 'path']),
    description: z.string(),
    required: z.boolean(),
    default: value.nullable(),
    choices: z.array(z.union([z.string(), z.number()])).nullable(),
    pattern: z.string().nullable(),
    min: z.number().nullable(),
    max: z.number().nullable(),
    max_length: z.int(),
  })
  .meta({ id: 'ScriptArg' });

const script = z
  .strictObject({
    key: id,
    title: z.string(),
    description: z.string(),
    repos: z.array(id),
    args: z.record(z.string(), scriptArg),
    /** `none`: it runs without a network. */
    network: z.enum(['host', 'none']),
    timeout_seconds: z.number(),
    concurrency: z.int(),
  })
  .meta({ id: 'Script' });
export type RestScript = z.infer<typeof script>;

const job = z
  .strictObject({
    id,
    repo_key: z.string(),
    script_key: z.string(),
    args: z.record(z.string(), z.json()),
    requested_by: z.string(),
    idempotency_key: z.string().nullable(),
    status: z.enum(RUNNER_JOB_STATUSES),
    reason: z.string().nullable(),
    exit_code: z.int().nullable(),
    exit_signal: z.string().nullable(),
    timeout_seconds: z.number(),
    created_at: time,
    started_at: time.nullable(),
    cancel_requested_at: time.nullable(),
    finished_at: time.nullable(),
    log_bytes: z.int(),
    log_dropped_bytes: z.int(),
    log_removed_at: time.nullable(),
  })
  .meta({ id: 'Job' });
export type RestJob = z.infer<typeof job>;

const jobEvent = z
  .strictObject({ seq: z.int(), type: z.string(), at: time, detail: z.json() })
  .meta({ id: 'JobEvent' });

const jobWithEvents = job.extend({ events: z.array(jobEvent) }).meta({ id: 'JobWithEvents' });

const newJob = z
  .strictObject({
    repo_key: id,
    script_key: id,
    args: z.record(z.string().max(MAX_ID_LENGTH), value).default({}),
    /** May only shorten the timeout of the registry. */
    timeout_seconds: z.number().positive().max(86_400).optional(),
    /** The name of the authenticated token, or `api` for the token of the host. Leave it out. */
    requested_by: z.string().min(1).max(MAX_ID_LENGTH).optional(),
  })
  .meta({ id: 'NewJob' });

const logPart = z
  .strictObject({
    job_id: id,
    offset: z.int(),
    next_offset: z.int(),
    end_offset: z.int(),
    /** No data will follow `next_offset`. */
    eof: z.boolean(),
    data: z.string(),
  })
  .meta({ id: 'LogPart' });

export const restError = z
  .strictObject({
    ok: z.literal(false),
    error: z.strictObject({
      type: z.enum(API_ERROR_TYPES),
      message: z.string(),
      problems: z.array(z.string()).optional(),
    }),
  })
  .meta({ id: 'Error' });

/** Query parameters are strings. */
const digits = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number);

const listQuery = z.strictObject({
  after: id.optional(),
  limit: digits.pipe(z.int().min(1).max(MAX_PAGE_SIZE)).default(PAGE_SIZE),
  status: z.enum(RUNNER_JOB_STATUSES).optional(),
  script_key: id.optional(),
});

const logQuery = z.strictObject({
  offset: digits.default(0),
  limit: digits.pipe(logLimit).default(LOG_PART),
});

const none = z.strictObject({});

export const restEndpoints = {
  listRepos: {
    method: 'GET',
    path: '/api/runner/repos',
    summary: 'Folders that scripts may run in.',
    query: none,
    body: null,
    answers: { 200: z.strictObject({ repos: z.array(repo) }) },
    errors: [],
  },
  listScripts: {
    method: 'GET',
    path: '/api/runner/scripts',
    summary: 'Allowed scripts with their arguments.',
    query: none,
    body: null,
    answers: { 200: z.strictObject({ scripts: z.array(script) }) },
    errors: [409],
  },
  createJob: {
    method: 'POST',
    path: '/api/runner/jobs',
    summary:
      'Queues a job. A repeated Idempotency-Key with the same body returns the same job (200).',
    query: none,
    body: newJob,
    answers: { 200: job, 201: job },
    errors: [400, 403, 404, 409, 413, 422, 429],
  },
  listJobs: {
    method: 'GET',
    path: '/api/runner/jobs',
    summary: 'Jobs, newest first.',
    query: listQuery,
    body: null,
    answers: { 200: z.strictObject({ jobs: z.array(job), next: z.string().nullable() }) },
    errors: [422],
  },
  getJob: {
    method: 'GET',
    path: '/api/runner/jobs/{job_id}',
    summary: 'One job with its history.',
    query: none,
    body: null,
    answers: { 200: jobWithEvents },
    errors: [404],
  },
  cancelJob: {
    method: 'POST',
    path: '/api/runner/jobs/{job_id}/cancel',
    summary: 'Cancels a job: immediately if it is queued, as a request if it is running.',
    query: none,
    body: null,
    answers: { 200: job },
    errors: [404, 409],
  },
  getJobLogs: {
    method: 'GET',
    path: '/api/runner/jobs/{job_id}/logs',
    summary: 'Part of the log, by byte offset. Continue at next_offset.',
    query: logQuery,
    body: null,
    answers: { 200: logPart },
    errors: [404, 422],
  },
} as const;

export type RestOperation = keyof typeof restEndpoints;
