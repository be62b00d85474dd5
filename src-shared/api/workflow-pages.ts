// Calls for the page of one workflow: its graph with current counts, the events of a topic, the runs of
// a handler and the versions of its script.
import { z } from 'zod';
import { id, millis, next, page } from '#shared/api/fields.ts';
import { eventViewSchema, handlerRunSchema } from '#shared/api/handler-runs.ts';
import { MAX_ID_LENGTH } from '#shared/limits.ts';
import { PHASES } from '#shared/machines/handler-run.ts';

/** A run in the list of recent runs. */
export const recentRunSchema = z.strictObject({
  id,
  phase: z.enum(PHASES),
  handlerName: z.string(),
});
export type RecentRun = z.infer<typeof recentRunSchema>;

const name = z.string().min(1).max(MAX_ID_LENGTH);

/** Counts stop at `COUNT_UP_TO`. */
const graphTopicSchema = z.strictObject({
  name: z.string(),
  pending: z.int(),
  reserved: z.int(),
  /** Failed too often and waiting for a person. */
  setAside: z.int(),
});
export type GraphTopic = z.infer<typeof graphTopicSchema>;

const graphHandlerSchema = z.strictObject({
  name: z.string(),
  kind: z.enum(['producer', 'consumer']),
  subscribes: z.array(z.string()),
  publishes: z.array(z.string()),
  /** Running and suspended runs. */
  atWork: z.int(),
  waiting: z.int(),
});
export type GraphHandler = z.infer<typeof graphHandlerSchema>;

export const workflowGraphSchema = z.strictObject({
  topics: z.array(graphTopicSchema),
  handlers: z.array(graphHandlerSchema),
  /** Cycles, each as the list of its topics. */
  cycles: z.array(z.array(z.string())),
});
export type WorkflowGraph = z.infer<typeof workflowGraphSchema>;

export const versionSchema = z.strictObject({
  id,
  /** The short form for people and the command line. */
  version: z.string(),
  fileName: z.string().nullable(),
  createdAt: millis,
  /** The device that read it first; null for versions of older hosts. */
  deviceId: z.string().nullable(),
  isActive: z.boolean(),
  isDraft: z.boolean(),
  /** When it was checked as the active version or as the draft; null if this device does not know. */
  checkedAt: millis.nullable(),
  /** Its activations, newest first. */
  activations: z.array(z.strictObject({ at: millis, deviceId: z.string() })),
});
export type VersionView = z.infer<typeof versionSchema>;

export const workflowPagesContract = {
  'workflows.graph': {
    input: z.strictObject({ workflowId: id }),
    output: workflowGraphSchema,
  },
  /** Events of any status, newest first. */
  'events.list': {
    input: z.strictObject({ ...page, workflowId: id, topic: name }),
    output: z.strictObject({ events: z.array(eventViewSchema), next }),
  },
  /** Runs of one handler, newest first. */
  'workflows.handlerRuns': {
    input: z.strictObject({ ...page, workflowId: id, handlerName: name }),
    output: z.strictObject({ runs: z.array(handlerRunSchema), next }),
  },
  /** Newest first. */
  'workflows.versions': {
    input: z.strictObject({ ...page, workflowId: id }),
    output: z.strictObject({ versions: z.array(versionSchema), next }),
  },
  'workflows.version': {
    input: z.strictObject({ scriptId: id }),
    output: versionSchema.extend({ workflowId: id, source: z.string() }),
  },
} as const;
