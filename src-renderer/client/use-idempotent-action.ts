// One act of a person, asked of the host under one id. The id is minted at the first press and
// kept until the host has plainly answered: a second press, or a try again after a lost answer,
// is the same act and not another one.
import { useRef, useState } from 'react';
import type { ApiError, ApiErrorType } from '#shared/api/errors.ts';
import { toApiError } from '#renderer/client/to-api-error.ts';

export interface Act {
  perform(): void;
  readonly pending: boolean;
  readonly error: ApiError | null;
}

/** After these the host may have done it all the same. */
const UNCERTAIN: readonly ApiErrorType[] = ['unreachable', 'internal', 'busy', 'unauthorized'];

export interface ActOptions<Output> {
  act(requestId: string): Promise<Output>;
  onDone(output: Output): void;
  /** A button can be pressed for another act later; a form is one act for as long as it is open. */
  readonly idFor: 'click' | 'form';
}

export function useAct<Output>({ act, onDone, idFor }: ActOptions<Output>): Act {
  const requestId = useRef<string | null>(null);
  const inFlight = useRef(false);
  const [pending, setPending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);

  const settled = (): void => {
    if (idFor === 'click') requestId.current = null;
  };

  const perform = async (): Promise<void> => {
    // State would be too late: two presses can come before the next render.
    if (inFlight.current) return;
    inFlight.current = true;
    setPending(true);
    setError(null);
    requestId.current ??= crypto.randomUUID();
    try {
      const output = await act(requestId.current);
      settled();
      onDone(output);
    } catch (thrown) {
      const failure = toApiError(thrown);
      if (!UNCERTAIN.includes(failure.type)) settled();
      setError(failure);
    } finally {
      inFlight.current = false;
      setPending(false);
    }
  };

  return { perform: () => void perform(), pending, error };
}
