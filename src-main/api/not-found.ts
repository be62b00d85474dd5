import { ApiError } from '#shared/api/errors.ts';

export function notFound(kind: string, id: string): ApiError {
  return new ApiError({
    type: 'not_found',
    message: `There is no ${kind} with the id "${id}". Nothing was changed.`,
  });
}
