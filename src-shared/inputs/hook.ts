// How a webhook authenticates its sender. The secret is stored separately by name.
import { z } from 'zod';
import { MAX_SIGNATURE_TOLERANCE_S } from '#shared/limits.ts';

export const hookAuthSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('github') }),
  z.strictObject({
    kind: z.literal('stripe'),
    toleranceS: z.int().min(1).max(MAX_SIGNATURE_TOLERANCE_S).optional(),
  }),
  z.strictObject({ kind: z.literal('bearer') }),
]);
export type HookAuth = z.infer<typeof hookAuthSchema>;
