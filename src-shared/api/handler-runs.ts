// Calls about handler runs, the attempts of a handler.
import { z } from 'zod';
import { DECISION_STATUSES } from '#shared/decision.ts';
import { cost, id, millis, next, page } from '#shared/api/fields.ts';
import { runSearchFields } from '#shared/api/run-search.ts';
import {
  ERROR_TYPES,
  HANDLER_TYPES,
  PHASES,
  SUSPEND_REASONS,
} from '#shared/machines/handler-run.ts';
import { MUTATION_STATUSES, RESOLUTIONS } from '#shared/machines/mutation.ts';
import { EVENT_STATUSES } from '#shared/machines/event.ts';

export const eventViewSchema = z.strictObject({
  id,
  topic: z.string(),
  messageId: z.string(),
  title: z.string(),
  payload: z.json(),
  status: z.enum(EVENT_STATUSES),
  attempt: z.int(),
  createdAt: millis,
});
export type EventView = z.infer<typeof eventViewSchema>;

export const resolutionViewSchema = z.strictObject({
  id,
  resolution: z.enum(RESOLUTIONS),
  status: z.enum(DECISION_STATUSES),
  message: z.string().nullable(),
  note: z.string().nullable(),
  deviceId: z.string(),
  createdAt: millis,
});

export const mutationViewSchema = z.strictObject({
  id,
  status: z.enum(MUTATION_STATUSES),
  tool: z.string(),
  method: z.string(),
  params: z.json(),
  effectId: z.string(),
  /** One line for a person. */
  title: z.string(),
  result: z.json(),
  error: z.string().nullable(),
  reconcileAttempts: z.int(),
  nextReconcileAt: millis.nullable(),
  canCheck: z.boolean(),
  lookByHand: z.string(),
  cost,
  createdAt: millis,
  updatedAt: millis,
  resolutions: z.array(resolutionViewSchema),
});
export type MutationView = z.infer<typeof mutationViewSchema>;

export const handlerRunSchema = z.strictObject({
  id,
  workflowId: id,
  workflowName: z.string(),
  scriptRunId: id,
  handlerType: z.enum(HANDLER_TYPES),
  handlerName: z.string(),
  /** The title that the workflow's author set. */
  title: z.string().nullable(),
  phase: z.enum(PHASES),
  resumePhase: z.enum(PHASES).nullable(),
  reason: z.enum(SUSPEND_REASONS).nullable(),
  error: z.string().nullable(),
  errorType: z.enum(ERROR_TYPES).nullable(),
  effect: z.enum(MUTATION_STATUSES).nullable(),
  retryOf: id.nullable(),
  retriedBy: id.nullable(),
  deviceId: z.string(),
  startedAt: millis,
  endedAt: millis.nullable(),
  /** The cost of its reads and its effect. */
  cost,
  /** The start time of each phase. */
  timeline: z.partialRecord(z.enum(PHASES), millis),
});
export type HandlerRunView = z.infer<typeof handlerRunSchema>;

/** A link to an input. */
export const inputRefSchema = z.strictObject({ id, title: z.string() });
export type InputRef = z.infer<typeof inputRefSchema>;

const logLineSchema = z.strictObject({
  level: z.enum(['debug', 'info', 'warn', 'error']),
  at: z.number(),
  text: z.string(),
});

export const handlerRunDetailSchema = handlerRunSchema.extend({
  inputState: z.json(),
  outputState: z.json(),
  data: z.json(),
  logs: z.array(logLineSchema),
  eventsIn: z.array(eventViewSchema),
  eventsOut: z.array(eventViewSchema),
  mutation: mutationViewSchema.nullable(),
  /** Every input that the run and its effect serve, the oldest first. */
  inputs: z.array(inputRefSchema),
  /** All attempts of the same work including this one, oldest first. */
  chain: z.array(
    z.strictObject({
      id,
      phase: z.enum(PHASES),
      startedAt: millis,
      endedAt: millis.nullable(),
      error: z.string().nullable(),
    }),
  ),
  /** The append-only log of the run. */
  history: z.array(
    z.strictObject({
      seq: z.int(),
      type: z.string(),
      at: millis,
      deviceId: z.string().nullable(),
      payload: z.json(),
    }),
  ),
});
export type HandlerRunDetail = z.infer<typeof handlerRunDetailSchema>;

export const handlerRunContract = {
  'handlerRuns.list': {
    input: z.strictObject({
      ...page,
      workflowId: id.optional(),
      scriptRunId: id.optional(),
      ...runSearchFields,
    }),
    output: z.strictObject({ runs: z.array(handlerRunSchema), next }),
  },
  'handlerRuns.get': {
    input: z.strictObject({ handlerRunId: id }),
    output: handlerRunDetailSchema,
  },
  /**
   * Ends a run before its effect; refused after it. Its events are pending again, and a new run takes
   * them. To drop one, skip its input.
   */
  'handlerRuns.cancel': {
    input: z.strictObject({ handlerRunId: id }),
    output: z.strictObject({ outcome: z.enum(['canceled', 'canceling', 'waiting']) }),
  },
} as const;
