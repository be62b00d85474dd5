// The rule that decides whether two deliveries are the same input.
import { z } from 'zod';
import { ANY, parsePath } from '#shared/inputs/json-path.ts';
import { MAX_NAME_LENGTH } from '#shared/limits.ts';

export const dedupRuleSchema = z.discriminatedUnion('by', [
  /** A header of the delivery, such as `x-github-delivery`. */
  z.strictObject({
    by: z.literal('header'),
    name: z
      .string()
      .max(MAX_NAME_LENGTH)
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is not the name of a header')
      .transform((name) => name.toLowerCase()),
  }),
  /** A field of the JSON body, such as `data.id`. */
  z.strictObject({
    by: z.literal('path'),
    path: z.string().max(MAX_NAME_LENGTH).refine(isPlainPath, 'is not a path such as "data.id"'),
  }),
  /** A hash of the body. */
  z.strictObject({ by: z.literal('body') }),
]);
export type DedupRule = z.infer<typeof dedupRuleSchema>;

function isPlainPath(text: string): boolean {
  return parsePath(text)?.every((part) => part !== ANY) ?? false;
}
