// What a person decides about one effect. Each choice has one id for as long as the card is there,
// so pressing it twice, or again after a lost answer, is one decision.
import { useRef, useState } from 'react';
import type { ApiError } from '#shared/api/errors.ts';
import type { MutationView } from '#shared/api/handler-runs.ts';
import type { Json } from '#shared/json.ts';
import type { Resolution } from '#shared/machines/mutation.ts';
import { useApp } from '#renderer/app-context.tsx';
import { toApiError } from '#renderer/stores/api-failure.ts';

export interface Decision {
  readonly resolution: Resolution;
  readonly note?: string;
  readonly result?: Json;
  /** The person was told that it may happen twice. */
  readonly confirmed?: true;
}

export interface Deciding {
  decide(decision: Decision): void;
  /** Being asked of the host now. */
  readonly pending: Resolution | null;
  /** The host has it; what comes of it is for the ledger to say. */
  readonly recorded: MutationView['resolutions'][number] | null;
  readonly error: ApiError | null;
}

export function useDecision(
  mutationId: string,
  onRecorded: (resolution: Resolution) => void,
): Deciding {
  const { client } = useApp();
  const requestIds = useRef(new Map<Resolution, string>());
  const inFlight = useRef(false);
  const [pending, setPending] = useState<Resolution | null>(null);
  const [recorded, setRecorded] = useState<Deciding['recorded']>(null);
  const [error, setError] = useState<ApiError | null>(null);

  const requestIdOf = (resolution: Resolution): string => {
    const known = requestIds.current.get(resolution);
    if (known !== undefined) return known;
    const id = crypto.randomUUID();
    requestIds.current.set(resolution, id);
    return id;
  };

  const decide = async (decision: Decision): Promise<void> => {
    // State would be too late: two presses can come before the next render.
    if (inFlight.current) return;
    inFlight.current = true;
    setPending(decision.resolution);
    setError(null);
    try {
      const requestId = requestIdOf(decision.resolution);
      setRecorded(await client.call('inbox.resolve', { requestId, mutationId, ...decision }));
      onRecorded(decision.resolution);
    } catch (thrown) {
      inFlight.current = false;
      setError(toApiError(thrown));
    } finally {
      setPending(null);
    }
  };

  return { decide: (decision) => void decide(decision), pending, recorded, error };
}
