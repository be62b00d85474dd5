// Calls about outside hosts: limits of calls, and hosts that asked to wait.
import { z } from 'zod';
import { millis } from '#shared/api/fields.ts';
import { hostLimitSchema, limitedHostSchema } from '#shared/outside/host-limit.ts';

const limitView = z.strictObject({
  perSecond: z.number().nullable(),
  concurrent: z.int().nullable(),
});

const outsideHostSchema = z.strictObject({
  host: z.string(),
  /** The strictest of the person's limit and those of all active workflows. */
  limit: limitView,
  /** The limit that a person set on this device. */
  own: limitView.nullable(),
  /** The host asked to wait until then. */
  heldUntil: millis.nullable(),
  /** Since when it can't be reached. */
  downSince: millis.nullable(),
  /** Calls under way. */
  active: z.int(),
  /** Calls and runs that wait for their turn. */
  waiting: z.int(),
});
export type OutsideHostView = z.infer<typeof outsideHostSchema>;

const hostsSchema = z.strictObject({ hosts: z.array(outsideHostSchema) });

export const outsideHostsContract = {
  /** Hosts with a limit, a wait or calls under way. */
  'hosts.list': { input: z.strictObject({}), output: hostsSchema },
  /** Probes unreachable hosts now. */
  'hosts.retry': { input: z.strictObject({}), output: hostsSchema },
  /** Null removes the person's limit. */
  'hosts.setLimit': {
    input: z.strictObject({ host: limitedHostSchema, limit: hostLimitSchema.nullable() }),
    output: hostsSchema,
  },
} as const;
