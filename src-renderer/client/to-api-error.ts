// Converts any thrown value into an `ApiError`.
import { ApiError } from '#shared/api/errors.ts';
import { unreadableError } from '#renderer/client/parse-response.ts';

export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : unreadableError(error);
}

/** Null for `not_found`. Rethrows other errors. */
export async function nullIfNotFound<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.type === 'not_found') return null;
    throw error;
  }
}
