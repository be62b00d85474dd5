// Turns whatever a call threw into the one kind of error that pages show.
import { ApiError } from '#shared/api/errors.ts';
import { unreadableError } from '#renderer/client/parse-response.ts';

export function toApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : unreadableError(error);
}

/** Null where the host says that there is no such thing; any other failure is thrown on. */
export async function nullIfNotFound<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.type === 'not_found') return null;
    throw error;
  }
}
