// Calls that change workflows: adding, activating, pausing, granting, publishing.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import { id, waitingOutput } from '#shared/api/fields.ts';
import { eventViewSchema } from '#shared/api/handler-runs.ts';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH, MAX_SCRIPT_BYTES } from '#shared/limits.ts';

export const problemSchema = z.strictObject({
  message: z.string(),
  line: z.int(),
  column: z.int(),
});

const checked = z.strictObject({
  ok: z.boolean(),
  problems: z.array(problemSchema),
  warnings: z.array(z.string()),
  /** Empty if the workflow is invalid. */
  topics: z.array(z.string()),
});

export const workflowActsContract = {
  /**
   * Adds a workflow file of this computer. Adding the same file again returns the same workflow. A new
   * file with the name of another workflow is refused with the reason `name_in_use`.
   */
  'workflows.add': {
    input: z.strictObject({
      path: z.string().min(1).max(4096),
      /** The workflow whose file this is now; `true`: the one of its name. */
      link: z.union([id, z.literal(true)]).optional(),
    }),
    output: z.strictObject({ workflowId: id, version: z.string(), warnings: z.array(z.string()) }),
  },
  /** Adds the sample workflow on the practice service, which ends in one unknown outcome on purpose. */
  'practice.begin': {
    input: z.strictObject({}),
    output: z.strictObject({ workflowId: id, url: z.string() }),
  },
  /** Returns what the practice service did for this effect, for a manual check. */
  'practice.look': {
    input: z.strictObject({ effectId: id }),
    output: z.strictObject({
      done: z.array(z.strictObject({ name: z.string(), body: z.json() })),
    }),
  },
  'workflows.validate': {
    input: z.strictObject({
      source: z.string().max(MAX_SCRIPT_BYTES),
      fileName: z.string().min(1).max(MAX_NAME_LENGTH),
    }),
    output: checked,
  },
  /** Refused with the reason `leaves_behind` if events or runs would be left behind. */
  'workflows.activate': {
    input: z.strictObject({
      workflowId: id,
      /** Required to activate a version that leaves events or runs behind. */
      leaveBehind: z.boolean().default(false),
    }),
    output: z.strictObject({ version: z.string(), waiting: z.boolean().optional() }),
  },
  /** Skips the events that wait in a topic that the active version doesn't have. */
  'workflows.skipLeftBehind': {
    input: z.strictObject({ workflowId: id, topic: z.string().min(1).max(MAX_ID_LENGTH) }),
    output: waitingOutput,
  },
  'workflows.pause': {
    input: z.strictObject({ workflowId: id, reason: z.string().max(MAX_NAME_LENGTH).optional() }),
    output: waitingOutput,
  },
  'workflows.resume': {
    input: z.strictObject({ workflowId: id }),
    output: waitingOutput,
  },
  'workflows.runNow': {
    input: z.strictObject({
      workflowId: id,
      producer: z.string().max(MAX_ID_LENGTH),
      requestId: id,
    }),
    output: waitingOutput,
  },
  'workflows.grant': {
    input: z.strictObject({ workflowId: id, tool: z.string().max(MAX_ID_LENGTH), scope: z.json() }),
    output: z.strictObject({}),
  },
  'events.publish': {
    input: z.strictObject({
      workflowId: id,
      topic: z.string().min(1).max(MAX_ID_LENGTH),
      messageId: id,
      title: z.string().min(1).max(MAX_NAME_LENGTH),
      payload: json,
    }),
    output: z.strictObject({
      eventId: id,
      outcome: z.enum(['published', 'replaced', 'kept']),
    }),
  },
  /** Runs the event again as a new attempt with a new effect. */
  'events.rerun': {
    input: z.strictObject({ eventId: id, payload: json.optional() }),
    output: eventViewSchema,
  },
  'secrets.names': {
    input: z.strictObject({}),
    output: z.strictObject({ names: z.array(z.string()) }),
  },
  'secrets.set': {
    input: z.strictObject({
      name: z.string().regex(/^[\w.-]{1,100}$/, 'letters, digits, ".", "_" and "-"'),
      value: z.string().min(1).max(10_000),
    }),
    output: z.strictObject({}),
  },
} as const;
