// The graph of a workflow as extracted from its file. It is stored with every version, read by the
// engine and shown in the window.
import { z } from 'zod';
import { COMPLETES } from '#shared/inputs/derive-input-status.ts';
import { needsHumanSchema } from '#shared/inputs/needs-human.ts';
import { hostLimitsSchema } from '#shared/outside/host-limit.ts';

/** Names of workflows, topics, producers and consumers. They become object keys, so not `__proto__`. */
export const nameSchema = z.string().regex(/^(?!__proto__$)[\p{L}\p{N}._-]{1,100}$/u);

const catchUp = {
  /** How to handle slots missed while the host was not running. `latest` by default. */
  missed: z.enum(['latest', 'none', 'all']).optional(),
  /** How to handle a slot while the previous run is unfinished. `coalesce` by default. */
  overlap: z.enum(['coalesce', 'skip']).optional(),
};

export const scheduleSchema = z.union([
  z.strictObject({ every: z.string(), ...catchUp }),
  z.strictObject({ cron: z.string(), timezone: z.string().optional(), ...catchUp }),
]);
export type Schedule = z.output<typeof scheduleSchema>;

/** The condition on which an input succeeds; `drained` by default. */
export const completesSchema = z.enum(COMPLETES);

const topicNames = z.array(nameSchema);

/** The longest time that its work may wait for the outside, like '2d'. No limit if it is missing. */
const giveUpAfter = z.string().optional();

export const handlerConfigSchema = z.strictObject({
  name: nameSchema,
  topics: topicNames,
  producers: z.record(
    nameSchema,
    z.strictObject({ schedule: scheduleSchema, publishes: topicNames, giveUpAfter }),
  ),
  consumers: z.record(
    nameSchema,
    z.strictObject({
      subscribes: topicNames.min(1),
      publishes: topicNames,
      hasMutate: z.boolean(),
      hasNext: z.boolean(),
      giveUpAfter,
    }),
  ),
  completes: completesSchema.optional(),
  /** Missing fields come from the settings. */
  needsHuman: needsHumanSchema.partial().optional(),
  /** The grants that the file requests, by tool. Each tool parses its own. */
  uses: z.record(z.string(), z.json()),
  /** Limits of calls to outside hosts. Absent in versions that older versions of Holdfast stored. */
  limits: hostLimitsSchema.default({}),
  /** Cycles, each as the list of its topics. */
  cycles: z.array(topicNames),
});
export type HandlerConfig = z.output<typeof handlerConfigSchema>;
