// Calls about inputs, their runs, webhooks and the outbox.
// Change feed: `trigger_events` (ids of inputs), `automation_runs` (ids of their runs), `outbox`
// (ids of runs with a row that changed) and `hooks`.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import { waitViewSchema } from '#shared/api/wait-view.ts';
import {
  eventViewSchema,
  handlerRunSchema,
  inputRefSchema,
  mutationViewSchema,
} from '#shared/api/handler-runs.ts';
import { cost, id, millis, name, next, page, waitingOutput } from '#shared/api/fields.ts';
import { dedupRuleSchema } from '#shared/inputs/dedup-key.ts';
import { hookAuthSchema } from '#shared/inputs/hook.ts';
import { redactPathsSchema } from '#shared/inputs/redact.ts';
import {
  INPUT_KINDS,
  OUTBOX_KINDS,
  OUTBOX_STATUSES,
  STOPPING_AS,
  STOPS,
} from '#shared/inputs/kinds.ts';
import { MAX_NAME_LENGTH, MAX_RETENTION_DAYS } from '#shared/limits.ts';
import { AUTOMATION_RUN_STATUSES, STAGES } from '#shared/machines/automation-run.ts';

export const automationRunSchema = z.strictObject({
  id,
  status: z.enum(AUTOMATION_RUN_STATUSES),
  /** Shown to a person. */
  statusReason: z.string().nullable(),
  failureStage: z.enum(STAGES).nullable(),
  /** Set while a requested stop is in progress. */
  stopping: z.strictObject({ as: z.enum(STOPPING_AS), reason: z.string(), at: millis }).nullable(),
  /** Set while it needs a person or is stopping. */
  wait: waitViewSchema.nullable(),
  /** The reason that a person gave when settling it. */
  settled: z.string().nullable(),
  queuedAt: millis,
  enrichmentStartedAt: millis.nullable(),
  enrichmentCompletedAt: millis.nullable(),
  executionStartedAt: millis.nullable(),
  promptSentAt: millis.nullable(),
  completedAt: millis.nullable(),
  lastActivityAt: millis,
  deadlineAt: millis,
  /** The session of its first handler run. */
  sessionId: id.nullable(),
  completionId: id.nullable(),
});
export type AutomationRunView = z.infer<typeof automationRunSchema>;

export const inputSchema = z.strictObject({
  id,
  workflowId: id,
  workflowName: z.string(),
  kind: z.enum(INPUT_KINDS),
  /** The name of the hook or producer, or the source it was registered with. */
  source: z.string(),
  type: z.string(),
  /** Its id at the source. */
  externalId: z.string(),
  title: z.string(),
  triggerId: z.string(),
  dedupKey: z.string(),
  correlationId: z.string(),
  bytes: z.int(),
  deviceId: id,
  receivedAt: millis,
  /** The cost of all runs that it led to. */
  cost,
  run: automationRunSchema,
});
export type InputView = z.infer<typeof inputSchema>;

/** One step of an input's history in causal order: a cause always comes before its results. */
export const storyStepSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('event'),
    id,
    /** The handler run that published it; null for the input's first event. */
    parentId: id.nullable(),
    at: millis,
    event: eventViewSchema,
  }),
  z.strictObject({
    type: z.literal('handler_run'),
    id,
    /** The event that it reserved, or the run that it continues. */
    parentId: id.nullable(),
    at: millis,
    run: handlerRunSchema,
    effect: mutationViewSchema.nullable(),
    /** Failures, decisions and unknown outcomes from its log. */
    log: z.array(z.strictObject({ at: millis, type: z.string(), data: z.json() })),
  }),
]);
export type StoryStep = z.infer<typeof storyStepSchema>;

export const inputDetailSchema = inputSchema.extend({
  /** The redacted and normalized payload that workflows get. Null until it is enriched. */
  payload: z.json(),
  /** This device has the payload as it was received; `inputs.raw` returns it. */
  hasRawPayload: z.boolean(),
  /** Redactions by path and reason, without values. */
  redacted: z.array(z.strictObject({ path: z.string(), why: z.string() })),
  sources: z.array(
    z.strictObject({
      source: z.string(),
      type: z.string(),
      id: z.string(),
      receivedAt: millis,
      bytes: z.int(),
      sha256: z.string(),
    }),
  ),
  /** Why payload and sources are incomplete: their content is on another device. */
  unavailable: z.string().nullable(),
  artifacts: z.strictObject({
    enrichment: z.string().nullable(),
    sources: z.string().nullable(),
    policy: z.string().nullable(),
    completion: z.string().nullable(),
  }),
  completion: z.json(),
  /** Every change of the run's status, oldest first. */
  history: z.array(
    z.strictObject({
      at: millis,
      type: z.string(),
      from: z.enum(AUTOMATION_RUN_STATUSES).nullable(),
      to: z.enum(AUTOMATION_RUN_STATUSES).nullable(),
      actor: z.string(),
      deviceId: z.string(),
      data: z.json(),
    }),
  ),
  sideEffects: z.array(
    z.strictObject({
      effectId: id,
      kind: z.string(),
      provider: z.string(),
      response: z.json(),
      at: millis,
      /** Every input that it serves, this one included, the oldest first. */
      inputs: z.array(inputRefSchema),
    }),
  ),
  steps: z.array(storyStepSchema),
  /** Further steps were omitted. */
  hasMoreSteps: z.boolean(),
});
export type InputDetail = z.infer<typeof inputDetailSchema>;

export const hookSchema = z.strictObject({
  id,
  name: z.string(),
  workflowId: id,
  workflowName: z.string(),
  topic: z.string(),
  auth: hookAuthSchema,
  dedup: dedupRuleSchema,
  redactPaths: z.array(z.string()),
  /** The URL path on the host: `/hooks/ID`. */
  path: z.string(),
  createdAt: millis,
  rotatedAt: millis.nullable(),
  /** Until then the previous secret is accepted too. */
  previousUntil: millis.nullable(),
  accepted: z.int(),
  lastAcceptedAt: millis.nullable(),
});
export type HookView = z.infer<typeof hookSchema>;

/** The secret is returned only when it is created. */
const hookWithSecret = z.strictObject({ hook: hookSchema, secret: z.string() });

export const outboxRowSchema = z.strictObject({
  id: z.int(),
  inputId: id,
  runId: id,
  title: z.string(),
  kind: z.enum(OUTBOX_KINDS),
  status: z.enum(OUTBOX_STATUSES),
  attempts: z.int(),
  availableAt: millis,
  lastError: z.string().nullable(),
  createdAt: millis,
});
export type OutboxRowView = z.infer<typeof outboxRowSchema>;

const rawPayloadsSchema = z.strictObject({
  /** How long a raw payload is stored on this device. */
  days: z.int().min(0).max(MAX_RETENTION_DAYS),
  stored: z.int(),
  bytes: z.int(),
});
export type RawPayloadsView = z.infer<typeof rawPayloadsSchema>;

/** Checked against the topics of the workflow by the handler. */
const topicName = z.string().min(1).max(MAX_NAME_LENGTH);
const reason = z.string().trim().max(MAX_NAME_LENGTH);

export const inputContract = {
  /** Newest first. With `text`, a page may have fewer rows or none and still have a `next`. */
  'inputs.list': {
    input: z.strictObject({
      ...page,
      workflowId: id.optional(),
      kind: z.enum(INPUT_KINDS).optional(),
      source: z.string().max(MAX_NAME_LENGTH).optional(),
      status: z.enum(AUTOMATION_RUN_STATUSES).optional(),
      /** Searched in title, type, source and external id. */
      text: z.string().trim().min(1).max(MAX_NAME_LENGTH).optional(),
      since: millis.optional(),
      until: millis.optional(),
    }),
    output: z.strictObject({ inputs: z.array(inputSchema), next }),
  },
  /** Accepts the id of the input or of its run. */
  'inputs.get': {
    input: z.strictObject({ inputId: id }),
    output: inputDetailSchema,
  },
  /**
   * The payload as it was received, secrets included. The only call that returns it, on the device that
   * received it.
   */
  'inputs.raw': {
    input: z.strictObject({ inputId: id }),
    output: z.strictObject({ text: z.string(), bytes: z.int() }),
  },
  'rawPayloads.get': { input: z.strictObject({}), output: rawPayloadsSchema },
  /** 0 stores none and deletes those that are stored. */
  'rawPayloads.choose': {
    input: rawPayloadsSchema.pick({ days: true }),
    output: rawPayloadsSchema,
  },
  /** Starts an input manually. Idempotent: the same `requestId` returns the same input. */
  'inputs.start': {
    input: z.strictObject({
      requestId: id,
      workflowId: id,
      /** The topic of its first event; optional if only one topic is possible. */
      topic: topicName.optional(),
      title: name.optional(),
      payload: json.default(null),
    }),
    output: z.strictObject({ input: inputSchema, created: z.boolean() }),
  },
  /** Skips pending events, stops runs before their effect and lets the others finish. */
  'inputs.skip': {
    input: z.strictObject({
      inputId: id,
      as: z.enum(STOPS).default('skipped'),
      reason: reason.default(''),
    }),
    output: waitingOutput,
  },
  /** Settles a failed, timed out or waiting run. The first end stays in the history. */
  'inputs.settle': {
    input: z.strictObject({
      inputId: id,
      as: z.enum(['succeeded', 'failed']),
      reason: reason.min(1, 'must not be empty'),
    }),
    output: waitingOutput,
  },

  'hooks.list': {
    input: z.strictObject({ workflowId: id.optional() }),
    output: z.strictObject({ hooks: z.array(hookSchema) }),
  },
  'hooks.create': {
    input: z.strictObject({
      requestId: id,
      workflowId: id,
      name,
      topic: topicName.optional(),
      auth: hookAuthSchema,
      dedup: dedupRuleSchema.default({ by: 'body' }),
      redactPaths: redactPathsSchema.default([]),
      /** Set if the sender defines the secret; otherwise one is generated. */
      secret: z.string().min(16).max(1000).optional(),
    }),
    output: hookWithSecret,
  },
  /** Sets a new secret. The previous one is accepted for `overlapMs`, so that no delivery is lost. */
  'hooks.rotate': {
    input: z.strictObject({
      hookId: id,
      overlapMs: z
        .int()
        .min(0)
        .max(7 * 24 * 3_600_000)
        .default(0),
      secret: z.string().min(16).max(1000).optional(),
    }),
    output: hookWithSecret,
  },
  /** Deletes the hook; its inputs stay. */
  'hooks.remove': {
    input: z.strictObject({ hookId: id }),
    output: z.strictObject({}),
  },

  /** The outbox of this device: open work of the input stages, oldest first. */
  'outbox.list': {
    input: z.strictObject({
      ...page,
      status: z.enum(['pending', 'dead']).default('dead'),
    }),
    output: z.strictObject({ rows: z.array(outboxRowSchema), next }),
  },
  /** Retries a dead row and resets its attempts. */
  'outbox.replay': {
    input: z.strictObject({ rowId: z.int() }),
    output: outboxRowSchema,
  },
} as const;
