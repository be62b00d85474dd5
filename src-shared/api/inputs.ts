// Calls about inputs: what came in, what became of it, and the doors through which it comes.
// Change feed: `trigger_events` (ids of inputs), `automation_runs` (ids of their runs), `outbox`
// (ids of runs with a row that changed) and `hooks`.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import { eventViewSchema, handlerRunSchema, mutationViewSchema } from '#shared/api/handler-runs.ts';
import { id, millis, name, next, page, waitingOutput } from '#shared/api/fields.ts';
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
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { AUTOMATION_RUN_STATUSES, STAGES } from '#shared/machines/automation-run.ts';

export const automationRunSchema = z.strictObject({
  id,
  status: z.enum(AUTOMATION_RUN_STATUSES),
  /** Why it is so, for a person. */
  statusReason: z.string().nullable(),
  failureStage: z.enum(STAGES).nullable(),
  /** A person, or the clock, asked to stop it; it says so until it is so. */
  stopping: z.strictObject({ as: z.enum(STOPPING_AS), reason: z.string(), at: millis }).nullable(),
  /** What a person said when they settled an end by hand. */
  settled: z.string().nullable(),
  queuedAt: millis,
  enrichmentStartedAt: millis.nullable(),
  enrichmentCompletedAt: millis.nullable(),
  executionStartedAt: millis.nullable(),
  promptSentAt: millis.nullable(),
  completedAt: millis.nullable(),
  lastActivityAt: millis,
  deadlineAt: millis,
  /** The session in which its first handler run was made. */
  sessionId: id.nullable(),
  completionId: id.nullable(),
});
export type AutomationRunView = z.infer<typeof automationRunSchema>;

export const inputSchema = z.strictObject({
  id,
  workflowId: id,
  workflowName: z.string(),
  kind: z.enum(INPUT_KINDS),
  /** Who sent it: the name of the hook, the producer, or what it was registered with. */
  source: z.string(),
  type: z.string(),
  /** What it is called where it comes from. */
  externalId: z.string(),
  title: z.string(),
  triggerId: z.string(),
  dedupKey: z.string(),
  correlationId: z.string(),
  bytes: z.int(),
  deviceId: id,
  receivedAt: millis,
  run: automationRunSchema,
});
export type InputView = z.infer<typeof inputSchema>;

/** A step of the story, in causal order: what a step follows from always comes before it. */
export const storyStepSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('event'),
    id,
    /** The handler run that published it; null: it came with the input. */
    parentId: id.nullable(),
    at: millis,
    event: eventViewSchema,
  }),
  z.strictObject({
    type: z.literal('handler_run'),
    id,
    /** The event that it took, or the run that it goes on for. */
    parentId: id.nullable(),
    at: millis,
    run: handlerRunSchema,
    effect: mutationViewSchema.nullable(),
    /** What its log says: failures, decisions, doubts. */
    log: z.array(z.strictObject({ at: millis, type: z.string(), data: z.json() })),
  }),
]);
export type StoryStep = z.infer<typeof storyStepSchema>;

export const inputDetailSchema = inputSchema.extend({
  /** As workflows get it: redacted and normalised. Null until it is enriched. */
  payload: z.json(),
  /** What was taken out, by path and reason, never by value. */
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
  artifacts: z.strictObject({
    enrichment: z.string().nullable(),
    sources: z.string().nullable(),
    policy: z.string().nullable(),
    completion: z.string().nullable(),
  }),
  completion: z.json(),
  /** Every change of the run's status, the oldest first. */
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
    }),
  ),
  steps: z.array(storyStepSchema),
  /** There are more steps than are told. */
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
  /** Below the address of the host: `/hooks/ID`. */
  path: z.string(),
  createdAt: millis,
  rotatedAt: millis.nullable(),
  /** Until then the secret before the last rotation is taken, too. */
  previousUntil: millis.nullable(),
  accepted: z.int(),
  lastAcceptedAt: millis.nullable(),
});
export type HookView = z.infer<typeof hookSchema>;

/** The secret is told once, when it is made. */
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

/** Looked up among the topics of the workflow, so any text will do. */
const topicName = z.string().min(1).max(MAX_NAME_LENGTH);
const reason = z.string().trim().max(MAX_NAME_LENGTH);

export const inputContract = {
  /** The newest first. With `text` a page may have fewer rows, or none, and still a `next`. */
  'inputs.list': {
    input: z.strictObject({
      ...page,
      workflowId: id.optional(),
      kind: z.enum(INPUT_KINDS).optional(),
      source: z.string().max(MAX_NAME_LENGTH).optional(),
      status: z.enum(AUTOMATION_RUN_STATUSES).optional(),
      /** In title, type, source or what it is called outside. */
      text: z.string().trim().min(1).max(MAX_NAME_LENGTH).optional(),
      since: millis.optional(),
      until: millis.optional(),
    }),
    output: z.strictObject({ inputs: z.array(inputSchema), next }),
  },
  /** By the id of the input or of its run. */
  'inputs.get': {
    input: z.strictObject({ inputId: id }),
    output: inputDetailSchema,
  },
  /** By hand. The same `requestId` twice is one input, and gives the first answer. */
  'inputs.start': {
    input: z.strictObject({
      requestId: id,
      workflowId: id,
      /** Where its first event goes; may be left out where only one topic can be meant. */
      topic: topicName.optional(),
      title: name.optional(),
      payload: json.default(null),
    }),
    output: z.strictObject({ input: inputSchema, created: z.boolean() }),
  },
  /** What waits is let go of, what has not acted yet is stopped, what has is finished. */
  'inputs.skip': {
    input: z.strictObject({
      inputId: id,
      as: z.enum(STOPS).default('skipped'),
      reason: reason.default(''),
    }),
    output: waitingOutput,
  },
  /** A failed, timed out or waiting run as a person knows it ended. The first end stays told. */
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
      /** Where the sender gives one; else it is made here. */
      secret: z.string().min(16).max(1000).optional(),
    }),
    output: hookWithSecret,
  },
  /** A new secret. The one before is taken for `overlapMs` more, so that nothing is missed. */
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
  /** Its inputs stay. */
  'hooks.remove': {
    input: z.strictObject({ hookId: id }),
    output: z.strictObject({}),
  },

  /** What the stages of inputs still have to do on this device; the oldest first. */
  'outbox.list': {
    input: z.strictObject({
      ...page,
      status: z.enum(['pending', 'dead']).default('dead'),
    }),
    output: z.strictObject({ rows: z.array(outboxRowSchema), next }),
  },
  /** A dead row once more, from its first try. */
  'outbox.replay': {
    input: z.strictObject({ rowId: z.int() }),
    output: outboxRowSchema,
  },
} as const;
