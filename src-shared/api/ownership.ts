// Calls about the ownership of workflows, intents and incidents.
import { z } from 'zod';
import { id, millis, next, page } from '#shared/api/fields.ts';
import { mutationViewSchema } from '#shared/api/handler-runs.ts';
import { DECISION_STATUSES } from '#shared/decision.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';
import { PHASES } from '#shared/machines/handler-run.ts';
import { CLAIM_WAYS } from '#shared/ownership.ts';

export const ownerViewSchema = z.strictObject({
  /** `released`: handed over, but the named device has not claimed it, so no device runs it. */
  state: z.enum(['owned', 'handing_over', 'released', 'nobody']),
  deviceId: z.string().nullable(),
  isThisDevice: z.boolean(),
  epoch: z.int(),
  toDeviceId: z.string().nullable(),
});
export type OwnerView = z.infer<typeof ownerViewSchema>;

/** An open run of another device, and how a take-over would continue it. */
const openThereSchema = z.strictObject({
  handlerRunId: id,
  handlerName: z.string(),
  title: z.string().nullable(),
  deviceId: z.string(),
  phase: z.enum(PHASES),
  fate: z.enum(['starts_over', 'unknown', 'goes_on', 'waits']),
  mutation: mutationViewSchema.nullable(),
});
export type OpenThere = z.infer<typeof openThereSchema>;

const claimSchema = z.strictObject({
  epoch: z.int(),
  deviceId: z.string(),
  how: z.enum(CLAIM_WAYS),
  claimedAt: millis,
  releasedTo: z.string().nullable(),
});

const intentSchema = z.strictObject({
  id,
  workflowId: z.string(),
  kind: z.string(),
  wish: z.json(),
  deviceId: z.string(),
  createdAt: millis,
  status: z.enum(DECISION_STATUSES),
  message: z.string().nullable(),
  decidedAt: millis.nullable(),
});
export type IntentView = z.infer<typeof intentSchema>;

export const ownershipContract = {
  'ownership.get': {
    input: z.strictObject({ workflowId: id }),
    output: z.strictObject({
      owner: ownerViewSchema,
      claims: z.array(claimSchema),
      open: z.array(openThereSchema),
    }),
  },
  /** Finishes the running work, then releases the workflow to that device. */
  'workflows.handover': {
    input: z.strictObject({ workflowId: id, toDeviceId: id }),
    output: z.strictObject({ owner: ownerViewSchema, waiting: z.boolean().optional() }),
  },
  /** Makes this device the owner. If the other device still runs the workflow, both may act. */
  'workflows.takeover': {
    input: z.strictObject({ workflowId: id }),
    output: z.strictObject({ owner: ownerViewSchema, open: z.array(openThereSchema) }),
  },
  /** Requests from any device with their status, newest first. */
  'intents.list': {
    input: z.strictObject({ ...page, workflowId: id.optional() }),
    output: z.strictObject({ intents: z.array(intentSchema), next }),
  },
  'incidents.acknowledge': {
    input: z.strictObject({
      incidentId: id,
      note: z
        .string()
        .max(MAX_NAME_LENGTH * 10)
        .optional(),
    }),
    output: z.strictObject({}),
  },
} as const;
