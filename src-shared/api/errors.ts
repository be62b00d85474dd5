// The errors of calls. Each has a message for a person.

export const API_ERROR_TYPES = [
  'invalid_input',
  'unknown_call',
  'not_found',
  'illegal_transition',
  'conflict',
  'unauthorized',
  'forbidden',
  'too_large',
  'too_many',
  'busy',
  'storage_full',
  'internal',
  'unreachable',
] as const;
export type ApiErrorType = (typeof API_ERROR_TYPES)[number];

export interface ApiErrorBody {
  readonly type: ApiErrorType;
  readonly message: string;
  /** The invalid fields, each as `path: problem`. */
  readonly problems?: readonly string[];
  /** Distinguishes failures of the same type. */
  readonly reason?: string;
}

export type ApiResult<Output> =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly error: ApiErrorBody };

/** The error as an exception. */
export class ApiError extends Error {
  readonly type: ApiErrorType;
  readonly problems: readonly string[];
  readonly reason: string | undefined;

  constructor(body: ApiErrorBody, options?: ErrorOptions) {
    super(body.message, options);
    this.name = 'ApiError';
    this.type = body.type;
    this.problems = body.problems ?? [];
    this.reason = body.reason;
  }

  toBody(): ApiErrorBody {
    const { type, message, problems, reason } = this;
    return { type, message, problems, ...(reason === undefined ? {} : { reason }) };
  }
}
