// One action under one request id. The id is created on the first press and kept until the host
// replied definitely, so that a second press or a retry after a lost reply is the same action.
import { useRef, useState } from 'react';
import type { ApiError, ApiErrorType } from '#shared/api/errors.ts';
import { toApiError } from '#renderer/stores/api-failure.ts';

export interface Act {
  perform(): void;
  readonly pending: boolean;
  readonly error: ApiError | null;
}

/** After these errors the host may still have done it. */
const UNCERTAIN: readonly ApiErrorType[] = ['unreachable', 'internal', 'busy', 'unauthorized'];

export interface ActOptions<Output> {
  act(requestId: string): Promise<Output>;
  onDone(output: Output): void;
  /** A button makes a new action after each reply; a form is one action while it is open. */
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
    // A ref, because two presses can come before the next render.
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
