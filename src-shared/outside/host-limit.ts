// Limits of calls to one outside host, as a person or the author of a workflow writes them.
import { z } from 'zod';

/** The fewest calls that a limit can allow: one per day. */
const MIN_PER_SECOND = 1 / 86_400;

export const hostLimitSchema = z
  .strictObject({
    /** Calls that start per second. 0.1 means one in ten seconds. */
    perSecond: z.number().min(MIN_PER_SECOND).max(10_000).optional(),
    /** Calls that run at the same time. */
    concurrent: z.int().min(1).max(10_000).optional(),
  })
  .refine(({ perSecond, concurrent }) => perSecond !== undefined || concurrent !== undefined, {
    error: 'needs "perSecond" or "concurrent"',
  });
export type HostLimit = z.output<typeof hostLimitSchema>;

/** A host as grants spell it, in lower case; the port only if it is not the standard one. */
export const limitedHostSchema = z
  .string()
  .max(300)
  .regex(
    /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/,
    'must be one host in lower case, like api.example.org or 127.0.0.1:8080, without https:// and *',
  );

export const hostLimitsSchema = z
  .record(limitedHostSchema, hostLimitSchema)
  .refine((limits) => Object.keys(limits).length <= 200, { error: 'has more than 200 hosts' });
export type HostLimits = z.output<typeof hostLimitsSchema>;

/** The strictest of each kind. */
export function strictest(limits: readonly HostLimit[]): HostLimit {
  const least = (values: readonly (number | undefined)[]): number =>
    Math.min(...values.map((value) => value ?? Infinity));
  const perSecond = least(limits.map((limit) => limit.perSecond));
  const concurrent = least(limits.map((limit) => limit.concurrent));
  return {
    ...(perSecond < Infinity && { perSecond }),
    ...(concurrent < Infinity && { concurrent }),
  };
}
