// Calls about items that only a person can settle.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import type { FeedTable } from '#shared/api/feed.ts';
import { id, millis, waitingOutput } from '#shared/api/fields.ts';
import { mutationViewSchema, resolutionViewSchema } from '#shared/api/handler-runs.ts';
import { INCIDENT_KINDS } from '#shared/incidents.ts';
import { leftBehindSchema } from '#shared/left-behind.ts';
import { waitViewSchema } from '#shared/api/wait-view.ts';
import { MAX_GRACE_MS, MAX_NAME_LENGTH } from '#shared/limits.ts';
import { RESOLUTIONS } from '#shared/machines/mutation.ts';

const about = { workflowId: id, workflowName: z.string(), at: millis };
/** The wait of the input that waits for this and ends first; null if no input does. */
const wait = waitViewSchema.nullable();

export const inboxItemSchema = z.discriminatedUnion('type', [
  /** An effect whose outcome is unknown. */
  z.strictObject({
    type: z.literal('unknown_effect'),
    ...about,
    handlerRunId: id,
    handlerName: z.string(),
    title: z.string().nullable(),
    deviceId: z.string(),
    mutation: mutationViewSchema,
    wait,
  }),
  /** A question from a workflow. */
  z.strictObject({
    type: z.literal('question'),
    ...about,
    handlerRunId: id,
    mutationId: id,
    question: z.string(),
    details: z.string().nullable(),
    choices: z.array(z.string()),
    wait,
  }),
  /** A run that waits for a grant, a secret or a permission. */
  z.strictObject({
    type: z.literal('approval'),
    ...about,
    handlerRunId: id,
    error: z.string(),
    wait,
  }),
  /** An event that failed too often, or waited for longer than its `giveUpAfter`. */
  z.strictObject({
    type: z.literal('set_aside'),
    ...about,
    eventId: id,
    topic: z.string(),
    title: z.string(),
    /** The last failure; null if an earlier version of Holdfast set it aside. */
    error: z.string().nullable(),
  }),
  /** A workflow that the engine paused. */
  z.strictObject({ type: z.literal('stopped'), ...about, reason: z.string(), wait }),
  /** Events or runs of earlier versions that the active version can't take up. */
  z.strictObject({ type: z.literal('left_behind'), ...about, left: leftBehindSchema }),
  /** A row that this device can't act on. Its workflow is held if its state depends on the row. */
  z.strictObject({
    type: z.literal('refused_row'),
    /** Null if the row names none. */
    workflowId: id.nullable(),
    workflowName: z.string(),
    at: millis,
    refusedId: id,
    /** Null if it was found on this device. */
    deviceId: z.string().nullable(),
    summary: z.string(),
    advice: z.string(),
    isHeld: z.boolean(),
  }),
  /** Work of two owners, or an outcome that contradicts a person's decision. */
  z.strictObject({
    type: z.literal('incident'),
    ...about,
    incidentId: id,
    kind: z.enum(INCIDENT_KINDS),
    summary: z.string(),
    advice: z.string(),
    sides: z.array(
      z.strictObject({
        /** Null for a later decision of a person. */
        deviceId: z.string().nullable(),
        epoch: z.int(),
        handlerRunId: id.nullable(),
        tool: z.string().nullable(),
        params: z.json(),
        status: z.string(),
        result: z.json(),
        at: millis,
      }),
    ),
  }),
]);
export type InboxItem = z.infer<typeof inboxItemSchema>;

/** The inbox is read from these tables; a change in one of them may add or remove an item. */
export const INBOX_TABLES: readonly FeedTable[] = [
  'mutations',
  'handler_runs',
  'automation_runs',
  'resolutions',
  'events',
  'workflows',
  'incidents',
  'refused_rows',
];

export const inboxContract = {
  'inbox.list': {
    input: z.strictObject({}),
    output: z.strictObject({ items: z.array(inboxItemSchema) }),
  },
  /** Idempotent: the same `requestId` is one decision. */
  'inbox.resolve': {
    input: z.strictObject({
      requestId: id,
      mutationId: id,
      resolution: z.enum(RESOLUTIONS),
      result: json.optional(),
      note: z
        .string()
        .max(MAX_NAME_LENGTH * 10)
        .optional(),
      /** Required to send again without a reconcile, because the effect may happen twice. */
      confirmed: z.boolean().default(false),
      /** Delays the decision, so that it can be withdrawn. */
      graceMs: z.int().min(0).max(MAX_GRACE_MS).default(0),
    }),
    output: resolutionViewSchema,
  },
  /** Withdraws a decision that has not been carried out. */
  'inbox.withdraw': {
    input: z.strictObject({ resolutionId: id }),
    output: waitingOutput,
  },
  /** Takes a refused row out of the inbox. One that holds its workflow stays. */
  'inbox.acknowledge': {
    input: z.strictObject({ refusedId: id }),
    output: z.strictObject({}),
  },
  'inbox.answer': {
    input: z.strictObject({ mutationId: id, answer: z.string() }),
    output: waitingOutput,
  },
} as const;
