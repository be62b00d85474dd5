// Requests that a person makes about a workflow on any device. The workflow's owner carries them out.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import { id } from '#shared/api/fields.ts';
import { STOPS } from '#shared/inputs/kinds.ts';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH } from '#shared/limits.ts';

/** Also the boundary to what other devices wrote: a row that does not fit is refused. */
export const intentRequestSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('pause'), reason: z.string().max(MAX_NAME_LENGTH) }),
  z.strictObject({ kind: z.literal('resume') }),
  z.strictObject({
    kind: z.literal('run_now'),
    producer: z.string().max(MAX_ID_LENGTH),
    requestId: id,
  }),
  z.strictObject({ kind: z.literal('cancel'), handlerRunId: id }),
  z.strictObject({ kind: z.literal('rerun'), eventId: id, payload: json.optional() }),
  z.strictObject({ kind: z.literal('answer'), mutationId: id, answer: json }),
  z.strictObject({
    kind: z.literal('stop_input'),
    inputId: id,
    as: z.enum(STOPS),
    reason: z.string().max(MAX_NAME_LENGTH),
  }),
  z.strictObject({
    kind: z.literal('settle_input'),
    inputId: id,
    as: z.enum(['succeeded', 'failed']),
    reason: z.string().max(MAX_NAME_LENGTH),
  }),
  z.strictObject({
    kind: z.literal('activate'),
    scriptId: id,
    basedOn: id.nullable(),
    /** The person saw what the version leaves behind. */
    leavesBehind: z.literal(true).optional(),
  }),
  /** Skips the events that wait in a topic that the active version doesn't have. */
  z.strictObject({ kind: z.literal('skip_left_behind'), topic: z.string().max(MAX_ID_LENGTH) }),
  /** Withdraws a decision about an effect that has not been carried out. */
  z.strictObject({ kind: z.literal('withdraw'), resolutionId: id }),
  /** `epoch` is the epoch of the addressed owner; a later owner refuses the request. */
  z.strictObject({ kind: z.literal('handover'), toDeviceId: id, epoch: z.int() }),
]);
export type IntentRequest = z.infer<typeof intentRequestSchema>;
