// Refusals of the runner: an HTTP status, a code for programs and a message for people.

export interface Refusal {
  readonly type: 'refused';
  readonly status: 404 | 409 | 422 | 429;
  readonly code:
    | 'unknown_script'
    | 'unknown_repo'
    | 'unknown_job'
    | 'arg_not_allowed'
    | 'path_escape'
    | 'script_not_allowed'
    | 'registry_broken'
    | 'key_used'
    | 'job_ended'
    | 'queue_full';
  readonly message: string;
  /** Each as `path: problem`. */
  readonly problems: readonly string[];
  readonly retryAfterSeconds?: number;
}

export function refuse(
  status: Refusal['status'],
  code: Refusal['code'],
  message: string,
  problems: readonly string[] = [],
): Refusal {
  return { type: 'refused', status, code, message, problems };
}

export function isRefusal(value: object): value is Refusal {
  return 'type' in value && value.type === 'refused';
}
