// Converts any thrown value into an `ApiError`.
import { ApiError } from '#shared/api/errors.ts';
import { unreadable } from '#renderer/client/answer.ts';

export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : unreadable(error);
}

/** Null for `not_found`. Rethrows other errors. */
export async function unlessNotFound<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.type === 'not_found') return null;
    throw error;
  }
}
