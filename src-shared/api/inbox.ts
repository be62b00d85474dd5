// Calls about what only a person can settle.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import type { FeedTable } from '#shared/api/feed.ts';
import { id, millis, waitingOutput } from '#shared/api/fields.ts';
import { mutationViewSchema, resolutionViewSchema } from '#shared/api/handler-runs.ts';
import { INCIDENT_KINDS } from '#shared/incidents.ts';
import { MAX_GRACE_MS, MAX_NAME_LENGTH } from '#shared/limits.ts';
import { RESOLUTIONS } from '#shared/machines/mutation.ts';

const about = { workflowId: id, workflowName: z.string(), at: millis };

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
  }),
  /** A workflow asks something. */
  z.strictObject({
    type: z.literal('question'),
    ...about,
    handlerRunId: id,
    mutationId: id,
    question: z.string(),
    details: z.string().nullable(),
    choices: z.array(z.string()),
  }),
  /** A run waits for a grant, a secret or a permission. */
  z.strictObject({ type: z.literal('approval'), ...about, handlerRunId: id, error: z.string() }),
  /** An event that failed too often. */
  z.strictObject({
    type: z.literal('set_aside'),
    ...about,
    eventId: id,
    topic: z.string(),
    title: z.string(),
  }),
  /** A workflow that stopped itself. */
  z.strictObject({ type: z.literal('stopped'), ...about, reason: z.string() }),
  /** What only two owners could have done, or what is not as a person said. */
  z.strictObject({
    type: z.literal('incident'),
    ...about,
    incidentId: id,
    kind: z.enum(INCIDENT_KINDS),
    summary: z.string(),
    advice: z.string(),
    sides: z.array(
      z.strictObject({
        /** Null: what a person decided afterwards. */
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

/** What the inbox is gathered from: a change of any may bring an item, or take one away. */
export const INBOX_TABLES: readonly FeedTable[] = [
  'mutations',
  'handler_runs',
  'resolutions',
  'events',
  'workflows',
  'incidents',
];

export const inboxContract = {
  'inbox.list': {
    input: z.strictObject({}),
    output: z.strictObject({ items: z.array(inboxItemSchema) }),
  },
  /** The same `requestId` twice is one decision. */
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
      /** Needed to send again where the outside cannot be asked: it may happen twice. */
      confirmed: z.boolean().default(false),
      /** Carried out only after this long, so that it can be taken back. */
      graceMs: z.int().min(0).max(MAX_GRACE_MS).default(0),
    }),
    output: resolutionViewSchema,
  },
  /** Takes a decision back that was not carried out yet. */
  'inbox.withdraw': {
    input: z.strictObject({ resolutionId: id }),
    output: waitingOutput,
  },
  'inbox.answer': {
    input: z.strictObject({ mutationId: id, answer: z.string() }),
    output: waitingOutput,
  },
} as const;
