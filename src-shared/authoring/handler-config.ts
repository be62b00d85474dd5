// The graph of a workflow as it was extracted from its file: kept with every version, read by the
// engine and shown to people.
import { z } from 'zod';

/** Of workflows, topics, producers and consumers: keys of objects too, so not the one that is none. */
export const nameSchema = z.string().regex(/^(?!__proto__$)[\p{L}\p{N}._-]{1,100}$/u);

const catchUp = {
  /** What becomes of slots that passed while nothing ran. `latest` by default. */
  missed: z.enum(['latest', 'none', 'all']).optional(),
  /** What becomes of a slot while the last run is not over. `coalesce` by default. */
  overlap: z.enum(['coalesce', 'skip']).optional(),
};

export const scheduleSchema = z.union([
  z.strictObject({ every: z.string(), ...catchUp }),
  z.strictObject({ cron: z.string(), timezone: z.string().optional(), ...catchUp }),
]);
export type Schedule = z.output<typeof scheduleSchema>;

const topicNames = z.array(nameSchema);

export const handlerConfigSchema = z.strictObject({
  name: nameSchema,
  topics: topicNames,
  producers: z.record(
    nameSchema,
    z.strictObject({ schedule: scheduleSchema, publishes: topicNames }),
  ),
  consumers: z.record(
    nameSchema,
    z.strictObject({
      subscribes: topicNames.min(1),
      publishes: topicNames,
      hasMutate: z.boolean(),
      hasNext: z.boolean(),
    }),
  ),
  /** What the file asks to be granted, by tool; each tool knows what it means. */
  uses: z.record(z.string(), z.json()),
  /** Topics that lead back to themselves, each as the way round. */
  cycles: z.array(topicNames),
});
export type HandlerConfig = z.output<typeof handlerConfigSchema>;
