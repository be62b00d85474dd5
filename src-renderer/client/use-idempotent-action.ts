// One act of a person, asked of the host under one id. The id is minted at the first press and
// kept until the host has plainly answered: a second press, or a try again after a lost answer,
// is the same act and not another one.
import { useRef, useState } from 'react';
import type { ApiError, ApiErrorType } from '#shared/api/errors.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';

export interface IdempotentAction {
  perform(): void;
  readonly isPending: boolean;
  readonly error: ApiError | null;
}

/** After these the host may have done it all the same. */
const UNCERTAIN_ERRORS: readonly ApiErrorType[] = [
  'unreachable',
  'internal',
  'busy',
  'unauthorized',
];

export interface IdempotentActionOptions<Output> {
  action(requestId: string): Promise<Output>;
  onDone(output: Output): void;
  /** A button can be pressed for another act later; a form is one act for as long as it is open. */
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
    // State would be too late: two presses can come before the next render.
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
