// Validates replies against the contract, so that a host of another version causes an error message
// instead of a broken page.
import { z } from 'zod';
import { contract, type CallName, type CallOutput } from '#shared/api/contract.ts';
import { API_ERROR_TYPES, ApiError } from '#shared/api/errors.ts';
import { feedMessageSchema, type FeedMessage } from '#shared/api/feed.ts';
import { text } from '#renderer/text/text.ts';

const resultSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), output: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({
      type: z.enum(API_ERROR_TYPES).catch('internal'),
      message: z.string(),
      problems: z.array(z.string()).optional(),
      reason: z.string().optional(),
    }),
  }),
]);

/** Returns the output or throws an `ApiError`. */
export function parseResponse<Name extends CallName>(name: Name, body: unknown): CallOutput<Name> {
  const result = resultSchema.safeParse(body);
  if (!result.success) throw unreadableError(result.error);
  if (!result.data.ok) {
    const { type, message, problems = [], reason } = result.data.error;
    throw new ApiError({ type, message, problems, ...(reason === undefined ? {} : { reason }) });
  }
  const output = contract[name].output.safeParse(result.data.output);
  if (!output.success) throw unreadableError(output.error);
  return output.data as CallOutput<Name>;
}

/** An unreadable message may have named any row, so it counts as a resync. */
export function parseFeedMessage(body: unknown): FeedMessage {
  const message = feedMessageSchema.safeParse(body);
  return message.success ? message.data : { type: 'resync' };
}

export function unreadableError(cause: unknown): ApiError {
  return new ApiError({ type: 'internal', message: text.errors.unreadable }, { cause });
}

export function unreachableError(cause: unknown): ApiError {
  return new ApiError({ type: 'unreachable', message: text.errors.unreachable }, { cause });
}
