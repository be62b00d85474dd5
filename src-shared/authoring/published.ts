// An event as a handler publishes it.
import { z } from 'zod';
import { json } from '#shared/json-field.ts';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH } from '#shared/limits.ts';

export const publishSchema = z.strictObject({
  /** Unique within the topic: the same one again is the same event. */
  id: z.string().min(1).max(MAX_ID_LENGTH),
  /** What a person sees. */
  title: z.string().min(1).max(MAX_NAME_LENGTH),
  payload: json.default(null),
  /** The input that it belongs to, as `ctx.registerInput` gave it; for producers. */
  input: z.string().min(1).max(MAX_ID_LENGTH).optional(),
});

/** What a producer found: one row with one run, however often it is found. */
export const registerInputSchema = z.strictObject({
  /** Where it comes from: a mailbox, a folder, a service. */
  source: z.string().min(1).max(MAX_NAME_LENGTH),
  type: z.string().min(1).max(MAX_NAME_LENGTH),
  /** What it is called there. */
  id: z.string().min(1).max(MAX_ID_LENGTH),
  title: z.string().min(1).max(MAX_NAME_LENGTH),
  /** Where its first event goes, with its payload; without one the producer publishes by itself. */
  topic: z.string().max(MAX_NAME_LENGTH).optional(),
  payload: json.default(null),
});
export type RegisterInput = z.output<typeof registerInputSchema>;

export type Published = z.output<typeof publishSchema> & { readonly topic: string };
