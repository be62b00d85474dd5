// One action under one request id. The id is created on the first press and kept until the host
// replied definitely, so that a second press or a retry after a lost reply is the same action.
import { useRef, useState } from 'react';
import type { ApiError, ApiErrorType } from '#shared/api/errors.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';

export interface IdempotentAction {
  perform(): void;
  readonly isPending: boolean;
  readonly error: ApiError | null;
}

/** After these errors the host may still have done it. */
const UNCERTAIN_ERRORS: readonly ApiErrorType[] = [
  'unreachable',
  'internal',
  'busy',
  'unauthorized',
];

export interface IdempotentActionOptions<Output> {
  action(requestId: string): Promise<Output>;
  onDone(output: Output): void;
  /** A button makes a new action after each reply; a form is one action while it is open. */
  readonly idFor: 'click' | 'form';
}

export function useIdempotentAction<Output>({
  action,
  onDone,
  idFor,
}: IdempotentActionOptions<Output>): IdempotentAction {
  const requestId = useRef<string | null>(null);
  const isInFlight = useRef(false);
  const [isPending, setIsPending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);

  const releaseId = (): void => {
    if (idFor === 'click') requestId.current = null;
  };

  const perform = async (): Promise<void> => {
    // A ref, because two presses can come before the next render.
    if (isInFlight.current) return;
    isInFlight.current = true;
    setIsPending(true);
    setError(null);
    requestId.current ??= crypto.randomUUID();
    try {
      const output = await action(requestId.current);
      releaseId();
      onDone(output);
    } catch (thrown) {
      const failure = toApiError(thrown);
      if (!UNCERTAIN_ERRORS.includes(failure.type)) releaseId();
      setError(failure);
    } finally {
      isInFlight.current = false;
      setIsPending(false);
    }
  };

  return { perform: () => void perform(), isPending, error };
}
