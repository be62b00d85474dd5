// An input that needs a person or is stopping: when and how it ends.
import { z } from 'zod';
import { millis } from '#shared/api/fields.ts';
import { STOPPING_AS } from '#shared/inputs/kinds.ts';

export const waitViewSchema = z.strictObject({
  /** When it ends even if nobody acts. */
  endsAt: millis,
  otherwise: z.enum(STOPPING_AS),
  /** The number of reminders until now. */
  reminders: z.int(),
});
export type WaitView = z.infer<typeof waitViewSchema>;
