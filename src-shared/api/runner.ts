// Calls about the runner for the window and the command line.
import { z } from 'zod';
import { id, millis, next, page } from '#shared/api/fields.ts';
import { LOG_PART, logLimit } from '#shared/api/runner-rest.ts';
import { RUNNER_JOB_STATUSES } from '#shared/machines/runner-job.ts';
import { argSchema } from '#shared/runner/registry.ts';

/** The name of a token, and so of a caller. `api` and `person` are callers of the host itself. */
export const callerName = z
  .string()
  .regex(
    /^[A-Za-z0-9][\w.@:-]{0,99}$/,
    'must be a short name of letters, digits and ".@:_-" that begins with a letter or digit',
  )
  .refine((name) => !name.startsWith('workflow') && !['api', 'person'].includes(name), {
    error: 'is reserved by Holdfast',
  });

const value = z.union([z.string(), z.number(), z.boolean()]);

export const runnerJobSchema = z.strictObject({
  id,
  repoKey: z.string(),
  scriptKey: z.string(),
  args: z.record(z.string(), z.json()),
  requestedBy: z.string(),
  status: z.enum(RUNNER_JOB_STATUSES),
  reason: z.string().nullable(),
  exitCode: z.int().nullable(),
  exitSignal: z.string().nullable(),
  timeoutMs: z.int(),
  createdAt: millis,
  startedAt: millis.nullable(),
  finishedAt: millis.nullable(),
  logBytes: z.int(),
  logDroppedBytes: z.int(),
  logRemovedAt: millis.nullable(),
});
export type RunnerJobView = z.infer<typeof runnerJobSchema>;

const jobEventSchema = z.strictObject({
  seq: z.int(),
  type: z.string(),
  at: millis,
  detail: z.json(),
});

const scriptSchema = z.strictObject({
  key: z.string(),
  title: z.string(),
  description: z.string(),
  repos: z.array(z.string()),
  /** `none`: it runs without a network. */
  network: z.enum(['host', 'none']),
  args: z.array(
    /** The registry's spec, so that a form can apply the host's checks. */
    z.strictObject({ name: z.string(), spec: argSchema }),
  ),
});
export type RunnerScriptView = z.infer<typeof scriptSchema>;

/** More than a person writes. */
const MAX_REGISTRY_LENGTH = 500_000;

export const runnerContract = {
  'runner.overview': {
    input: z.strictObject({}),
    output: z.strictObject({
      /** Whether jobs run on this device; otherwise they stay queued. */
      isEnabled: z.boolean(),
      registryPath: z.string(),
      registryText: z.string(),
      /** With an invalid registry no script can be started. */
      isValid: z.boolean(),
      /** Errors in the registry, or what keeps scripts of a valid one from running now. */
      problems: z.array(z.string()),
      scripts: z.array(scriptSchema),
    }),
  },
  /** Saves only a valid registry. */
  'runner.saveRegistry': {
    input: z.strictObject({ text: z.string().max(MAX_REGISTRY_LENGTH) }),
    output: z.strictObject({ saved: z.boolean(), problems: z.array(z.string()) }),
  },
  /** Idempotent: the same `requestId` returns the same job. */
  'jobs.start': {
    input: z.strictObject({
      requestId: id,
      scriptKey: id,
      repoKey: id,
      args: z.record(z.string().max(100), value).default({}),
    }),
    output: runnerJobSchema,
  },
  'jobs.list': {
    input: z.strictObject({ ...page, status: z.enum(RUNNER_JOB_STATUSES).optional() }),
    output: z.strictObject({ jobs: z.array(runnerJobSchema), next }),
  },
  'jobs.get': {
    input: z.strictObject({ jobId: id }),
    output: runnerJobSchema.extend({ events: z.array(jobEventSchema) }),
  },
  'jobs.cancel': {
    input: z.strictObject({ jobId: id }),
    output: runnerJobSchema,
  },
  'jobs.log': {
    input: z.strictObject({
      jobId: id,
      offset: z.int().min(0).default(0),
      limit: logLimit.default(LOG_PART),
    }),
    output: z.strictObject({
      offset: z.int(),
      nextOffset: z.int(),
      endOffset: z.int(),
      isEnd: z.boolean(),
      data: z.string(),
    }),
  },
} as const;
