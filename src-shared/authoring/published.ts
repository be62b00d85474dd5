// The events that handlers publish and the inputs that producers register.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH } from '#shared/limits.ts';

export const publishSchema = z.strictObject({
  /** Unique within the topic: publishing the same id again publishes the same event. */
  id: z.string().min(1).max(MAX_ID_LENGTH),
  /** Shown to people. */
  title: z.string().min(1).max(MAX_NAME_LENGTH),
  payload: json.default(null),
  /** For producers: the id of its input, as returned by `ctx.registerInput`. */
  input: z.string().min(1).max(MAX_ID_LENGTH).optional(),
});

/** Registering the same input again returns the existing one. */
export const registerInputSchema = z.strictObject({
  /** Its origin: a mailbox, a folder, a service. */
  source: z.string().min(1).max(MAX_NAME_LENGTH),
  type: z.string().min(1).max(MAX_NAME_LENGTH),
  /** Its id at the source. */
  id: z.string().min(1).max(MAX_ID_LENGTH),
  title: z.string().min(1).max(MAX_NAME_LENGTH),
  /** The topic of its first event. Without it, the producer publishes the events. */
  topic: z.string().max(MAX_NAME_LENGTH).optional(),
  payload: json.default(null),
});
export type RegisterInput = z.output<typeof registerInputSchema>;

export type Published = z.output<typeof publishSchema> & { readonly topic: string };
