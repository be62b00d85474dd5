// An event as a handler publishes it.
import { z } from 'zod';
import { MAX_ID_LENGTH, MAX_NAME_LENGTH } from '#shared/limits.ts';

export const publishSchema = z.strictObject({
  /** Unique within the topic: the same one again is the same event. */
  id: z.string().min(1).max(MAX_ID_LENGTH),
  /** What a person sees. */
  title: z.string().min(1).max(MAX_NAME_LENGTH),
  payload: z.json().default(null),
});

export type Published = z.output<typeof publishSchema> & { readonly topic: string };
